// From the code of a serial loop of a thread to a nest, where it can be one.
#include <algorithm>
#include <limits>

#include "interp/compiled/compiler.hpp"
#include "interp/compiled/nest.hpp"

namespace assay::interp::compiled {
namespace {

// Thrown inside this file only.
struct NoNest {};

class NestPlanner {
 public:
  std::shared_ptr<NestCode> run(const Node& outer) {
    try {
      loop(outer, -1);
      return std::make_shared<NestCode>(std::move(code_));
    } catch (NoNest&) {
      return nullptr;
    }
  }

 private:
  int loop(const Node& n, int outer) {
    const Axis axis = n.source->axis;
    const bool vectorized = axis == Axis::vectorized;
    if ((axis != Axis::serial && axis != Axis::unrolled && !vectorized) || lanes_ >= 0) throw NoNest{};
    if (outer >= 0 && (moves(n.lo) || moves(n.hi))) throw NoNest{};
    const int number = static_cast<int>(code_.loops.size());
    code_.loops.emplace_back();
    const auto self = [&]() -> NestLoop& { return code_.loops[static_cast<std::size_t>(number)]; };
    self().lo = n.lo;
    self().hi = n.hi;
    self().step = n.source->step;
    self().symbol = n.symbol.slot;
    self().outer = outer;
    self().most = n.strip ? shortest_strip : std::numeric_limits<std::uint64_t>::max();
    const std::size_t first_stream = code_.streams.size();
    if (vectorized) {
      self().lanes = &n.lanes;
      self().most = enough_lanes;
      lanes_ = number;
    }
    for (const Node& s : n.body) {
      NestItem item;
      if (s.kind == StmtKind::loop) {
        item.loop = loop(s, number);
        self().cost += 1;
      } else {
        leaf(s, item, self().cost);
      }
      self().body.push_back(std::move(item));
    }
    if (vectorized) {
      apart(first_stream);
      lanes_ = -1;
    }
    return number;
  }

  // Lanes that run one after the other do what they do together where a stored cell is that of one lane: its index, which
  // changes from lane to lane, is the index of every access to the buffer.
  void apart(std::size_t first_stream) const {
    for (std::size_t i = first_stream; i < code_.streams.size(); ++i) {
      for (std::size_t j = first_stream; j < code_.streams.size(); ++j) {
        const NestStream &x = code_.streams[i], &y = code_.streams[j];
        if (!x.store || x.access->buffer != y.access->buffer) continue;
        if (x.dims.empty()) throw NoNest{};
        for (std::size_t d = 0; d < x.dims.size(); ++d) {
          if (!same(*x.dims[d].index, *y.dims[d].index)) throw NoNest{};
        }
      }
    }
  }
  static bool same(const IndexCode& x, const IndexCode& y) {
    return x.constant == y.constant && x.atoms.empty() && y.atoms.empty() &&
           std::equal(x.symbols.begin(), x.symbols.end(), y.symbols.begin(), y.symbols.end(),
                      [](const SymbolTerm& a, const SymbolTerm& b) {
                        return a.coefficient == b.coefficient && a.symbol.depth == b.symbol.depth &&
                               a.symbol.slot == b.symbol.slot;
                      });
  }

  void leaf(const Node& n, NestItem& item, std::uint64_t& cost) {
    if ((n.kind != StmtKind::store && n.kind != StmtKind::assign && n.kind != StmtKind::declare) || n.ordered)
      throw NoNest{};
    cost += 1 + n.address_cost;
    columns_.clear();
    int result = -1;
    for (const Instruction& i : n.value.code) {
      cost += i.cost;
      result = instruction(i, item);
    }
    if (n.kind == StmtKind::store) {
      item.target = stream(n.target, true);
    } else {
      if (n.variable.depth != 0) throw NoNest{};
      item.target = variable(n.variable);
    }
    ++code_.pointers;
    if (n.value.code.empty()) return;
    item.state = defined_state;
    // Steps may read what they write; loops over lanes may not.
    const Instruction& last = n.value.code.back();
    if (last.code == Code::kernel && item.ops.back().kind == NestOp::Kind::step) {
      item.ops.back().out = item.target;
    } else {
      NestOp copy;
      copy.step = find_copy(last.types.out);
      copy.out = item.target;
      copy.a = result;
      item.ops.push_back(copy);
    }
    fuse(item);
    code_.pointers += 5 * item.ops.size() + item.reads.size();
  }

