// Resolution of names: one walk in the order of ir/traverse.hpp, which numbers the statements as number_statements does.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "interp/resolved.hpp"
#include "ir/analysis/launch.hpp"
#include "ir/traverse.hpp"
#include "ir/typing.hpp"

namespace assay::interp {
namespace {

// Thrown inside this file only; resolve() turns it into its error.
struct Unresolved {
  std::string message;
};

struct Binding {
  Slot slot{};
  Type type = Type::index;
  int variable = -1;  // else a loop symbol or parameter
};

class Resolver {
 public:
  Resolver(const Program& p, const std::set<int>& reordered) : program_(p), reordered_(reordered) { out_.source = &p; }

  BoundProgram run() {
    for (const Parameter& p : program_.parameters) bind(p.name, {new_slot(), Type::index, -1});
    for (std::size_t i = 0; i < program_.buffers.size(); ++i)
      buffers_.emplace(program_.buffers[i].name, static_cast<int>(i));
    for (const Expr& e : program_.requirements) out_.requirements.push_back(expression(e));
    out_.launches.emplace_back();
    std::size_t position = 0;
    has_threads_ = threads_from(position);
    for (const Stmt& s : program_.body) {
      ++position;
      if (s->kind == StmtKind::launch) {
        ++next_number_;
        begin_launch();
        has_threads_ = threads_from(position);
      } else {
        out_.launches.back().body.push_back(statement(s));
      }
    }
    out_.frame_size = next_slot_[0];
    for (BoundLaunch& l : out_.launches) {
      for (auto& s : l.body) number_slots(*s, l);
    }
    return std::move(out_);
  }

 private:
  // Variables are undefined in the new launch: it begins by declaring those of the launches before again, without values.
  void begin_launch() {
    BoundBlock undefined;
    for (const auto& s : out_.launches.back().body) {
      if (s->kind != StmtKind::declare) continue;
      auto again = std::make_unique<BoundStmt>();
      again->kind = s->kind;
      again->number = s->number;
      again->source = s->source;
      again->reference = s->reference;
      again->slot = s->slot;
      undefined.push_back(std::move(again));
    }
    out_.launches.emplace_back();
    out_.launches.back().body = std::move(undefined);
  }

  // Whether the launch that begins with that top-level statement has a @workgroup loop.
  bool threads_from(std::size_t position) const {
    for (; position < program_.body.size() && program_.body[position]->kind != StmtKind::launch; ++position) {
      if (has_loop(program_.body[position], {Axis::workgroup})) return true;
    }
    return false;
  }

  void bind(const Symbol& name, Binding b) {
    std::optional<Binding> before;
    if (const auto it = names_.find(name); it != names_.end()) before = it->second;
    undo_.emplace_back(name, before);
    names_[name] = b;
  }
  void leave(std::size_t mark) {
    while (undo_.size() > mark) {
      auto& [name, before] = undo_.back();
      if (before) {
        names_[name] = *before;
      } else {
        names_.erase(name);
      }
      undo_.pop_back();
    }
  }
  Slot new_slot() { return {static_cast<int>(next_slot_.size()) - 1, next_slot_.back()++}; }
  int new_variable(const Symbol& name) {
    out_.variables.push_back({&name, grid_depth_, false});
    return static_cast<int>(out_.variables.size()) - 1;
  }
  const Binding& find(const Symbol& name, bool variable) const {
    const auto it = names_.find(name);
    if (it == names_.end() || (it->second.variable >= 0) != variable) {
      throw Unresolved{fmt::format("no {} `{}` is in scope", variable ? "variable" : "loop symbol or parameter", name)};
    }
    return it->second;
  }
  int buffer(const Symbol& name, std::size_t indices, bool stores) {
    const auto it = buffers_.find(name);
    if (it == buffers_.end()) throw Unresolved{fmt::format("there is no buffer `{}`", name)};
    const Buffer& b = program_.buffers[static_cast<std::size_t>(it->second)];
    if (b.dims.size() != indices)
      throw Unresolved{fmt::format("`{}` has {} dimensions and is used with {} indices", name, b.dims.size(), indices)};
    if (stores && !is_writable(b.kind))
      throw Unresolved{fmt::format("`{}` is stored to, but is {}", name, assay::name(b.kind))};
    if (b.kind == BufferKind::shared || b.kind == BufferKind::local)
      out_.launches.back().private_buffers.insert(it->second);
    return it->second;
  }

