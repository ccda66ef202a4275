// Builds trees top down: every construct asks for parts of the type and form that well-formedness demands there, so nothing
// is ever thrown away. What encloses a statement is carried along, as in ir/well_formed.cpp, but to choose, not to check.
#include "random_program.hpp"

#include <algorithm>
#include <bit>
#include <random>

#include "ir/literal.hpp"
#include "ir/tensor.hpp"
#include "ir/typing.hpp"

namespace assay::test {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// 0 … n - 1.
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  std::uint64_t bits() { return engine_(); }
  template <typename C>
  const auto& pick(const C& c) {
    return c[static_cast<std::size_t>(below(static_cast<int>(std::size(c))))];
  }

 private:
  std::mt19937_64 engine_;
};

Index make_random_index(Random& r, const std::vector<Symbol>& symbols, int depth) {
  if (symbols.empty() || r.one_in(6)) return Index(r.below(40) - 10);
  if (depth == 0) return Index::symbol(r.pick(symbols));
  const auto part = [&] { return make_random_index(r, symbols, depth - 1); };
  switch (r.below(9)) {
    case 0: return part() + part();
    case 1: return part() - part();
    case 2: return part() * (r.below(9) - 4);
    case 3: return floordiv(part(), 1 + r.below(8));
    case 4: return floormod(part(), 1 + r.below(8));
    case 5: return ceildiv(part(), 1 + r.below(8));
    case 6: return min({part(), part()});
    case 7: return max({part(), part(), part()});
    default: return Index::symbol(r.pick(symbols));
  }
}

class Generator {
 public:
  Generator(std::uint64_t seed, int size) : r_(seed), budget_(size) {}
  Program program();

 private:
  struct Variable {
    Symbol name;
    Type type;
    int hardware;
    int scope;
  };
  struct Context {
    bool top_level = true, workgroup = false, vectorized = false;
    int hardware = 0, slots = 0, scope = 0, depth = 0;
  };

  Symbol fresh() { return names_.fresh(r_.pick(stems)); }
  Type any_type() { return r_.pick(storage_types); }
  Type scalar_type() { return scalar_types[static_cast<std::size_t>(r_.below(static_cast<int>(scalar_types.size())))]; }
  Scalar scalar(Type t);
  void declarations(Program& p);
  Expr requirement(int depth);

  Block block(Context c);
  Stmt statement(const Context& c);
  Stmt loop(const Context& c);
  Stmt reduction(const Context& c);
  Stmt product();
  Stmt declare(const Context& c);
  Stmt simple(const Context& c);
  Stmt store(const Context& c);

  Expr expression(Type t, int depth, const Context& c);
  Expr leaf(Type t, const Context& c);
  Expr operation(Type t, int depth, const Context& c);
  Expr signature(Type t, int depth, const Context& c);
  Expr condition(int depth, const Context& c);
  Expr index_value(int depth, const Context& c);
  Expr scope(Type t, const Context& c);
  std::vector<Expr> subscripts(const Buffer& b, const Context& c);

  static constexpr const char* stems[] = {"i", "j", "k", "acc", "t", "x_1", "Q"};

  Random r_;
  int budget_;
  NameSupply names_{{}};
  std::vector<Buffer> buffers_{};
  std::vector<Symbol> parameters_{};
  std::vector<Symbol> symbols_{};  // visible parameters and loop symbols
  std::vector<Variable> variables_{};
  int scopes_ = 0;
  bool tiles_ = r_.one_in(4);  // tile products, and no threads beside them
};

Scalar Generator::scalar(Type t) {
  if (t == Type::boolean) return bool_scalar(r_.one_in(2));
  Scalar s{t, r_.one_in(2) ? r_.bits() : static_cast<std::uint64_t>(r_.below(3))};
  if (r_.one_in(3) && is_float(t)) s = *literal_from_integer(t, r_.below(200) - 100);
  if (bit_width(t) < 64) s.bits &= (std::uint64_t{1} << bit_width(t)) - 1;
  return is_nan(s) ? canonical_nan(t) : s;
}

