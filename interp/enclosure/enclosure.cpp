// A walk of the resolved program in which values are ranges. It follows spec/execution.md for serial code, lanes and groups
// that run one after the other; every choice has to be the same for all values of a range.
#include "interp/enclosure/enclosure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "interp/resolved.hpp"
#include "ir/literal.hpp"

namespace assay::interp::enclosure {
namespace {

struct Undecided {
  std::string why;
};

struct Value {
  Range range{};
  bool is_defined = false;
};
using Frame = std::vector<Value>;
using Lane = std::vector<Frame*>;  // by level
using Lanes = std::vector<Lane>;

struct Memory {
  const Buffer* buffer = nullptr;
  std::vector<std::int64_t> dims{};
  std::vector<Value> cells{};
};

class Walk {
 public:
  Walk(const BoundProgram& program, const TensorMap& inputs, const Options& options)
      : program_(program), budget_(options.budget), frame_(static_cast<std::size_t>(program.frame_size)) {
    for (std::size_t i = 0; i < program.source->parameters.size(); ++i) {
      const auto it = options.parameters.find(program.source->parameters[i].name);
      if (it == options.parameters.end()) throw Undecided{"a parameter has no value"};
      frame_[i] = {exactly(index_scalar(it->second)), true};
    }
    for (const Buffer& b : program.source->buffers) set_up(b, inputs, options.parameters);
  }

  void run() {
    Lanes thread{{&frame_}};
    for (const BoundLaunch& l : program_.launches) {
      if (l.group_slots > 0 || l.rendezvous) throw Undecided{"it has threads"};
      block(l.body, thread);
    }
  }
  std::uint64_t operations() const { return operations_; }
  void take(Enclosure& into) const {
    for (const Memory& m : memory_) {
      if (!is_observed(m.buffer->kind)) continue;
      std::vector<Range>& out = into.outputs[m.buffer->name];
      for (const Value& v : m.cells) {
        if (!v.is_defined) throw Undecided{"an output is undefined"};
        out.push_back(v.range);
      }
    }
  }

 private:
  void set_up(const Buffer& b, const TensorMap& inputs, const ParameterMap& parameters) {
    Memory m;
    m.buffer = &b;
    const auto dims = shape(b, parameters);
    if (!dims) throw Undecided{"a buffer has no shape"};
    m.dims = *dims;
    std::int64_t size = 1;
    for (std::int64_t d : m.dims) size *= d;
    if (size > std::int64_t{1} << 22) throw Undecided{"a buffer is too large"};
    m.cells.resize(static_cast<std::size_t>(size));
    const auto it = inputs.find(b.name);
    for (std::size_t i = 0; i < m.cells.size(); ++i) {
      if (b.kind == BufferKind::constant) {
        m.cells[i] = {exactly(b.data[i]), true};
      } else if (is_defined_on_entry(b.kind)) {
        if (it == inputs.end() || it->second.size() != size) throw Undecided{"an input is missing"};
        m.cells[i] = {exactly(it->second.get(static_cast<std::int64_t>(i))), true};
      }
    }
    memory_.push_back(std::move(m));
  }

  void count(std::size_t n) {
    operations_ += n;
    if (operations_ > budget_) throw Undecided{"it takes more operations than the budget has"};
  }

  void block(const BoundBlock& b, const Lanes& lanes) {
    for (const auto& s : b) statement(*s, lanes);
  }

  void statement(const BoundStmt& s, const Lanes& lanes) {
    if (lanes.empty()) return;
    count(lanes.size());
    switch (s.kind) {
      case StmtKind::store:
      case StmtKind::assign:
      case StmtKind::declare: leaf(s, lanes); break;
      case StmtKind::zero:
        for (Value& v : memory_[static_cast<std::size_t>(s.reference)].cells)
          v = {exactly({memory_[static_cast<std::size_t>(s.reference)].buffer->type, {}}), true};
        break;
      case StmtKind::branch: {
        Lanes arms[2];
        for (const Lane& l : lanes) arms[truth(evaluate(s.value[0], l)) ? 0 : 1].push_back(l);
        block(s.body, arms[0]);
        block(s.other, arms[1]);
        break;
      }
      case StmtKind::loop: loop(s, lanes); break;
      default: throw Undecided{"it has threads"};
    }
  }

  // All lanes evaluate, then all store.
  void leaf(const BoundStmt& s, const Lanes& lanes) {
    std::vector<std::pair<Value*, Value>> pending;
    for (const Lane& l : lanes) {
      Value* target = s.kind == StmtKind::store ? &cell(s.reference, s.indices, l) : &at(s.slot, l);
      Value v;
      if (!s.value.empty()) v = {evaluate(s.value[0], l), true};
      pending.emplace_back(target, v);
    }
    for (auto& [target, v] : pending) *target = v;
  }