  static void expect_type(const Symbol& name, Type wanted, Type found) {
    if (wanted != found)
      throw Unresolved{fmt::format("`{}` is {} and is used as {}", name, assay::name(wanted), assay::name(found))};
  }

  BoundIndex index(const Index& e) const {
    BoundIndex r{e.constant(), e.overflowed(), {}};
    for (const auto& [atom, coefficient] : e.terms()) {
      BoundIndexTerm t{coefficient, atom->kind, {}, {}, atom->divisor};
      if (atom->kind == IndexAtom::Kind::symbol) t.slot = find(atom->symbol, false).slot;
      for (const Index& a : atom->args) t.args.push_back(index(a));
      r.terms.push_back(std::move(t));
    }
    return r;
  }

  static Form form_of(const ExprNode& e) {
    switch (e.op) {
      case Op::literal: return Form::literal;
      case Op::index: return Form::index;
      case Op::variable: return Form::variable;
      case Op::load: return Form::load;
      case Op::convert: return Form::convert;
      case Op::choice: return Form::choice;
      case Op::land: return Form::land;
      case Op::lor: return Form::lor;
      case Op::scope: return Form::scope;
      case Op::select: return Form::select;
      default:
        return !e.args.empty() && e.args[0]->type == Type::index ? Form::index_operation : Form::scalar_operation;
    }
  }

  static bool defined_on_indices(Op op) {
    return (op >= Op::neg && op <= Op::mul) || (op >= Op::floordiv && op <= Op::min) || op == Op::abs;
  }

  BoundExpr expression(const Expr& source) {
    const ExprNode& e = *source;
    BoundExpr r;
    r.form = form_of(e);
    r.op = e.op;
    r.type = e.type;
    r.literal = e.literal;
    r.source = &e;
    if (e.op == Op::load) {
      r.reference = buffer(e.name, e.args.size(), false);
      expect_type(e.name, program_.buffers[static_cast<std::size_t>(r.reference)].type, e.type);
    } else if (e.op != Op::index && e.op != Op::variable && e.op != Op::literal && e.op != Op::scope &&
               e.args.size() != static_cast<std::size_t>(info(e.op).arity)) {
      throw Unresolved{fmt::format("an operation `{}` has {} operands", info(e.op).text, e.args.size())};
    }
    if (e.op == Op::index) r.index = index(e.index);
    if (e.op == Op::variable) {
      const Binding& b = find(e.name, true);
      expect_type(e.name, b.type, e.type);
      r.slot = b.slot;
      r.reference = b.variable;
    }
    for (const Expr& a : e.args) r.args.push_back(expression(a));
    if (r.form == Form::convert) r.function = numerics::find_convert(e.type, e.args[0]->type);
    if (r.form == Form::index_operation && !defined_on_indices(e.op)) {
      throw Unresolved{fmt::format("`{}` is not defined on index values", info(e.op).text)};
    }
    if (r.form == Form::scalar_operation) r.function = numerics::find(e.op, operation_type(e));
    if ((r.form == Form::convert || r.form == Form::scalar_operation) && r.function == nullptr) {
      throw Unresolved{fmt::format("`{}` is not defined at type {}", info(e.op).text, assay::name(e.args[0]->type))};
    }
    if (e.op == Op::scope) {
      const std::size_t mark = undo_.size();
      ++scope_depth_;
      r.slot = new_slot();
      r.reference = new_variable(e.name);
      bind(e.name, {r.slot, e.type, r.reference});
      r.body = block(e.body);
      leave(mark);
      --scope_depth_;
    }
    return r;
  }

  BoundBlock block(const Block& b) {
    const std::size_t mark = undo_.size();
    BoundBlock r;
    for (const Stmt& s : b) r.push_back(statement(s));
    leave(mark);
    return r;
  }

