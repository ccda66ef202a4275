// Which serial loops can run in strips: operation by operation over consecutive iterations instead of iteration by
// iteration.
//
// The body is leaves and branches. Variables declared inside become columns. One from outside may only be accumulated into:
// `x = x op e`, read nowhere else; so may a cell that is the same in every iteration. What the accesses to buffers do to
// each other is not decided here but when the loop is entered, from their addresses (strips.cpp).
#include <algorithm>

#include "interp/compiled/compiler.hpp"

namespace assay::interp::compiled {
namespace {

bool mentions(const BoundIndex& e, const std::map<int, int>& symbols) {
  return std::any_of(e.terms.begin(), e.terms.end(), [&](const BoundIndexTerm& t) {
    return (t.kind == IndexAtom::Kind::symbol && symbols.count(t.slot.index) != 0) ||
           std::any_of(t.args.begin(), t.args.end(), [&](const BoundIndex& a) { return mentions(a, symbols); });
  });
}

class Planner {
 public:
  explicit Planner(StripPlan& plan) : plan_(plan) {}

  bool run(const BoundStmt& loop) {
    own(loop.slot);
    if (!declare(loop.body, false) || !statements(loop.body)) return false;
    for (const auto& [slot, count] : assigned_) {
      if (count != 1 || reads_[slot] != 1) return false;
    }
    return true;
  }

 private:
  void own(Slot s) { plan_.expanded.emplace(s.index, static_cast<int>(plan_.expanded.size())); }

  // Slots of the body; whether its statements are of the right kinds.
  bool declare(const BoundBlock& b, bool scope) {
    for (const auto& s : b) {
      if (s->kind == StmtKind::zero || s->kind == StmtKind::barrier) return false;
      if (s->kind == StmtKind::loop) {
        if (!scope || s->axis == Axis::vectorized || s->has_hardware) return false;
        own(s->slot);
      }
      if (s->kind == StmtKind::declare) own(s->slot);
      for (const auto* list : {&s->indices, &s->value}) {
        for (const BoundExpr& e : *list) {
          if (writes_outside(e) || !declare(e)) return false;
        }
      }
      if (!declare(s->body, scope) || !declare(s->other, scope)) return false;
    }
    return true;
  }
  bool declare(const BoundExpr& e) {
    if (e.form == Form::scope) {
      own(e.slot);
      if (!declare(e.body, true)) return false;
    }
    return std::all_of(e.args.begin(), e.args.end(), [&](const BoundExpr& a) { return declare(a); });
  }

  bool statements(const BoundBlock& b) {
    for (const auto& s : b) {
      const bool outside = s->kind == StmtKind::assign && plan_.expanded.count(s->slot.index) == 0;
      if (outside || s->kind == StmtKind::store) {
        if (folds(*s)) {
          plan_.folds.insert(s.get());
        } else if (outside) {
          return false;
        }
      }
      if (outside) ++assigned_[s->slot.index];
      for (const auto* list : {&s->indices, &s->value}) {
        for (const BoundExpr& e : *list) expression(e);
      }
      if (!statements(s->body) || !statements(s->other)) return false;
    }
    return true;
  }
  void expression(const BoundExpr& e) {
    if (e.form == Form::variable) ++reads_[e.slot.index];
    for (const BoundExpr& a : e.args) expression(a);
    count_reads(e.body);
  }
  void count_reads(const BoundBlock& b) {
    for (const auto& s : b) {
      for (const auto* list : {&s->indices, &s->value}) {
        for (const BoundExpr& e : *list) expression(e);
      }
      count_reads(s->body);
      count_reads(s->other);
    }
  }

  // An accumulation into something that is the same in every iteration, of an operation that cannot fault.
  bool folds(const BoundStmt& s) const {
    if (accumulator_position(s) < 0) return false;
    return std::none_of(s.indices.begin(), s.indices.end(),
                        [&](const BoundExpr& e) { return mentions(e.index, plan_.expanded); });
  }

  StripPlan& plan_;
  std::map<int, int> assigned_{}, reads_{};  // by slot; of variables from outside
};

}  // namespace

int accumulator_position(const BoundStmt& s) {
  if (s.value.empty()) return -1;
  const BoundExpr& root = s.value[0];
  if (root.form != Form::scalar_operation || (root.op >= Op::floordiv && root.op <= Op::eucmod)) return -1;
  if (root.args.size() < 2 || root.args[0].type != root.type) return -1;
  int position = -1;
  for (std::size_t k = 0; k < root.args.size(); ++k) {
    const BoundExpr& a = root.args[k];
    bool same = false;
    if (s.kind == StmtKind::store) {
      same = a.form == Form::load && a.reference == s.reference;
      for (std::size_t d = 0; d < s.indices.size() && same; ++d) {
        same = a.args[d].form == Form::index && s.indices[d].form == Form::index &&
               a.args[d].source->index == s.indices[d].source->index;
      }
    } else {
      same = a.form == Form::variable && a.slot.level == s.slot.level && a.slot.index == s.slot.index;
    }
    if (!same) continue;
    if (position >= 0) return -1;
    position = static_cast<int>(k);
  }
  return position;
}

bool plan_strip(const BoundStmt& loop, StripPlan& plan) { return Planner(plan).run(loop); }

}  // namespace assay::interp::compiled
