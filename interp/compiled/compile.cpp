// Statements to nodes.
#include <algorithm>

#include "interp/compiled/compiler.hpp"
#include "ir/traverse.hpp"

namespace assay::interp::compiled {

void Compiler::run() {
  out_.source = &source_;
  out_.thread.slots = source_.frame_size;
  Context thread;
  thread.layout = &out_.thread;
  for (const BoundLaunch& l : source_.launches) {
    LaunchCode code;
    code.source = &l;
    code.body = block(l.body, thread);
    code.lockstep = plan_lockstep(source_, l);
    out_.launches.push_back(std::move(code));
  }
}

Reference Compiler::reference(Slot s, const Context& c) const {
  int depth = 0;
  for (const Context* at = &c; at != nullptr; at = at->outer, ++depth) {
    if (at->strip) {
      if (const auto it = at->expanded.find(s.index); s.level == 0 && it != at->expanded.end())
        return {depth, it->second};
    } else if (at->level == s.level) {
      return {depth, s.index};
    }
  }
  return {};  // resolution gives every slot a frame around its use
}

IndexCode Compiler::index(const BoundIndex& e, const Context& c) const {
  IndexCode r;
  r.constant = e.constant;
  r.overflowed = e.overflowed;
  for (const BoundIndexTerm& t : e.terms) {
    if (t.kind == IndexAtom::Kind::symbol) {
      r.symbols.push_back({t.coefficient, reference(t.slot, c)});
      continue;
    }
    AtomTerm term{t.coefficient, t.kind, {}, t.divisor};
    for (const BoundIndex& a : t.args) term.args.push_back(index(a, c));
    r.atoms.push_back(std::move(term));
  }
  const auto within = [](std::int64_t v, int bits) {
    return v >= -(std::int64_t{1} << bits) && v <= std::int64_t{1} << bits;
  };
  r.small =
      !r.overflowed && r.atoms.empty() && within(r.constant, 40) && r.symbols.size() <= 16 &&
      std::all_of(r.symbols.begin(), r.symbols.end(), [&](const SymbolTerm& t) { return within(t.coefficient, 12); });
  return r;
}

NodeBlock Compiler::block(const BoundBlock& b, const Context& c) {
  NodeBlock r;
  r.reserve(b.size());
  for (const auto& s : b) r.push_back(statement(*s, c));
  return r;
}

Node Compiler::statement(const BoundStmt& s, const Context& c) {
  Node n;
  n.kind = s.kind;
  n.source = &s;
  n.rendezvous = s.kind == StmtKind::barrier;
  switch (s.kind) {
    case StmtKind::loop: loop(s, c, n); break;
    case StmtKind::branch:
      n.value = expression(s.value[0], c, base_);
      n.ordered = writes_outside(s.value[0]);
      n.body = block(s.body, c);
      n.other = block(s.other, c);
      break;
    case StmtKind::zero: n.target.buffer = s.reference; break;
    case StmtKind::declare:
    case StmtKind::assign:
      n.variable = reference(s.slot, c);
      if (plan_ != nullptr && c.strip && plan_->folds.count(&s) != 0) {
        n.fold = fold(s, c, n);
      } else if (!s.value.empty()) {
        n.value = expression(s.value[0], c, base_);
      }
      break;
    case StmtKind::store: {
      std::vector<Instruction>* const before = code_;
      const std::uint32_t cost = cost_;
      code_ = &n.address.code;
      cost_ = 0;
      const int taken = access(n.target, s.reference, s.indices, s.source->where, c, base_);
      code_ = before;
      cost_ = cost;
      if (!n.target.computed) n.address_cost = static_cast<std::uint32_t>(s.indices.size());
      const int base = base_;
      base_ += taken;
      if (plan_ != nullptr && c.strip && plan_->folds.count(&s) != 0) {
        n.fold = fold(s, c, n);
      } else {
        n.value = expression(s.value[0], c, base_);
      }
      base_ = base;
      if (c.strip) {
        out_.accesses.push_back(n.target);
        uses_.push_back({&out_.accesses.back(), true});
      }
      break;
    }
    default: break;
  }
  for (const auto* list : {&s.indices, &s.value}) {
    for (const BoundExpr& e : *list) n.ordered |= writes_outside(e);
  }
  for (const NodeBlock* b : {&n.body, &n.other}) {
    for (const Node& inner : *b) n.rendezvous |= inner.rendezvous;
  }
  return n;
}

void Compiler::loop(const BoundStmt& s, const Context& c, Node& n) {
  n.lo = index(s.lo, c);
  n.hi = index(s.hi, c);
  n.rendezvous = s.axis == Axis::reduce || s.axis == Axis::tile;
  if (s.axis == Axis::vectorized) {
    n.lanes.slots = s.frame_size;
    Context lanes;
    lanes.outer = &c;
    lanes.level = s.slot.level;
    lanes.layout = &n.lanes;
    const int base = base_;
    base_ = 0;
    n.symbol = reference(s.slot, lanes);
    n.body = block(s.body, lanes);
    base_ = base;
    return;
  }
  n.symbol = reference(s.slot, c);
  n.body = block(s.body, c);
  const bool serial = s.axis == Axis::serial || s.axis == Axis::unrolled;
  if (serial && c.outer == nullptr) {
    n.strip = strip(s, c);
    n.nest = plan_nest(n);
  }
}

namespace {

// Whether an index depends on a symbol of the strip's frame other than the loop's own.
bool depends_on_inner_symbol(const IndexCode& e, int own) {
  return std::any_of(e.symbols.begin(), e.symbols.end(),
                     [&](const SymbolTerm& t) { return t.symbol.depth == 0 && t.symbol.slot != own; }) ||
         std::any_of(e.atoms.begin(), e.atoms.end(), [&](const AtomTerm& t) {
           return std::any_of(t.args.begin(), t.args.end(),
                              [&](const IndexCode& a) { return depends_on_inner_symbol(a, own); });
         });
}
bool is_tellable(const Access& a, int own) {
  return !a.computed && std::none_of(a.dims.begin(), a.dims.end(),
                                     [&](const Dimension& d) { return depends_on_inner_symbol(d.index, own); });
}

// Whether each iteration touches by the second access what one of the next few will touch by the first, so that strips would be
// too short: a recurrence.
bool follows(const Access& first, const Access& second, int own, std::int64_t step) {
  std::int64_t distance = 0;
  for (std::size_t d = 0; d < first.dims.size(); ++d) {
    const IndexCode &x = first.dims[d].index, &y = second.dims[d].index;
    if (!x.small || !y.small || x.symbols.size() != y.symbols.size()) return false;
    std::int64_t by = 0;
    for (std::size_t k = 0; k < x.symbols.size(); ++k) {
      const SymbolTerm &a = x.symbols[k], &b = y.symbols[k];
      if (a.coefficient != b.coefficient || a.symbol.depth != b.symbol.depth || a.symbol.slot != b.symbol.slot)
        return false;
      if (a.symbol.depth == 0 && a.symbol.slot == own && __builtin_mul_overflow(a.coefficient, step, &by)) return false;
    }
    const std::int64_t apart = y.constant - x.constant;
    if (by == 0 && apart == 0) continue;
    if (by == 0 || apart % by != 0 || (distance != 0 && distance != apart / by)) return false;
    distance = apart / by;
    if (distance == 0) return false;
  }
  return distance > 0 && distance < static_cast<std::int64_t>(shortest_strip);
}

}  // namespace

// Null where the body cannot run in strips.
std::unique_ptr<StripLoop> Compiler::strip(const BoundStmt& s, const Context& c) {
  StripPlan plan;
  if (!plan_strip(s, plan)) return nullptr;
  auto r = std::make_unique<StripLoop>();
  r->layout.slots = static_cast<int>(plan.expanded.size());
  Context inside;
  inside.outer = &c;
  inside.strip = true;
  inside.expanded = plan.expanded;
  inside.layout = &r->layout;
  const StripPlan* const outer_plan = plan_;
  const int base = base_;
  plan_ = &plan;
  base_ = 0;
  uses_.clear();
  r->body = block(s.body, inside);
  base_ = base;
  plan_ = outer_plan;
  const int own = r->symbol = plan.expanded.at(s.slot.index);
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    for (std::size_t j = i + 1; j < uses_.size(); ++j) {
      const Access& first = *uses_[i].access;
      const Access& second = *uses_[j].access;
      if (first.buffer != second.buffer || (!uses_[i].store && !uses_[j].store)) continue;
      if (!is_tellable(first, own) || !is_tellable(second, own)) return nullptr;
      if (follows(first, second, own, s.step)) return nullptr;
      r->hazards.push_back({&first, &second});
    }
  }
  return r;
}