void Generator::declarations(Program& p) {
  for (int n = r_.below(3); n > 0; --n) {
    const std::int64_t lo = r_.below(10) - 3;
    p.parameters.push_back({fresh(), lo, lo + 1 + r_.below(50)});
    parameters_.push_back(p.parameters.back().name);
  }
  symbols_ = parameters_;
  for (int n = r_.below(3); n > 0; --n) p.requirements.push_back(requirement(2));
  constexpr BufferKind kinds[] = {BufferKind::input,  BufferKind::inout, BufferKind::output,  BufferKind::temp,
                                  BufferKind::shared, BufferKind::local, BufferKind::constant};
  for (int n = 1 + r_.below(6); n > 0; --n) {
    Buffer b;
    b.name = fresh();
    b.kind = n == 1 ? BufferKind::inout : r_.pick(kinds);
    const bool constant = b.kind == BufferKind::constant;
    b.type = constant ? scalar_type() : any_type();
    std::int64_t cells = 1;
    for (int rank = r_.below(4); rank > 0; --rank) {
      b.dims.push_back(constant || r_.one_in(2) ? Index(r_.below(constant ? 3 : 40))
                                                : make_random_index(r_, parameters_, 2) * 2 + 1);
      if (b.dims.back().is_constant() && b.dims.back().constant() < 0) b.dims.back() = Index(7);
      cells *= b.dims.back().constant();
    }
    for (std::int64_t i = 0; constant && i < cells; ++i) b.data.push_back(scalar(b.type));
    if (b.kind == BufferKind::input && is_int(b.type) && r_.one_in(2)) {
      const IntRange all = int_range(b.type);
      b.range = r_.one_in(3) ? std::pair(all.lo, all.hi + 1) : std::pair(Int128{3}, Int128{3 + 1 + r_.below(100)});
    }
    const bool placed = b.kind == BufferKind::temp || b.kind == BufferKind::shared || b.kind == BufferKind::local;
    if (placed && b.dims.size() > 1 && r_.one_in(2)) {
      b.swizzle = r_.one_in(2) ? Swizzle::elem : Swizzle::b128;
      b.dims.back() = Index((1 + r_.below(9)) * swizzle_unit(b.swizzle, b.type));
    }
    buffers_.push_back(b);
  }
  p.buffers = buffers_;
}

Expr Generator::requirement(int depth) {
  if (depth == 0 || r_.one_in(3)) {
    const auto side = [&] { return make_index(make_random_index(r_, parameters_, 2)); };
    return r_.one_in(8) ? make_literal(bool_scalar(r_.one_in(2)))
                        : make_op(static_cast<Op>(static_cast<int>(Op::eq) + r_.below(6)), {side(), side()});
  }
  const auto part = [&] { return requirement(depth - 1); };
  switch (r_.below(3)) {
    case 0: return make_op(Op::land, {part(), part()});
    case 1: return make_op(Op::lor, {part(), part()});
    default: return make_op(Op::lnot, {part()});
  }
}

Program Generator::program() {
  Program p;
  p.name = "random";
  declarations(p);
  p.body = block({});
  return p;
}

Block Generator::block(Context c) {
  const std::size_t variables = variables_.size();
  Block b;
  for (int n = r_.below(5) + (c.top_level ? 3 : 0); n > 0 && budget_ > 0; --n) b.push_back(statement(c));
  variables_.resize(variables);
  return b;
}

Stmt Generator::statement(const Context& c) {
  --budget_;
  Context inner = c;
  inner.top_level = false;
  ++inner.depth;
  const bool deep = c.depth >= 5;
  switch (r_.below(10)) {
    case 0:
    case 1:
    case 2:
      if (deep) break;
      if (!tiles_ && c.slots < 3 && r_.one_in(6)) return reduction(c);
      if (tiles_ && c.scope == 0 && !c.vectorized && r_.one_in(3)) return product();
      return loop(c);
    case 3: {
      if (deep) break;
      Expr e = condition(3, c);
      Block then = block(inner);
      return make_branch(std::move(e), std::move(then), r_.one_in(2) ? block(inner) : Block{});
    }
    case 4:
    case 5: return declare(c);
    case 6:
      if (c.top_level && r_.one_in(2)) return make_launch();
      if (c.workgroup && !c.vectorized && c.scope == 0) return make_barrier();
      break;
    default: break;
  }
  return simple(c);
}