  void loop(const BoundStmt& s, const Lanes& lanes) {
    struct Trips {
      std::int64_t lower;
      std::uint64_t count;
    };
    std::vector<Trips> trips;
    std::uint64_t most = 0;
    for (const Lane& l : lanes) {
      const std::int64_t lo = index(s.lo, l), hi = index(s.hi, l);
      trips.push_back({lo, lo >= hi ? 0
                                    : (static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) - 1) /
                                              static_cast<std::uint64_t>(s.step) +
                                          1});
      most = std::max(most, trips.back().count);
    }
    const auto symbol = [&](std::size_t lane, std::uint64_t k) {
      return Value{exactly(index_scalar(static_cast<std::int64_t>(static_cast<std::uint64_t>(trips[lane].lower) +
                                                                  k * static_cast<std::uint64_t>(s.step)))),
                   true};
    };
    if (s.axis == Axis::vectorized) {
      std::vector<std::unique_ptr<Frame>> frames;
      Lanes inner;
      for (std::size_t l = 0; l < lanes.size(); ++l) {
        for (std::uint64_t k = 0; k < trips[l].count; ++k) {
          count(1);
          frames.push_back(std::make_unique<Frame>(static_cast<std::size_t>(s.frame_size)));
          inner.push_back(lanes[l]);
          inner.back().resize(static_cast<std::size_t>(s.slot.level));
          inner.back().push_back(frames.back().get());
          at(s.slot, inner.back()) = symbol(l, k);
        }
      }
      block(s.body, inner);
      return;
    }
    for (std::uint64_t k = 0; k < most; ++k) {
      Lanes active;
      for (std::size_t l = 0; l < lanes.size(); ++l) {
        if (trips[l].count <= k) continue;
        at(s.slot, lanes[l]) = symbol(l, k);
        active.push_back(lanes[l]);
      }
      count(active.size());
      block(s.body, active);
    }
  }

  static Value& at(Slot s, const Lane& l) {
    return (*l[static_cast<std::size_t>(s.level)])[static_cast<std::size_t>(s.index)];
  }

  Value& cell(int buffer, const std::vector<BoundExpr>& indices, const Lane& l) {
    Memory& m = memory_[static_cast<std::size_t>(buffer)];
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const Range r = evaluate(indices[d], l);
      if (!r.is_exact) throw Undecided{"an index depends on a range"};
      const Int128 i = int_value(r.value);
      if (i < 0 || i >= m.dims[d]) throw Undecided{"an access is outside"};
      flat = flat * m.dims[d] + static_cast<std::int64_t>(i);
    }
    return m.cells[static_cast<std::size_t>(flat)];
  }

  static bool truth(const Range& r) { return r.value.bits != 0; }

  Range read(const Value& v) const {
    if (!v.is_defined) throw Undecided{"something undefined is read"};
    return v.range;
  }

  Range evaluate(const BoundExpr& e, const Lane& l) {
    count(1);
    switch (e.form) {
      case Form::literal: return exactly(e.literal);
      case Form::index: return exactly(index_scalar(index(e.index, l)));
      case Form::variable: return read(at(e.slot, l));
      case Form::load: return read(cell(e.reference, e.args, l));
      case Form::choice: return evaluate(e.args[truth(evaluate(e.args[0], l)) ? 1 : 2], l);
      case Form::land: {
        const Range first = evaluate(e.args[0], l);
        return truth(first) ? evaluate(e.args[1], l) : first;
      }
      case Form::lor: {
        const Range first = evaluate(e.args[0], l);
        return truth(first) ? first : evaluate(e.args[1], l);
      }
      case Form::select: {
        const Range condition = evaluate(e.args[0], l), first = evaluate(e.args[1], l), second = evaluate(e.args[2], l);
        return truth(condition) ? first : second;
      }
      case Form::scope: {
        at(e.slot, l).is_defined = false;
        block(e.body, {l});
        return read(at(e.slot, l));
      }
      case Form::index_operation: return index_operation(e, l);
      case Form::convert: return decided(convert(e.type, evaluate(e.args[0], l)), e);
      case Form::scalar_operation: break;
    }
    Range operands[3];
    for (std::size_t k = 0; k < e.args.size(); ++k) operands[k] = evaluate(e.args[k], l);
    return decided(apply(e.op, e.args[0].type, operands), e);
  }

  static Range decided(const std::optional<Range>& r, const BoundExpr& e) {
    if (!r) {
      throw Undecided{
          fmt::format("`{}` has no one value on a range", e.form == Form::convert ? name(e.type) : info(e.op).text)};
    }
    return *r;
  }