// The old value is not read as an operand: e alone is compiled.
std::unique_ptr<FoldCode> Compiler::fold(const BoundStmt& s, const Context& c, Node& n) {
  const BoundExpr& root = s.value[0];
  auto f = std::make_unique<FoldCode>();
  f->position = accumulator_position(s);
  f->types = {root.function, root.type, root.args[0].type, root.args.back().type, static_cast<int>(root.args.size())};
  f->watched = root.watched && out_.marks && can_round(root.op, root.type);
  f->kernel = find_kernel(root.op, f->types.operand, f->watched);
  const bool swappable = root.op == Op::add || root.op == Op::mul || root.op == Op::max || root.op == Op::min;
  if (root.args.size() == 2 && (f->position == 0 || swappable)) f->fold = find_fold(root.op, root.type, f->watched);
  const BoundExpr& old = root.args[static_cast<std::size_t>(f->position)];
  f->read = old.source->where;
  f->cost = 2 + static_cast<std::uint32_t>(old.args.size());
  std::vector<Instruction>* const before = code_;
  const std::uint32_t cost = cost_;
  code_ = &n.value.code;
  cost_ = 0;
  for (std::size_t k = 0; k < root.args.size(); ++k) {
    if (static_cast<int>(k) != f->position) f->operands[k] = emit(root.args[k], c, base_ + static_cast<int>(k));
  }
  code_ = before;
  cost_ = cost;
  return f;
}

std::unique_ptr<CompiledProgram> compile(const BoundProgram& program, bool marks) {
  auto out = std::make_unique<CompiledProgram>();
  out->marks = marks;
  if (mentions(*program.source, Type::u32x4)) out->cell_bytes = 16;
  Compiler(program, *out).run();
  return out;
}

}  // namespace assay::interp::compiled
