// Expressions: operators of C where they mean the same, helpers elsewhere.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/c/emitter.hpp"
#include "codegen/device/device.hpp"
#include "ir/typing.hpp"

namespace assay::codegen {

std::string Emitter::symbol_text(const Symbol& s) {
  const auto lane = per_lane_.find(s);
  return lane == per_lane_.end() ? names_.of(s) : lane->second;
}

Text Emitter::index(const Index& e) {
  return c_index(
      e, [this](const Symbol& s) { return symbol_text(s); }, helpers_);
}

Text Emitter::cells(const Buffer& b) {
  // One constant factor: constants are ints in C, and a product of two could overflow there.
  Index constant(1);
  std::vector<Text> factors;
  for (const Index& d : b.dims) {
    if (d.is_constant() && !(constant * d.constant()).overflowed()) {
      constant = constant * d.constant();
    } else {
      factors.push_back(index(d));
    }
  }
  if (factors.empty() || !(constant == Index(1))) factors.push_back(index(constant));
  Text product = factors.front();
  for (std::size_t i = 1; i < factors.size(); ++i) {
    product = {within(product, Binding::product) + " * " + within(factors[i], Binding::unary), Binding::product};
  }
  return product;
}

Text Emitter::offset(const Symbol& buffer, const std::vector<Expr>& indices) {
  const Buffer* b = program_.find_buffer(buffer);
  Text at{"0"};
  std::optional<Index> known = Index(0);  // the offset so far while it is a constant, which C must not compute in int
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const Expr& e = indices[d];
    const Index& extent = b->dims[d];
    Text position = expression(e);
    if (e->op != Op::index && e->type != Type::i64)
      position = {"(int64_t)" + within(position, Binding::unary), Binding::unary};
    Text scaled{within(at, Binding::product) + " * " + within(index(extent), Binding::unary), Binding::product};
    if (known && extent.is_constant()) {
      known = *known * extent.constant();
      scaled = index(*known);
    } else if (known && !(*known == Index(0))) {
      known.reset();
    }
    if (known && e->op == Op::index && e->index.is_constant()) {
      known = *known + e->index;
      at = index(*known);
    } else {
      const bool nothing_before = known && *known == Index(0);
      at = nothing_before ? position : Text{scaled.s + " + " + within(position, Binding::product), Binding::sum};
      known.reset();
    }
  }
  if (b->swizzle == Swizzle::none) return at;
  return {fmt::format("{}({}, {}, {})", helpers_.use("swizzled"), at.s, b->dims.back().constant(),
                      swizzle_unit(b->swizzle, b->type))};
}

Text Emitter::expression(const Expr& e) {
  switch (e->op) {
    case Op::literal: return c_literal(e->literal);
    case Op::index: return index(e->index);
    case Op::variable: return {symbol_text(e->name)};
    case Op::load: {
      const std::string at = offset(e->name, e->args).s;
      return {names_.of(e->name) + "[" + at + "]"};
    }
    case Op::convert: return conversion(e->type, e->args.front());
    case Op::choice: {
      const std::string condition = within(expression(e->args[0]), Binding::disjunction);
      const std::string chosen = within(expression(e->args[1]), Binding::disjunction);
      return {condition + " ? " + chosen + " : " + within(expression(e->args[2]), Binding::disjunction),
              Binding::conditional};
    }
    case Op::scope: return scope(e);
    default: return operation(e);
  }
}

namespace {

struct Infix {
  Binding left, right, result;
};

// How C's own operators bind their operands; a comparison's operands and those of && and || are kept visibly apart.
std::optional<Infix> infix(Op op) {
  if (is_comparison(op)) return Infix{Binding::sum, Binding::sum, Binding::comparison};
  switch (op) {
    case Op::mul:
    case Op::div: return Infix{Binding::product, Binding::unary, Binding::product};
    case Op::add:
    case Op::sub: return Infix{Binding::sum, Binding::product, Binding::sum};
    case Op::land: return Infix{Binding::conjunction, Binding::comparison, Binding::conjunction};
    case Op::lor: return Infix{Binding::comparison, Binding::comparison, Binding::disjunction};
    default: return std::nullopt;
  }
}

}  // namespace

namespace {

// Whether a compiler may know the value: nothing of the program's state is in it.
bool folds(const Expr& e) {
  switch (e->op) {
    case Op::literal: return true;
    case Op::index: return e->index.is_constant();
    case Op::variable:
    case Op::load:
    case Op::scope: return false;
    default: return std::all_of(e->args.begin(), e->args.end(), [](const Expr& a) { return folds(a); });
  }
}

}  // namespace

namespace {

// The intrinsic of CUDA that rounds to nearest and is never contracted (CUDA-4); empty where there is none.
std::string_view rounding_call(Op op, Type t) {
  if (t != Type::f32 && t != Type::f64) return {};
  const bool wide = t == Type::f64;
  switch (op) {
    case Op::add: return wide ? "__dadd_rn" : "__fadd_rn";
    case Op::sub: return wide ? "__dsub_rn" : "__fsub_rn";
    case Op::mul: return wide ? "__dmul_rn" : "__fmul_rn";
    case Op::div: return wide ? "__ddiv_rn" : "__fdiv_rn";
    default: return {};
  }
}

}  // namespace

