// Places and changes.
#include "fuzz/mutants/plant.hpp"

#include "ir/traverse.hpp"

namespace assay::fuzz {

std::optional<Program> at_first(const Program& p, const Wanted& wanted,
                                const std::function<Block(const Stmt&)>& change) {
  const StmtNode* target = nullptr;
  Visitor find;
  find.enter_stmt = [&](const Stmt& s) {
    if (!target && wanted(s)) target = &*s;
    return true;
  };
  visit(p.body, find);
  if (!target) return std::nullopt;
  // Its postorder index: `rewrite` calls back in that order, on rebuilt statements.
  int postorder = -1;
  int count = 0;
  Visitor leave;
  leave.leave_stmt = [&](const Stmt& s) {
    if (&*s == target) postorder = count;
    ++count;
  };
  visit(p.body, leave);
  Program out = p;
  count = 0;
  out.body = rewrite(p.body, {}, [&](const Stmt& s) { return count++ == postorder ? change(s) : Block{s}; });
  return out;
}

std::map<int, Stmt> by_number(const Program& before) {
  std::map<int, Stmt> out;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    out[s->provenance->statement] = s;
    return true;
  };
  visit(before.body, v);
  return out;
}

static bool is_loop(const Stmt& s) { return s->kind == StmtKind::loop; }

Wanted new_loop(const Program& before) {
  return [names = before.bound_names()](const Stmt& s) { return is_loop(s) && names.count(s->name) == 0; };
}
Wanted loop_named(const std::string& name) {
  return [name](const Stmt& s) { return is_loop(s) && s->name == name; };
}
bool is_added(const Stmt& s) { return !s->provenance || s->provenance->statement < 0; }
bool added_guard(const Stmt& s) {
  return s->kind == StmtKind::branch && (!s->provenance || s->provenance->statement < 0);
}

Stmt with_bounds(const Stmt& s, const Index& lo, const Index& hi) {
  return with(s, [&](StmtNode& n) {
    n.lo = lo;
    n.hi = hi;
  });
}

std::optional<Program> drop_guard(const Program&, const Program& after, const ScheduleLine&) {
  return at_first(after, added_guard, [](const Stmt& s) { return s->body; });
}

std::optional<Program> lose_initial_value(const Program&, const Program& after, const ScheduleLine&) {
  if (auto out = at_first(
          after, [](const Stmt& s) { return s->kind == StmtKind::declare && s->value; },
          [](const Stmt& s) { return Block{with(s, [](StmtNode& n) { n.value = Expr(); })}; })) {
    return out;
  }
  bool done = false;
  Program out = after;
  out.body = rewrite(after.body, [&](const Expr& e) {
    if (done || e->op != Op::scope || e->body.size() < 2) return e;
    done = true;
    return with(e, [](ExprNode& n) { n.body.erase(n.body.begin()); });
  });
  if (!done) return std::nullopt;
  return out;
}

Plant shorten(const Which& which, int from_lo, int from_hi) {
  return [=](const Program& before, const Program& after, const ScheduleLine& line) {
    return at_first(after, which(before, line), [=](const Stmt& s) {
      return Block{with_bounds(s, s->lo + from_lo * s->step, s->hi + from_hi * s->step)};
    });
  };
}

Plant replace_symbol(const Which& which, const std::function<Index(const Index&)>& value) {
  return [=](const Program& before, const Program& after, const ScheduleLine& line) {
    return at_first(after, which(before, line), [=](const Stmt& s) {
      const std::map<Symbol, Index> map{{s->name, value(Index::symbol(s->name))}};
      return Block{with(s, [&](StmtNode& n) { n.body = substitute(n.body, map); })};
    });
  };
}

Plant shift_symbol(const Which& which) {
  return replace_symbol(which, [](const Index& symbol) { return symbol + 1; });
}

Which fresh() {
  return [](const Program& before, const ScheduleLine&) { return new_loop(before); };
}
Which operand(std::size_t k) {
  return [k](const Program&, const ScheduleLine& line) {
    return loop_named(k < line.operands.size() ? line.operands[k].text : "");
  };
}

}  // namespace assay::fuzz