Stmt Generator::loop(const Context& c) {
  constexpr Axis axes[] = {Axis::serial, Axis::serial, Axis::unrolled, Axis::vectorized, Axis::grid, Axis::workgroup};
  Axis axis = r_.pick(axes);
  if (is_hardware(axis) && (c.vectorized || c.scope != 0)) axis = Axis::serial;
  if (axis == Axis::workgroup && (c.slots == 3 || tiles_)) axis = Axis::grid;
  Context inner = c;
  inner.top_level = false;
  ++inner.depth;
  inner.hardware += is_hardware(axis) ? 1 : 0;
  inner.slots += axis == Axis::workgroup ? 1 : 0;
  inner.workgroup = c.workgroup || axis == Axis::workgroup;
  inner.vectorized = c.vectorized || axis == Axis::vectorized;
  const Symbol symbol = fresh();
  const Index lo = make_random_index(r_, symbols_, 2);
  const Index hi = make_random_index(r_, symbols_, 3);
  symbols_.push_back(symbol);
  Block body = block(inner);
  symbols_.pop_back();
  return make_loop(symbol, lo, hi, r_.one_in(3) ? 1 + r_.below(5) : 1, axis, std::move(body));
}

// One accumulation into the inout buffer, which is the last one declared.
Stmt Generator::reduction(const Context& c) {
  const Buffer& b = buffers_.back();
  std::vector<Expr> cell;
  for (std::size_t i = 0; i < b.dims.size(); ++i) cell.push_back(make_index(make_random_index(r_, symbols_, 1)));
  const Expr element = make_load(b.name, b.type, cell);
  const Symbol symbol = fresh();
  symbols_.push_back(symbol);
  const Index amount = make_random_index(r_, symbols_, 2);
  const Expr term = b.type == Type::u32x4 ? Expr() : make_convert(b.type, make_index(amount));
  symbols_.pop_back();
  static_cast<void>(c);
  if (b.type == Type::boolean || b.type == Type::u32x4 || c.scope != 0)
    return make_loop(symbol, 0, 3, 1, Axis::unrolled, {});
  constexpr Op ops[] = {Op::add, Op::mul, Op::max, Op::min};
  const Expr value = r_.one_in(4) && is_float(b.type) ? make_op(Op::fma, {term, term, element})
                     : r_.one_in(3)                   ? make_op(r_.pick(ops), {term, element})
                                                      : make_op(r_.pick(ops), {element, term});
  return make_loop(symbol, 0, Index(2 + r_.below(9)), 1, Axis::reduce, {make_store(b.name, cell, value)});
}

// A tile product into the inout buffer, which is the last one declared; nothing where no buffer can be a factor.
Stmt Generator::product() {
  const Buffer& sum = buffers_.back();
  std::vector<Buffer> factors;
  std::copy_if(buffers_.begin(), buffers_.end() - 1, std::back_inserter(factors),
               [](const Buffer& b) { return b.dims.size() >= 2 && b.type != Type::u32x4; });
  if (factors.empty() || sum.dims.size() < 2 || sum.type == Type::boolean || sum.type == Type::u32x4)
    return make_loop(fresh(), 0, 3, 1, Axis::unrolled, {});
  const Symbol lane = fresh();
  const std::vector<Symbol> loops{fresh(), fresh(), fresh()};
  const auto cell = [&](std::size_t rank, const Symbol& first, const Symbol& last) {
    std::vector<Expr> at;
    const std::size_t row = static_cast<std::size_t>(r_.below(static_cast<int>(rank) - 1));
    for (std::size_t d = 0; d < rank; ++d) {
      Index e = make_random_index(r_, symbols_, 1);
      if (d == row) e = e + Index::symbol(first);
      if (d + 1 == rank) e = e + Index::symbol(last);
      at.push_back(make_index(e));
    }
    return at;
  };
  const auto factor = [&](Symbol first, Symbol last) {
    if (r_.one_in(3)) std::swap(first, last);
    const Buffer& b = r_.pick(factors);
    const Expr element = make_load(b.name, b.type, cell(b.dims.size(), first, last));
    return b.type == sum.type && r_.one_in(2) ? element : make_convert(sum.type, element);
  };
  const std::vector<Expr> at = cell(sum.dims.size(), loops[0], loops[1]);
  const Expr element = make_load(sum.name, sum.type, at);
  Expr a = factor(loops[0], loops[2]), b = factor(loops[2], loops[1]);
  if (r_.one_in(2)) std::swap(a, b);
  Block body{make_store(sum.name, at,
                        is_float(sum.type) && r_.one_in(2) ? make_op(Op::fma, {a, b, element})
                        : r_.one_in(2)                     ? make_op(Op::add, {make_op(Op::mul, {a, b}), element})
                                                           : make_op(Op::add, {element, make_op(Op::mul, {a, b})}))};
  std::vector<Symbol> order = loops;
  std::swap(order[static_cast<std::size_t>(r_.below(3))], order[static_cast<std::size_t>(r_.below(3))]);
  for (const Symbol& s : order) {
    if (r_.one_in(4))
      body = {make_branch(make_op(Op::lt, {make_index(Index::symbol(s)), make_index(Index(5))}), std::move(body))};
    body = {make_loop(s, make_random_index(r_, symbols_, 1), make_random_index(r_, symbols_, 1), 1, Axis::serial,
                      std::move(body))};
  }
  return make_loop(lane, 0, Index(1 + r_.below(40)), 1, Axis::tile, std::move(body));
}