Text Emitter::operation(const Expr& e) {
  if (e->op == Op::f8e5m2_sat) return rounding_conversion("f8e5m2_sat_from_f64", e->args.front());
  if (e->op == Op::f8e4m3fn_nosat) return rounding_conversion("f8e4m3fn_from_f64", e->args.front());
  const Type t = operation_type(*e);
  if (is_cuda(dialect_)) {
    if (const std::string_view call = rounding_call(e->op, t); !call.empty())
      return {fmt::format("{}({}, {})", call, expression(e->args[0]).s, expression(e->args[1]).s)};
  }
  if (is_native(e->op, t)) {
    if (const auto form = infix(e->op)) {
      const bool logical = e->op == Op::land || e->op == Op::lor;
      const auto side = [&](const Expr& a) { return logical ? expression(a) : operand(a); };
      std::string left = within(side(e->args[0]), form->left);
      // tcc folds in long double, and rounds a sum of constants twice; it does not look into functions.
      if (dialect_ == Dialect::tcc && t == Type::f64 && !is_comparison(e->op) && folds(e->args[0]))
        left = helpers_.use("unfolded") + "(" + left + ")";
      return {fmt::format("{} {} {}", left, info(e->op).text, within(side(e->args[1]), form->right)), form->result};
    }
    return {std::string(info(e->op).text) + within(expression(e->args[0]), Binding::primary), Binding::unary};
  }
  std::string call = helpers_.use(e->op, t) + "(";
  for (std::size_t i = 0; i < e->args.size(); ++i) call += (i == 0 ? "" : ", ") + operand(e->args[i]).s;
  return {call + ")"};
}

Text Emitter::operand(const Expr& e) {
  const bool flag = is_comparison(e->op) || e->op == Op::land || e->op == Op::lor || e->op == Op::lnot ||
                    (e->op == Op::convert && e->type == Type::boolean);
  if (dialect_ != Dialect::tcc || !flag) return expression(e);
  // tcc keeps a comparison in the processor's flags, and loses it when a later operand is a statement expression.
  return {fmt::format("{}({})", helpers_.use("flag"), expression(e).s)};
}

namespace {

/// Types whose values C carries as their bits and computes with as doubles.
bool is_narrow(Type t) { return is_float(t) && bit_width(t) <= 16; }

}  // namespace

Text Emitter::conversion(Type to, const Expr& source) {
  const Type from = source->type;
  const Text x = operand(source);
  const auto cast = [&](Type t, const Text& value) {
    // tcc takes an int8_t for a uint16_t as it is.
    const bool by_way = dialect_ == Dialect::tcc && from == Type::i8 && t == Type::u16;
    return Text{fmt::format("({}){}{}", c_type(t), by_way ? "(int64_t)" : "", within(value, Binding::unary)),
                Binding::unary};
  };
  if (to == from) return x;
  const bool narrow_source = is_narrow(from);
  if (to == Type::boolean) {
    if (narrow_source)
      return {fmt::format("({} & {}) != 0", within(x, Binding::unary), is_f8(from) ? "0x7f" : "0x7fff"),
              Binding::comparison};
    return {within(x, Binding::sum) + " != 0", Binding::comparison};
  }
  const Text value =
      narrow_source ? Text{fmt::format("{}({})", helpers_.use("f64_from_" + std::string(name(from))), x.s)} : x;
  if (to == Type::f64) return narrow_source ? value : cast(to, value);
  if (to == Type::f32) return cast(to, value);
  if (!is_float(to)) {
    if (!is_float(from)) return cast(to, value);
    return {fmt::format("{}({})", helpers_.use(std::string(name(to)) + "_from_f64"), value.s)};
  }
  return rounding_conversion(to == Type::f8e4m3fn ? "f8e4m3fn_sat_from_f64" : std::string(name(to)) + "_from_f64",
                             source);
}

// A conversion to a float type narrower than f32 by the helper that rounds a double.
Text Emitter::rounding_conversion(const std::string& helper, const Expr& source) {
  const Type from = source->type;
  const Text x = operand(source);
  const Text value =
      is_narrow(from) ? Text{fmt::format("{}({})", helpers_.use("f64_from_" + std::string(name(from))), x.s)} : x;
  const bool wide_integer = from == Type::i64 || from == Type::u64 || from == Type::index;
  const std::string exact =
      wide_integer ? fmt::format("{}({})", helpers_.use(from == Type::u64 ? "odd_from_u64" : "odd_from_i64"), value.s)
                   : value.s;
  return {fmt::format("{}({})", helpers_.use(helper), exact)};
}

Text Emitter::scope(const Expr& e) {
  Lanes* const lanes = std::exchange(lanes_, nullptr);
  const std::string inner = indented([&] {
    line(fmt::format("{} {};", c_type(e->type), names_.of(e->name)));
    block(e->body);
    line(names_.of(e->name) + ";");
  });
  lanes_ = lanes;
  return {"({\n" + inner + std::string(static_cast<std::size_t>(2 * depth_), ' ') + "})"};
}

}  // namespace assay::codegen