  // The operand that holds the result.
  int instruction(const Instruction& i, NestItem& item) {
    int at = 0;
    switch (i.code) {
      case Code::literal:
        code_.literals.push_back(i.literal);
        at = operand(NestOperand::Kind::literal, static_cast<int>(code_.literals.size()) - 1);
        break;
      case Code::variable:
      case Code::outer:
        at = variable(i.variable);
        item.reads.push_back(at);
        break;
      case Code::load:
        at = stream(*i.access, false);
        item.reads.push_back(at);
        break;
      case Code::index:
        code_.values.push_back(line(*i.index));
        at = operand(NestOperand::Kind::value, static_cast<int>(code_.values.size()) - 1);
        break;
      case Code::kernel:
      case Code::divide: {
        NestOp op;
        op.a = column(i.a);
        if (i.types.arity > 1) op.b = column(i.b);
        if (i.types.arity > 2) op.c = column(i.c);
        if (i.types.arity > 3) op.d = column(i.d);
        op.kind = i.code == Code::divide ? NestOp::Kind::divide : NestOp::Kind::kernel;
        op.kernel = i.kernel;
        op.types = i.types;
        if (i.code == Code::kernel && i.source->form == Form::scalar_operation && i.types.arity == 2) {
          op.step = find_step(i.op, i.types.operand);
          if (op.step != nullptr) op.kind = NestOp::Kind::step;
        }
        at = op.out = operand(NestOperand::Kind::column, i.out);
        item.ops.push_back(op);
        break;
      }
      default: throw NoNest{};
    }
    columns_[i.out] = at;
    return at;
  }

  // A product that only the sum behind it reads is part of that sum.
  void fuse(NestItem& item) {
    if (item.ops.size() < 2) return;
    NestOp &last = item.ops.back(), &before = item.ops[item.ops.size() - 2];
    const bool sum = last.kind == NestOp::Kind::step && last.step == find_step(Op::add, last.types.operand);
    const bool product = before.kind == NestOp::Kind::step && before.step == find_step(Op::mul, before.types.operand);
    if (!sum || !product || before.types.operand != last.types.operand || last.types.arity != 2) return;
    if ((last.a == before.out) == (last.b == before.out)) return;
    NestOp fused = before;
    fused.c = last.a == before.out ? last.b : last.a;
    fused.out = last.out;
    fused.step = find_multiply_add(last.types.operand);
    item.ops.pop_back();
    item.ops.back() = fused;
  }

  int column(int c) const {
    const auto it = columns_.find(c);
    if (it == columns_.end()) throw NoNest{};
    return it->second;
  }
  int operand(NestOperand::Kind kind, int number) {
    code_.operands.push_back({kind, number, lanes_});
    return static_cast<int>(code_.operands.size()) - 1;
  }
  int variable(Reference r) {
    code_.operands.push_back({NestOperand::Kind::variable, r.slot, r.depth == 0 ? lanes_ : -1});
    return static_cast<int>(code_.operands.size()) - 1;
  }
  int stream(const Access& access, bool store) {
    if (access.computed) throw NoNest{};
    NestStream s{&access, store, {}};
    for (const Dimension& d : access.dims) s.dims.push_back(line(d.index));
    code_.streams.push_back(std::move(s));
    return operand(NestOperand::Kind::stream, static_cast<int>(code_.streams.size()) - 1);
  }

  // The loop of the nest whose symbol it is; null where it is none of them.
  const NestLoop* loop_of(Reference r) const {
    const bool of_lane = lanes_ >= 0 && r.depth == 0;
    for (std::size_t l = 0; l < code_.loops.size(); ++l) {
      const NestLoop& loop = code_.loops[l];
      if (loop.symbol == r.slot && (of_lane ? static_cast<int>(l) == lanes_ : loop.lanes == nullptr)) return &loop;
    }
    return nullptr;
  }
  bool moves(const IndexCode& e) const {
    return std::any_of(e.symbols.begin(), e.symbols.end(),
                       [&](const SymbolTerm& t) { return loop_of(t.symbol) != nullptr; }) ||
           std::any_of(e.atoms.begin(), e.atoms.end(), [&](const AtomTerm& t) {
             return std::any_of(t.args.begin(), t.args.end(), [&](const IndexCode& a) { return moves(a); });
           });
  }
  NestLine line(const IndexCode& e) const {
    NestLine r{&e, lanes_, {}};
    if (e.overflowed) throw NoNest{};
    for (const AtomTerm& t : e.atoms) {
      if (std::any_of(t.args.begin(), t.args.end(), [&](const IndexCode& a) { return moves(a); })) throw NoNest{};
    }
    for (const NestLoop& l : code_.loops) {
      std::int64_t along = 0;
      for (const SymbolTerm& t : e.symbols) {
        if (loop_of(t.symbol) == &l && __builtin_mul_overflow(t.coefficient, l.step, &along)) throw NoNest{};
      }
      r.along.push_back(along);
    }
    return r;
  }

  static constexpr std::uint8_t defined_state = 1;
  static constexpr std::uint64_t enough_lanes = 24;
  NestCode code_{};
  int lanes_ = -1;                // the vectorized loop in work
  std::map<int, int> columns_{};  // of the leaf in work: operands by column
};

}  // namespace

std::shared_ptr<NestCode> plan_nest(const Node& loop) { return NestPlanner().run(loop); }

}  // namespace assay::interp::compiled