Stmt Generator::declare(const Context& c) {
  const Type t = any_type();
  Expr value = r_.one_in(4) ? Expr() : expression(t, 3, c);
  const Symbol name = fresh();
  variables_.push_back({name, t, c.hardware, c.scope});
  return make_declare(name, t, std::move(value));
}

Stmt Generator::simple(const Context& c) {
  std::vector<Variable> assignable;
  std::copy_if(variables_.begin(), variables_.end(), std::back_inserter(assignable),
               [&](const Variable& v) { return v.scope == c.scope && v.hardware == c.hardware; });
  if (!assignable.empty() && (c.scope != 0 || r_.one_in(3))) {
    const Variable v = r_.pick(assignable);
    return make_assign(v.name, expression(v.type, 4, c));
  }
  if (c.scope != 0) return declare(c);
  return store(c);
}

Stmt Generator::store(const Context& c) {
  std::vector<Buffer> writable;
  std::copy_if(buffers_.begin(), buffers_.end(), std::back_inserter(writable),
               [](const Buffer& b) { return is_writable(b.kind); });
  const Buffer& b = r_.pick(writable);
  if (r_.one_in(8)) return make_zero(b.name);
  std::vector<Expr> at = subscripts(b, c);
  Expr value = expression(b.type, 4, c);
  // Half of the time an update of the same cell, when its subscripts bind nothing.
  std::vector<Expr> plain;
  for (std::size_t i = 0; i < at.size(); ++i) plain.push_back(make_index(make_random_index(r_, symbols_, 2)));
  constexpr Op ops[] = {Op::add, Op::mul, Op::max, Op::min};
  if (b.type != Type::boolean && b.type != Type::u32x4 && r_.one_in(2)) {
    value = make_op(r_.pick(ops), {make_load(b.name, b.type, plain), value});
    at = std::move(plain);
  }
  return make_store(b.name, std::move(at), std::move(value));
}

std::vector<Expr> Generator::subscripts(const Buffer& b, const Context& c) {
  std::vector<Expr> out;
  for (std::size_t i = 0; i < b.dims.size(); ++i) {
    constexpr Type integers[] = {Type::i8, Type::i32, Type::i64, Type::u8, Type::u64};
    --budget_;
    out.push_back(r_.one_in(5) && budget_ > 0 ? expression(r_.pick(integers), 2, c) : index_value(1, c));
  }
  return out;
}

// Affine most of the time, else computed at run time.
Expr Generator::index_value(int depth, const Context& c) {
  if (depth == 0 || !r_.one_in(8)) return make_index(make_random_index(r_, symbols_, 2));
  const auto part = [&] { return index_value(depth - 1, c); };
  return make_op(r_.one_in(2) ? Op::choice : Op::select, {condition(1, c), part(), part()});
}

Expr Generator::leaf(Type t, const Context& c) {
  std::vector<Variable> readable;
  std::copy_if(variables_.begin(), variables_.end(), std::back_inserter(readable),
               [&](const Variable& v) { return v.type == t; });
  if (!readable.empty() && r_.one_in(2)) return make_variable(r_.pick(readable).name, t);
  for (const Buffer& b : buffers_) {
    if (b.type == t && budget_ > 0 && r_.one_in(3)) return make_load(b.name, t, subscripts(b, c));
  }
  if (t == Type::u32x4) {
    std::vector<Expr> words;
    for (int i = 0; i < 4; ++i) words.push_back(make_literal(scalar(Type::u32)));
    return make_op(Op::block, std::move(words));
  }
  if (r_.one_in(4)) return make_convert(t, make_index(make_random_index(r_, symbols_, 1)));
  return make_literal(scalar(t));
}