  Range index_operation(const BoundExpr& e, const Lane& l) {
    const Int128 a = int_value(evaluate(e.args[0], l).value);
    const Int128 b = e.args.size() > 1 ? int_value(evaluate(e.args[1], l).value) : 0;
    if (e.op >= Op::floordiv && e.op <= Op::eucmod && b == 0) throw Undecided{"it divides by zero"};
    const auto floor = [&] { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); };
    const auto rest = [&] { return a % b < 0 ? a % b + (b < 0 ? -b : b) : a % b; };
    Int128 r = 0;
    switch (e.op) {
      case Op::eq: return exactly(bool_scalar(a == b));
      case Op::ne: return exactly(bool_scalar(a != b));
      case Op::lt: return exactly(bool_scalar(a < b));
      case Op::le: return exactly(bool_scalar(a <= b));
      case Op::gt: return exactly(bool_scalar(a > b));
      case Op::ge: return exactly(bool_scalar(a >= b));
      case Op::neg: r = -a; break;
      case Op::abs: r = a < 0 ? -a : a; break;
      case Op::add: r = a + b; break;
      case Op::sub: r = a - b; break;
      case Op::mul: r = a * b; break;
      case Op::floordiv: r = floor(); break;
      case Op::floormod: r = a - floor() * b; break;
      case Op::ceildiv: r = a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0); break;
      case Op::truncdiv: r = a / b; break;
      case Op::truncmod: r = a % b; break;
      case Op::eucmod: r = rest(); break;
      case Op::eucdiv: r = (a - rest()) / b; break;
      case Op::max: r = std::max(a, b); break;
      default: r = std::min(a, b); break;
    }
    return exactly(index_scalar(within(r)));
  }

  static std::int64_t within(Int128 v) {
    if (v < std::numeric_limits<std::int64_t>::min() || v > std::numeric_limits<std::int64_t>::max())
      throw Undecided{"an index value leaves int64"};
    return static_cast<std::int64_t>(v);
  }

  std::int64_t index(const BoundIndex& e, const Lane& l) const {
    if (e.overflowed) throw Undecided{"an index value leaves int64"};
    Int128 sum = e.constant;
    for (const BoundIndexTerm& t : e.terms) {
      std::int64_t v = 0;
      if (t.kind == IndexAtom::Kind::symbol) {
        v = signed_value(at(t.slot, l).range.value);
      } else {
        bool first = true;
        for (const BoundIndex& a : t.args) {
          const std::int64_t x = index(a, l);
          switch (t.kind) {
            case IndexAtom::Kind::floordiv: v = floor_div(x, t.divisor); break;
            case IndexAtom::Kind::floormod: v = floor_mod(x, t.divisor); break;
            case IndexAtom::Kind::min: v = first ? x : std::min(v, x); break;
            default: v = first ? x : std::max(v, x); break;
          }
          first = false;
        }
      }
      if (__builtin_add_overflow(sum, static_cast<Int128>(v) * t.coefficient, &sum))
        throw Undecided{"an index value leaves int64"};
    }
    return within(sum);
  }

  const BoundProgram& program_;
  std::uint64_t budget_, operations_ = 0;
  Frame frame_;
  std::vector<Memory> memory_{};
};

}  // namespace

Enclosure enclose(const Program& p, const TensorMap& inputs, const Options& options) {
  Enclosure out;
  const auto program = resolve(p, {});
  if (!program) {
    out.undecided = program.error();
    return out;
  }
  try {
    Walk walk(*program, inputs, options);
    walk.run();
    walk.take(out);
    out.operations = walk.operations();
  } catch (Undecided& u) {
    out.outputs.clear();
    out.undecided = std::move(u.why);
  }
  return out;
}

std::optional<Escape> find_escape(const Enclosure& e, const TensorMap& executed) {
  for (const auto& [buffer, t] : executed) {
    const auto it = e.outputs.find(buffer);
    if (it == e.outputs.end()) continue;
    for (std::int64_t i = 0; i < t.size(); ++i) {
      const Range& r = it->second[static_cast<std::size_t>(i)];
      if (!contains(r, t.get(i))) return Escape{buffer, unflatten(i, t.dims), r, t.get(i)};
    }
  }
  return std::nullopt;
}

std::string text(const Range& r) {
  if (r.is_exact) return to_text(r.value);
  if (r.lo > r.hi) return "nan";
  return fmt::format("[{}, {}]{}", r.lo, r.hi, r.may_be_nan ? " or nan" : "");
}

}  // namespace assay::interp::enclosure
