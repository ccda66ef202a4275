// Faults are planted in the honest result, which claims stay as they are. A copy is recognised by claiming no origin; whether
// it leads in or out, by which of its two storages the old program has.
#include "fuzz/mutants/flow_faults.hpp"

#include "fuzz/mutants/plant.hpp"
#include "ir/traverse.hpp"

namespace assay::fuzz {
namespace {

// The first statement that is wanted, inner ones before outer ones.
std::optional<Program> first(const Program& p, const Wanted& wanted, const std::function<Block(const Stmt&)>& change) {
  bool done = false;
  Program out = p;
  out.body = rewrite(p.body, {}, [&](const Stmt& s) -> Block {
    if (done || !wanted(s)) return {s};
    done = true;
    return change(s);
  });
  if (!done) return std::nullopt;
  return out;
}

bool is_copy(const Stmt& s) {
  if (!is_added(s) || !s->value) return false;
  const Expr& v = s->value->op == Op::convert ? s->value->args[0] : s->value;
  const bool writes = s->kind == StmtKind::store || s->kind == StmtKind::assign || s->kind == StmtKind::declare;
  return writes && (v->op == Op::load || v->op == Op::variable);
}
Wanted copy_in(const Program& before) {
  return [&before](const Stmt& s) {
    return is_copy(s) && (s->kind != StmtKind::store || before.find_buffer(s->name) == nullptr);
  };
}
Wanted copy_out(const Program& before) {
  return [&before](const Stmt& s) { return is_copy(s) && s->kind == StmtKind::store && before.find_buffer(s->name); };
}

// A copy, and the added loops and conditions around it.
bool is_transfer(const Stmt& s, const Wanted& copy) {
  if (copy(s)) return true;
  if (!is_added(s) || s->body.size() != 1 || (s->kind != StmtKind::loop && s->kind != StmtKind::branch)) return false;
  return is_transfer(s->body[0], copy);
}
// The block that holds the outermost transfer of this kind, changed.
std::optional<Program> in_block(const Program& p, const Wanted& copy,
                                const std::function<std::optional<Block>(Block, std::size_t at)>& change) {
  const auto attempt = [&](const Block& b) -> std::optional<Block> {
    for (std::size_t k = 0; k < b.size(); ++k) {
      if (is_transfer(b[k], copy)) return change(b, k);
    }
    return std::nullopt;
  };
  if (const auto top = attempt(p.body)) {
    Program out = p;
    out.body = *top;
    return out;
  }
  const auto holds = [&](const Stmt& s) { return !is_transfer(s, copy) && attempt(s->body).has_value(); };
  return first(p, holds,
               [&](const Stmt& s) { return Block{with(s, [&](StmtNode& n) { n.body = *attempt(n.body); })}; });
}

using Side = Wanted (*)(const Program&);

Plant lost(Side side) {
  return [side](const Program& before, const Program& after, const ScheduleLine&) {
    return first(after, side(before), [](const Stmt& s) {
      if (s->kind == StmtKind::declare) return Block{with(s, [](StmtNode& n) { n.value = Expr(); })};
      return Block{};
    });
  };
}

// Moves the transfer over its neighbour; a variable's declaration stays where it is.
Plant moved(Side side, bool down) {
  return [=](const Program& before, const Program& after, const ScheduleLine&) {
    return in_block(after, side(before), [&](Block b, std::size_t k) -> std::optional<Block> {
      if (b[k]->kind == StmtKind::declare || (down ? k + 1 >= b.size() : k == 0)) return std::nullopt;
      const std::size_t other = down ? k + 1 : k - 1;
      if (b[other]->kind == StmtKind::declare) return std::nullopt;
      std::swap(b[k], b[other]);
      return b;
    });
  };
}

// Another cell in the last axis: of the old side (`old`), or of the new one.
Plant shifted(Side side, bool old, int by) {
  return [=](const Program& before, const Program& after, const ScheduleLine&) -> std::optional<Program> {
    const auto shift = [&](std::vector<Expr> indices) {
      if (!indices.empty() && indices.back()->op == Op::index) indices.back() = make_index(indices.back()->index + by);
      return indices;
    };
    const auto wanted = [&](const Stmt& s) {
      if (!side(before)(s)) return false;
      const Expr& v = s->value->op == Op::convert ? s->value->args[0] : s->value;
      const bool target = s->kind == StmtKind::store && (before.find_buffer(s->name) != nullptr) == old;
      return target ? !s->indices.empty()
                    : v->op == Op::load && (before.find_buffer(v->name) != nullptr) == old && !v->args.empty();
    };
    return first(after, wanted, [&](const Stmt& s) {
      const bool target = s->kind == StmtKind::store && (before.find_buffer(s->name) != nullptr) == old;
      if (target) return Block{with(s, [&](StmtNode& n) { n.indices = shift(n.indices); })};
      return Block{rewrite_expressions(s, [&](const Expr& e) {
        if (e->op != Op::load) return e;
        return with(e, [&](ExprNode& n) { n.args = shift(n.args); });
      })};
    });
  };
}

Plant shorter(Side side, int from_lo, int from_hi) {
  return [=](const Program& before, const Program& after, const ScheduleLine&) {
    const auto wanted = [&](const Stmt& s) { return s->kind == StmtKind::loop && is_transfer(s, side(before)); };
    return first(after, wanted, [&](const Stmt& s) {
      return Block{with(s, [&](StmtNode& n) {
        n.lo = n.lo + from_lo * n.step;
        n.hi = n.hi + from_hi * n.step;
      })};
    });
  };
}

// An old statement uses the target again, in its first load or as its own target.
Plant not_redirected(bool load) {
  return [=](const Program& before, const Program& after, const ScheduleLine&) -> std::optional<Program> {
    const std::map<int, Stmt> old = by_number(before);
    const auto wanted = [&](const Stmt& s) {
      if (is_added(s) || !s->value) return false;
      const Stmt& was = old.at(s->provenance->statement);
      return load ? !(s->value == was->value) : s->name != was->name;
    };
    return first(after, wanted, [&](const Stmt& s) {
      const Stmt& was = old.at(s->provenance->statement);
      return Block{with(s, [&](StmtNode& n) {
        if (load) {
          n.value = was->value;
        } else {
          n.kind = was->kind;
          n.name = was->name;
          n.indices = was->indices;
        }
      })};
    });
  };
}

// The private storage starts at a constant.
std::optional<Program> starts_anew(const Program& before, const Program& after, const ScheduleLine&) {
  return first(after, copy_in(before), [](const Stmt& s) {
    return Block{with(s, [](StmtNode& n) { n.value = make_literal({n.value->type, 0}); })};
  });
}

}  // namespace

const std::vector<StepFault>& flow_faults() {
  static const std::vector<StepFault> faults = {
      {"privatize", "not copied in", lost(copy_in)},
      {"privatize", "not copied back", lost(copy_out)},
      {"privatize", "copied back before the loop", moved(copy_out, false)},
      {"privatize", "copied in after the loop", moved(copy_in, true)},
      {"privatize", "copied in from the neighbour", shifted(copy_in, true, 1)},
      {"privatize", "copied back to the neighbour", shifted(copy_out, true, 1)},
      {"privatize", "starts at zero", starts_anew},
      {"privatize", "the update reads the target", not_redirected(true)},
      {"privatize", "the update stores to the target", not_redirected(false)},
      {"privatize", "the last row is not copied back", shorter(copy_out, 0, -1)},
      {"stage", "not filled", lost(copy_in)},
      {"stage", "filled after the use", moved(copy_in, true)},
      {"stage", "filled from the neighbour", shifted(copy_in, true, 1)},
      {"stage", "filled one cell further", shifted(copy_in, false, 1)},
      {"stage", "the last cell is not filled", shorter(copy_in, 0, -1)},
      {"stage", "the first cell is not filled", shorter(copy_in, 1, 0)},
      {"stage", "filled with zeros", starts_anew},
  };
  return faults;
}

}  // namespace assay::fuzz