Expr Generator::expression(Type t, int depth, const Context& c) {
  --budget_;
  if (depth <= 0 || budget_ <= 0 || r_.one_in(6)) return leaf(t, c);
  if (t == Type::boolean && !r_.one_in(4)) return condition(depth, c);
  switch (r_.below(8)) {
    case 0:
      if (t == Type::u32x4) return leaf(t, c);
      return make_convert(t, expression(scalar_type(), depth - 1, c));
    case 1:
      return make_op(r_.one_in(2) ? Op::choice : Op::select,
                     {condition(depth - 1, c), expression(t, depth - 1, c), expression(t, depth - 1, c)});
    case 2: return c.depth < 4 && r_.one_in(2) ? scope(t, c) : leaf(t, c);
    default: return operation(t, depth, c);
  }
}

// An operation whose operands have types of their own, or a conversion with a name, that gives `t`.
Expr Generator::signature(Type t, int depth, const Context& c) {
  const auto block = [&] { return expression(Type::u32x4, depth - 1, c); };
  constexpr Type numbers[] = {Type::f32, Type::i16, Type::f8e5m2};
  const auto number = [&] { return expression(r_.pick(numbers), depth - 1, c); };
  const auto word = [&] { return expression(Type::u32, depth - 1, c); };
  if (t == Type::u32x4) {
    if (r_.one_in(3)) return make_op(Op::block, {word(), word(), word(), word()});
    return make_op(r_.one_in(2) ? Op::threefry_crypto : Op::threefry_light, {block(), block()});
  }
  if (t == Type::u32 && r_.one_in(2)) return make_op(Op::word, {block(), word()});
  if (t == Type::f8e5m2 && r_.one_in(2)) return make_op(Op::f8e5m2_sat, {number()});
  if (t == Type::f8e4m3fn && r_.one_in(2)) return make_op(Op::f8e4m3fn_nosat, {number()});
  if (r_.one_in(2)) return make_op(Op::uniform, t, {block()});
  return make_op(Op::uniform_lane, t, {block(), word()});
}

Expr Generator::operation(Type t, int depth, const Context& c) {
  if (t == Type::u32x4 || (t != Type::boolean && r_.one_in(8))) return signature(t, depth, c);
  std::vector<Op> ops;
  for (int i = static_cast<int>(Op::neg); i <= static_cast<int>(Op::pow); ++i) {
    const Op op = static_cast<Op>(i);
    if (!is_comparison(op) && is_defined(op, t)) ops.push_back(op);
  }
  if (ops.empty()) return leaf(t, c);
  // Operators come up as often as functions.
  constexpr Op operators[] = {Op::neg, Op::add, Op::sub, Op::mul, Op::div};
  Op op = r_.pick(ops);
  if (r_.one_in(2)) op = r_.pick(operators);
  if (!is_defined(op, t)) op = ops[0];
  std::vector<Expr> args;
  for (int i = 0; i < info(op).arity; ++i) args.push_back(expression(t, depth - 1, c));
  return make_op(op, std::move(args));
}

Expr Generator::condition(int depth, const Context& c) {
  --budget_;
  if (depth <= 0 || budget_ <= 0) return leaf(Type::boolean, c);
  const auto part = [&] { return condition(depth - 1, c); };
  const Op comparison = static_cast<Op>(static_cast<int>(Op::eq) + r_.below(6));
  switch (r_.below(6)) {
    case 0: return make_op(Op::land, {part(), part()});
    case 1: return make_op(Op::lor, {part(), part()});
    case 2: return make_op(Op::lnot, {part()});
    case 3: return make_op(comparison, {index_value(1, c), index_value(1, c)});
    default: {
      const Type t = any_type();
      const Op op = is_defined(comparison, t) ? comparison : Op::ne;
      return make_op(op, {expression(t, depth - 1, c), expression(t, depth - 1, c)});
    }
  }
}

Expr Generator::scope(Type t, const Context& c) {
  Context inner = c;
  inner.top_level = false;
  inner.scope = ++scopes_;
  ++inner.depth;
  const Symbol name = fresh();
  variables_.push_back({name, t, c.hardware, inner.scope});
  Block body = block(inner);
  body.push_back(make_assign(name, leaf(t, c)));
  variables_.pop_back();
  return make_scope(name, t, std::move(body));
}

}  // namespace

Program random_program(std::uint64_t seed, int size) { return Generator(seed, size).program(); }

Index random_index(std::uint64_t seed, const std::vector<Symbol>& symbols, int depth) {
  Random r(seed);
  return make_random_index(r, symbols, depth);
}

}  // namespace assay::test