  std::unique_ptr<BoundStmt> statement(const Stmt& source) {
    const StmtNode& s = *source;
    auto r = std::make_unique<BoundStmt>();
    r->kind = s.kind;
    r->number = next_number_++;
    r->level = static_cast<int>(next_slot_.size()) - 1;
    r->loop = loop_;
    r->source = &s;
    for (const Expr& e : s.indices) r->indices.push_back(expression(e));
    if (s.value) r->value.push_back(expression(s.value));
    switch (s.kind) {
      case StmtKind::loop: loop(s, *r); break;
      case StmtKind::branch:
        r->body = block(s.body);
        r->other = block(s.other);
        break;
      case StmtKind::declare:
        r->slot = new_slot();
        r->reference = new_variable(s.name);
        bind(s.name, {r->slot, s.type, r->reference});
        if (s.value) expect_type(s.name, s.type, s.value->type);
        break;
      case StmtKind::assign: {
        const Binding& b = find(s.name, true);
        r->slot = b.slot;
        r->reference = b.variable;
        expect_type(s.name, b.type, s.value->type);
        BoundVariable& v = out_.variables[static_cast<std::size_t>(b.variable)];
        v.set_in_grid |= grid_depth_ > v.grid_depth;
        break;
      }
      case StmtKind::store:
        r->reference = buffer(s.name, s.indices.size(), true);
        expect_type(s.name, program_.buffers[static_cast<std::size_t>(r->reference)].type, s.value->type);
        break;
      case StmtKind::zero: {
        const Buffer* b = program_.find_buffer(s.name);
        r->reference = buffer(s.name, b == nullptr ? 0 : b->dims.size(), true);
        break;
      }
      case StmtKind::barrier:
        if (scope_depth_ > 0 || r->level > 0) throw Unresolved{"a barrier stands inside a scope or a vectorized loop"};
        out_.launches.back().rendezvous = true;
        break;
      case StmtKind::launch: throw Unresolved{"`launch` stands inside another statement"};
    }
    if (reordered_.count(r->number) != 0 && !r->value.empty() && s.kind != StmtKind::branch) watch(r->value[0], s);
    return r;
  }

  void loop(const StmtNode& s, BoundStmt& r) {
    if (s.step <= 0) throw Unresolved{fmt::format("the step of loop `{}` is {}", s.name, s.step)};
    const bool team = s.axis == Axis::tile && has_threads_;  // of threads (EXEC-75)
    r.axis = s.axis == Axis::tile && !team ? Axis::serial : s.axis;
    r.step = s.step;
    r.lo = index(s.lo);
    r.hi = index(team ? s.hi : canonical_end(s));
    const std::size_t mark = undo_.size();
    const BoundStmt* outer = loop_;
    loop_ = &r;
    if (s.axis == Axis::vectorized) {
      next_slot_.push_back(0);
      out_.levels = std::max(out_.levels, static_cast<int>(next_slot_.size()));
    }
    if (team) out_.launches.back().rendezvous = true;
    if ((is_hardware(s.axis) || team) && (scope_depth_ > 0 || r.level > 0)) {
      throw Unresolved{fmt::format("hardware loop `{}` stands inside a scope or a vectorized loop", s.name)};
    }
    if (s.axis == Axis::grid) ++grid_depth_;
    r.slot = new_slot();
    bind(s.name, {r.slot, Type::index, -1});
    r.body = block(s.body);
    if (team) lead(r.body, r);
    if (s.axis == Axis::reduce) {
      if (scope_depth_ > 0 || r.level > 0 || !stores_shared(r.body)) {
        r.axis = Axis::serial;
      } else {
        out_.launches.back().rendezvous = true;
        lead(r.body, r);
      }
    }
    if (s.axis == Axis::grid) --grid_depth_;
    if (s.axis == Axis::vectorized) {
      r.frame_size = next_slot_.back();
      next_slot_.pop_back();
    }
    loop_ = outer;
    leave(mark);
  }

  static void lead(const BoundBlock& b, const BoundStmt& loop) {
    for (const auto& s : b) {
      if (s->kind == StmtKind::store) s->team = &loop;
      lead(s->body, loop);
      lead(s->other, loop);
    }
  }

  // Whether a block stores to a cell that threads share.
  bool stores_shared(const BoundBlock& b) const {
    return std::any_of(b.begin(), b.end(), [&](const auto& s) {
      if (s->kind == StmtKind::store || s->kind == StmtKind::zero)
        return program_.buffers[static_cast<std::size_t>(s->reference)].kind != BufferKind::local;
      return stores_shared(s->body) || stores_shared(s->other);
    });
  }

