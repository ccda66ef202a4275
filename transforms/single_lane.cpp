// A nest goes to the first lane as a whole when it holds stores to such memory alone: barriers and hardware loops stay where
// every lane reaches them, and what a lane keeps for itself it computes for itself.
#include "transforms/single_lane.hpp"

#include <algorithm>

#include "ir/analysis/launch.hpp"
#include "ir/traverse.hpp"
#include "transforms/affine.hpp"

namespace assay {
namespace {

class FirstLane {
 public:
  FirstLane(const Program& p, std::int64_t width, const Symbol& named, NameSupply& names)
      : program_(p), slots_(hardware_slots(p)), width_(width), named_(named), names_(names) {}

  Block block(const Block& b) {
    Block out;
    for (const Stmt& s : b) out.push_back(statement(s));
    return out;
  }

 private:
  Stmt statement(const Stmt& s) {
    const auto slot = slots_.find(&*s);
    if (slot != slots_.end() && s->axis != Axis::grid && slot->second == 0) return s;
    if (stores_only(s)) return led(s);
    if (s->body.empty() && s->other.empty()) return s;
    return with(s, [&](StmtNode& n) {
      n.body = block(s->body);
      n.other = block(s->other);
    });
  }

  bool stores_only(const Stmt& top) const {
    bool only = true, any = false;
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      switch (s->kind) {
        case StmtKind::loop:
          only &= s->axis == Axis::serial || s->axis == Axis::unrolled || s->axis == Axis::vectorized;
          break;
        case StmtKind::branch: break;
        case StmtKind::store:
        case StmtKind::zero:
          any = true;
          only &= program_.find_buffer(s->name)->kind != BufferKind::local;
          break;
        default: only = false; break;
      }
      return only;
    };
    v.enter_expr = [](const Expr&) { return false; };
    visit(top, v);
    return only && any;
  }

  Stmt led(const Stmt& s) {
    const Symbol lane = names_.fresh(named_);
    const Expr first = compare(Op::eq, Index::symbol(lane), Index(0));
    return make_loop(lane, 0, Index(width_), 1, Axis::workgroup, {make_branch(first, {s}, {}, s->where)}, s->where);
  }

  const Program& program_;
  std::map<const StmtNode*, int> slots_;
  std::int64_t width_;
  const Symbol& named_;
  NameSupply& names_;
};

bool holds(const Stmt& top, const Symbol& loop) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    found |= s->kind == StmtKind::loop && s->name == loop;
    return !found;
  };
  visit(top, v);
  return found;
}

}  // namespace

Program led_by_first_lane(Program p, const Symbol& in, std::int64_t width, const Symbol& named, NameSupply& names) {
  const auto is_launch = [](const Stmt& s) { return s->kind == StmtKind::launch; };
  const auto place = std::find_if(p.body.begin(), p.body.end(), [&](const Stmt& s) { return holds(s, in); });
  auto first = place;
  while (first != p.body.begin() && !is_launch(*(first - 1))) --first;
  const auto end = std::find_if(place, p.body.end(), is_launch);
  const Block led = FirstLane(p, width, named, names).block(Block(first, end));
  std::copy(led.begin(), led.end(), first);
  return p;
}

}  // namespace assay
