// Which statements and iterations two executions need to happen, and what may stand between them.
//
// Between the keys of two executions lie only barriers inside the outermost loop in which they are at different iterations, or
// where there is none those inside the innermost statement around both, from the one to the other. All other loops run the
// iterations of the two alone. Nothing here asks whether the executions happen, or whether a barrier is between them: the run does.
#include "oracle/thread_part.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/analysis/launch.hpp"
#include "ir/traverse.hpp"

namespace assay::oracle {
namespace {

using Numbers = std::vector<int>;

/// A statement by its preorder number.
struct Entry {
  Stmt statement{};
  int parent = -1;
  int last = -1;  // the number of the last statement inside
  bool in_scope = false;
};

std::vector<Entry> entries_of(const Program& p) {
  std::vector<Entry> out;
  Numbers around;
  int scopes = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    out.push_back({s, around.empty() ? -1 : around.back(), -1, scopes > 0});
    around.push_back(static_cast<int>(out.size()) - 1);
    return true;
  };
  v.leave_stmt = [&](const Stmt&) {
    out[static_cast<std::size_t>(around.back())].last = static_cast<int>(out.size()) - 1;
    around.pop_back();
  };
  v.enter_expr = [&](const Expr& e) {
    scopes += e->op == Op::scope ? 1 : 0;
    return true;
  };
  v.leave_expr = [&](const Expr& e) { scopes -= e->op == Op::scope ? 1 : 0; };
  visit(p.body, v);
  return out;
}

bool is_serial(const Stmt& s) {
  return s->kind == StmtKind::loop && (s->axis == Axis::serial || s->axis == Axis::unrolled);
}

class Finder {
 public:
  Finder(const Program& p, const interp::Focus& focus) : p_(p), focus_(focus), entries_(entries_of(p)) {}

  tl::expected<ThreadPart, std::string> find() {
    for (std::size_t k = 0; k < 2; ++k) {
      const int number = focus_.points[k].statement;
      if (number < 0 || static_cast<std::size_t>(number) >= entries_.size())
        return tl::unexpected<std::string>("no statement is named");
      if (at(number).in_scope) return tl::unexpected<std::string>("an access is part of a scope");
      paths_[k] = around(number);
      for (int n : paths_[k]) {
        const Stmt& s = at(n).statement;
        if (s->kind == StmtKind::loop && (s->axis == Axis::reduce || s->axis == Axis::tile))
          return tl::unexpected<std::string>("several threads make an access together");
      }
    }
    for (std::size_t k = 0; k < 2; ++k) {
      const int number = focus_.points[k].statement;
      for (int n = number; n <= at(number).last; ++n) part_.statements.insert(n);
      keep(paths_[k]);
      ask_statement(at(number).statement);
    }
    const Numbers loops_of_barriers = keep_barriers();
    choose_iterations(loops_of_barriers);
    if (!why_.empty()) return tl::unexpected(why_);
    ThreadPart out{p_, focus_, asks_data_};
    out.focus.part = std::move(part_);
    for (Buffer& b : out.program.buffers) {
      const bool device = b.kind == BufferKind::input || is_observed(b.kind);
      if (!device || asked_.count(b.name) != 0) continue;
      b.kind = BufferKind::temp;
      b.range.reset();
    }
    return out;
  }

 private:
  const Entry& at(int number) const { return entries_[static_cast<std::size_t>(number)]; }

  /// The statements around one, outermost first.
  Numbers around(int number) const {
    Numbers out;
    for (int n = at(number).parent; n >= 0; n = at(n).parent) out.insert(out.begin(), n);
    return out;
  }

  void keep(const Numbers& path) {
    for (int n : path) {
      if (!part_.statements.insert(n).second) continue;
      const Stmt& s = at(n).statement;
      if (s->kind == StmtKind::branch) ask(s->value);
    }
  }