  // Marks the operations between the root and each read of the statement's own target, with the trees of the same operator
  // that are joined on the way (a combination of partial results), and products of narrow types among what is joined; all
  // operations where the target is not read.
  static void watch(BoundExpr& value, const StmtNode& s) {
    value.watched = true;
    if (!watch_path(value, s)) watch_all(value);
  }
  static bool watch_path(BoundExpr& e, const StmtNode& s) {
    const Op read = s.kind == StmtKind::store ? Op::load : Op::variable;
    bool found = e.op == read && e.source->name == s.name;
    for (BoundExpr& a : e.args) found |= watch_path(a, s);
    e.watched |= found;
    if (found) {
      for (BoundExpr& a : e.args) watch_tree(a, e.op);
    }
    return found;
  }
  static void watch_tree(BoundExpr& e, Op op) {
    const bool product = e.op == Op::mul && is_float(e.type) && bit_width(e.type) <= 16;
    if (e.op != op && !product) return;
    e.watched = true;
    if (e.op != op) op = Op::mul;
    for (BoundExpr& a : e.args) watch_tree(a, op);
  }
  static void watch_all(BoundExpr& e) {
    e.watched = true;
    for (BoundExpr& a : e.args) watch_all(a);
  }

  static bool mentions(const BoundIndex& e, Slot s) {
    return std::any_of(e.terms.begin(), e.terms.end(), [&](const BoundIndexTerm& t) {
      return (t.kind == IndexAtom::Kind::symbol && t.slot.level == s.level && t.slot.index == s.index) ||
             std::any_of(t.args.begin(), t.args.end(), [&](const BoundIndex& a) { return mentions(a, s); });
    });
  }
  static bool bounds_mention(const BoundBlock& b, Slot symbol) {
    return std::any_of(b.begin(), b.end(), [&](const auto& s) {
      if (!s->has_hardware) return false;
      return (s->kind == StmtKind::loop && (mentions(s->lo, symbol) || mentions(s->hi, symbol))) ||
             bounds_mention(s->body, symbol) || bounds_mention(s->other, symbol);
    });
  }
  struct Depth {
    int grid = 0, group = 0;
  };
  // Slots of the hardware loops, innermost first (EXEC-12); the nesting depths below and including `s`.
  static Depth number_slots(BoundStmt& s, BoundLaunch& launch) {
    Depth d;
    for (BoundBlock* b : {&s.body, &s.other}) {
      for (auto& inner : *b) {
        const Depth below = number_slots(*inner, launch);
        d.grid = std::max(d.grid, below.grid);
        d.group = std::max(d.group, below.group);
      }
    }
    if (s.kind == StmtKind::loop) {
      const Axis axis = s.source->axis;
      if (axis == Axis::grid) s.hardware_slot = d.grid++;
      if (axis == Axis::workgroup || (axis == Axis::reduce && s.level == 0) || s.axis == Axis::tile)
        s.hardware_slot = d.group++;
    }
    s.has_hardware = d.grid + d.group > 0;
    if (s.kind == StmtKind::loop && s.has_hardware) s.bounds_inside = bounds_mention(s.body, s.slot);
    launch.grid_slots = std::max(launch.grid_slots, d.grid);
    launch.group_slots = std::max(launch.group_slots, d.group);
    return d;
  }

  const Program& program_;
  const std::set<int>& reordered_;
  BoundProgram out_;
  std::map<Symbol, int> buffers_;
  std::map<Symbol, Binding> names_;
  std::vector<std::pair<Symbol, std::optional<Binding>>> undo_;
  std::vector<int> next_slot_{0};  // per level
  int next_number_ = 0;
  int grid_depth_ = 0;
  int scope_depth_ = 0;
  bool has_threads_ = false;  // the launch has a @workgroup loop
  const BoundStmt* loop_ = nullptr;
};

}  // namespace

tl::expected<BoundProgram, std::string> resolve(const Program& p, const std::set<int>& reordered) {
  try {
    return Resolver(p, reordered).run();
  } catch (Unresolved& u) {
    return tl::make_unexpected(std::move(u.message));
  }
}

}  // namespace assay::interp