  /// What an expression that decides where things happen reads has to be known without the rest of the program.
  void ask(const Expr& e) {
    Visitor v;
    v.enter_expr = [&](const Expr& x) {
      if (x->op == Op::variable || x->op == Op::scope) why_ = "a condition or an index depends on a variable";
      if (x->op != Op::load) return true;
      const Buffer* b = p_.find_buffer(x->name);
      if (b == nullptr || (b->kind != BufferKind::input && b->kind != BufferKind::constant)) {
        why_ = fmt::format("a condition or an index reads `{}`, which the program may write", x->name);
        return true;
      }
      asked_.insert(x->name);
      asks_data_ = asks_data_ || b->kind == BufferKind::input;
      return true;
    };
    visit(e, v);
  }

  /// Indices, and the conditions inside values.
  void ask_statement(const Stmt& s) {
    for (const Expr& i : s->indices) ask(i);
    Visitor v;
    v.enter_expr = [&](const Expr& x) {
      if (x->op == Op::load) {
        for (const Expr& i : x->args) ask(i);
      }
      if (x->op == Op::choice || x->op == Op::land || x->op == Op::lor) ask(x->args.front());
      return true;
    };
    visit(s, v);
  }

  /// The outermost serial loop around both in which they are at different iterations; -1: none.
  int apart() const {
    for (std::size_t d = 0; d < std::min(paths_[0].size(), paths_[1].size()) && paths_[0][d] == paths_[1][d]; ++d) {
      const Stmt& s = at(paths_[0][d]).statement;
      if (is_serial(s) && interp::value_of(focus_.points[0], s->name) != interp::value_of(focus_.points[1], s->name))
        return paths_[0][d];
    }
    return -1;
  }

  /// Keeps the barriers that may lie between the two. The loops around these.
  Numbers keep_barriers() {
    Numbers loops;
    if (focus_.storage.empty() || fitted(focus_.points[0].group) != fitted(focus_.points[1].group)) return loops;
    const std::set<const StmtNode*> tiles = tiles_among_threads(p_);
    int first = -1, last = -1;
    if (const int loop = apart(); loop >= 0) {
      first = loop;
      last = at(loop).last;
    } else {
      std::size_t common = 0;
      while (common < std::min(paths_[0].size(), paths_[1].size()) && paths_[0][common] == paths_[1][common]) ++common;
      const auto child = [&](std::size_t k) {
        return common < paths_[k].size() ? paths_[k][common] : focus_.points[k].statement;
      };
      first = std::min(child(0), child(1));
      last = std::max(at(child(0)).last, at(child(1)).last);
    }
    for (int n = first; n <= last; ++n) {
      const Stmt& s = at(n).statement;
      if (at(n).in_scope || (s->kind != StmtKind::barrier && tiles.count(&*s) == 0)) continue;
      part_.statements.insert(n);
      keep(around(n));
      for (int m : around(n)) {
        if (m >= first) loops.push_back(m);
      }
    }
    return loops;
  }

  static std::vector<std::int64_t> fitted(std::vector<std::int64_t> coordinates) {
    while (!coordinates.empty() && coordinates.back() == 0) coordinates.pop_back();
    return coordinates;
  }

  /// Of a loop that barriers are in: all that lies between; of any other: the iterations of the two.
  void choose_iterations(const Numbers& loops_of_barriers) {
    const int loop = apart();
    for (std::size_t k = 0; k < 2; ++k) {
      for (int n : paths_[k]) {
        const Stmt& s = at(n).statement;
        if (!is_serial(s)) continue;
        const bool barriers =
            std::find(loops_of_barriers.begin(), loops_of_barriers.end(), n) != loops_of_barriers.end();
        if (barriers && n != loop) continue;
        const auto value = interp::value_of(focus_.points[k], s->name);
        if (!value) {
          why_ = fmt::format("the iteration of loop `{}` is not known", s->name);
          return;
        }
        auto& values = part_.values[n];
        values.emplace_back(*value, *value);
        std::sort(values.begin(), values.end());
        if (barriers) values = {{values.front().first, values.back().second}};
      }
    }
  }

  const Program& p_;
  const interp::Focus& focus_;
  std::vector<Entry> entries_;
  std::array<Numbers, 2> paths_{};
  interp::Focus::Part part_{};
  std::set<Symbol> asked_{};
  bool asks_data_ = false;
  std::string why_{};
};

}  // namespace

tl::expected<ThreadPart, std::string> part_of(const Program& p, const interp::Focus& focus) {
  return Finder(p, focus).find();
}

}  // namespace assay::oracle
