// Every operation and conversion at every type in compiled code, against the interpreter's arithmetic.
//
// One program per type holds all operations, so that the compiler runs few times. Operands are all pairs of special values
// and random ones; the unary operations of the 16-bit floats see every value.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <random>

#include "interp/numerics.hpp"
#include "ir/literal.hpp"
#include "ir/typing.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

std::vector<Op> operations(int arity) {
  std::vector<Op> out;
  for (int i = static_cast<int>(Op::neg); i < static_cast<int>(Op::select); ++i) {
    const Op op = static_cast<Op>(i);
    if (info(op).arity == arity) out.push_back(op);
  }
  return out;
}

bool is_transcendental(Op op) { return (op >= Op::exp && op <= Op::tanh) || op == Op::rsqrt || op == Op::pow; }

std::string name_of(Op op) { return fmt::format("r{}", static_cast<int>(op)); }

/// Applies every operation of the arity that exists at `t` to the columns a, b, c of operands.
struct Table {
  Type type;
  int arity;
  std::vector<Op> ops{};
  std::vector<std::vector<Scalar>> columns{};

  Table(Type t, int n) : type(t), arity(n), columns(static_cast<std::size_t>(n)) {
    for (const Op op : operations(n)) {
      const bool promised = t != Type::f64 || !is_transcendental(op);
      if (is_defined(op, t) && promised) ops.push_back(op);
    }
  }
  void add(std::initializer_list<std::uint64_t> bits) {
    std::size_t c = 0;
    for (const std::uint64_t b : bits) columns[c++].push_back({type, b});
  }
  std::int64_t rows() const { return static_cast<std::int64_t>(columns.front().size()); }
};

bool faults(Op op, const Scalar* operands) { return op >= Op::floordiv && op <= Op::eucmod && operands[1].bits == 0; }

void compare(const Table& table) {
  Program p;
  p.name = "table";
  TensorMap inputs;
  const Index rows(table.rows());
  const auto buffer = [&](const std::string& buffer_name, BufferKind kind, Type t) {
    Buffer b;
    b.name = buffer_name;
    b.kind = kind;
    b.type = t;
    b.dims = {rows};
    p.buffers.push_back(b);
  };
  const Expr row = make_index(Index::symbol("i"));
  std::vector<Expr> operands;
  for (int c = 0; c < table.arity; ++c) {
    const std::string column(1, static_cast<char>('a' + c));
    buffer(column, BufferKind::input, table.type);
    operands.push_back(make_load(column, table.type, {row}));
    Tensor t(table.type, {table.rows()});
    for (std::int64_t r = 0; r < table.rows(); ++r)
      t.set(r, table.columns[static_cast<std::size_t>(c)][static_cast<std::size_t>(r)]);
    inputs.emplace(column, std::move(t));
  }
  Block body;
  for (const Op op : table.ops) {
    const Type result = is_comparison(op) ? Type::boolean : table.type;
    buffer(name_of(op), BufferKind::output, result);
    Stmt s = make_store(name_of(op), {row}, make_op(op, operands));
    if (op >= Op::floordiv && op <= Op::eucmod) {
      s = make_branch(make_op(Op::ne, {operands[1], make_literal({table.type, 0})}), {s},
                      {make_store(name_of(op), {row}, make_literal({table.type, 0}))});
    }
    body.push_back(s);
  }
  p.body = {make_loop("i", 0, rows, 1, Axis::serial, body)};
  const KernelOutcome out = compile_and_run(p, {}, inputs);
  ASSERT_EQ(out.status, KernelOutcome::Status::ok) << name(table.type) << ": " << out.message;
  for (const Op op : table.ops) {
    const Tensor& actual = out.outputs.at(name_of(op));
    const auto apply = numerics::find(op, table.type);
    ASSERT_NE(apply, nullptr) << info(op).text;
    int wrong = 0;
    for (std::int64_t r = 0; r < table.rows() && wrong < 3; ++r) {
      Scalar x[3];
      for (std::size_t c = 0; c < table.columns.size(); ++c) x[c] = table.columns[c][static_cast<std::size_t>(r)];
      if (faults(op, x)) continue;
      numerics::Flags flags;
      const Scalar expected = apply(x, flags);
      if (same_value(expected, actual.get(r))) continue;
      ++wrong;
      ADD_FAILURE() << fmt::format("{} at {}: operands {:#x} {:#x} {:#x}: expected {:#x}, got {:#x}", info(op).text,
                                   name(table.type), x[0].bits, x[1].bits, x[2].bits, expected.bits,
                                   actual.get(r).bits);
    }
    RULE_EQ(is_transcendental(op) ? "CGEN-17" : "CGEN-16", 0, wrong);
  }
}

std::uint64_t mask(Type t) { return bit_width(t) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit_width(t)) - 1; }

/// Bit patterns at which something happens: zeros, ones, ends, ties, subnormals, infinities, NaN.
std::vector<std::uint64_t> special(Type t) {
  std::vector<std::uint64_t> out;
  if (t == Type::boolean) return {0, 1};
  if (is_float(t)) {
    for (const char* text : {"0", "1", "0.5", "1.5", "2", "3", "2.5", "0.75", "100", "7", "1e-5", "65504", "65520",
                             "0.1", "10.7", "16777217", "3e38"}) {
      const Scalar v =
          literal_from_float(
              t, std::string(text).find_first_of(".e") == std::string::npos ? std::string(text) + ".0" : text)
              .value_or(canonical_nan(t));
      out.push_back(v.bits);
    }
    const std::uint64_t inf = has_infinity(t) ? infinity(t, false).bits : canonical_nan(t).bits;
    const int fraction = t == Type::f8e4m3fn ? 3 : std::countr_zero(inf);
    for (const std::uint64_t b :
         {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, (std::uint64_t{1} << fraction) - 1,
          std::uint64_t{1} << fraction, inf - 1, inf, inf + 1, inf | (std::uint64_t{1} << (fraction - 1)),
          (inf / 2 & ~((std::uint64_t{1} << fraction) - 1)) + 1}) {
      out.push_back(b);
    }
    const std::uint64_t sign = std::uint64_t{1} << (bit_width(t) - 1);
    for (std::size_t i = 0, n = out.size(); i < n; ++i) out.push_back(out[i] | sign);
  } else {
    const IntRange range = int_range(t);
    for (const Int128 v :
         {Int128{0}, Int128{1}, Int128{2}, Int128{3}, Int128{7}, Int128{10}, Int128{-1}, Int128{-2}, Int128{-3},
          Int128{-7}, range.lo, range.lo + 1, range.hi, range.hi - 1, range.hi / 2, range.hi / 2 + 1, range.lo / 2}) {
      out.push_back(wrap_int(t, v).bits);
    }
  }
  return out;
}

/// A random pattern: any bits, or a float of moderate size, so that results are neither all tiny nor all infinite.
class Random {
 public:
  explicit Random(Type t) : type_(t) {}
  std::uint64_t operator()() {
    const std::uint64_t bits = engine_() & mask(type_);
    if (!is_float(type_) || engine_() % 3 == 0) return bits;
    const double moderate =
        std::ldexp(static_cast<double>(engine_() >> 11) * 0x1p-53 + 0.5, static_cast<int>(engine_() % 12) - 6);
    return literal_from_float(type_, fmt::format("{}{:a}", engine_() % 2 == 0 ? "" : "-", moderate))
        .value_or(Scalar{type_, bits})
        .bits;
  }

 private:
  Type type_;
  std::mt19937_64 engine_{20240607};
};

class Numbers : public testing::TestWithParam<Type> {};
class Unary : public Numbers {};
class Ternary : public Numbers {};

TEST_P(Unary, EveryOperation) {
  Table table(GetParam(), 1);
  for (const std::uint64_t a : special(GetParam())) table.add({a});
  Random random(GetParam());
  if (bit_width(GetParam()) <= 16) {
    for (std::uint64_t a = 0; a <= mask(GetParam()); ++a) table.add({a});
  } else {
    for (int n = 0; n < 40000; ++n) table.add({random()});
  }
  compare(table);
}

TEST_P(Numbers, EveryBinaryOperation) {
  Table table(GetParam(), 2);
  auto values = special(GetParam());
  if (bit_width(GetParam()) == 8 && GetParam() != Type::boolean) {  // every pair, divisions by −1 among them
    values.clear();
    for (std::uint64_t a = 0; a < 256; ++a) values.push_back(a);
  }
  for (const std::uint64_t a : values) {
    for (const std::uint64_t b : values) table.add({a, b});
  }
  Random random(GetParam());
  for (int n = 0; n < 40000 && GetParam() != Type::boolean; ++n) {
    const std::uint64_t a = random();
    table.add({a, random()});
  }
  // Powers that are ties, or representable, or close to 1.
  const auto add = [&](double a, double b) {
    const auto bits = [&](double v) {
      return literal_from_float(GetParam(), fmt::format("{:a}", v)).value_or(canonical_nan(GetParam())).bits;
    };
    if (is_float(GetParam())) table.add({bits(a), bits(b)});
  };
  for (int m = 3; m < 8192; m += m < 300 ? 2 : 62) {
    for (const double power : {2.0, 3.0, -1.0, -2.0, 0.5, 1.5}) add(m, power);
    for (const double power : {0.5, 0.25, 1.5, 0.75}) add(static_cast<double>(m) * m, power);
  }
  for (int e = -12; e < 13; ++e) {
    for (const double base : {1 + 0x1p-23, 1 - 0x1p-24, 1 + 0x1p-10, 1 - 0x1p-11, 1 + 0x1p-7, 1 - 0x1p-8})
      add(base, std::ldexp(1.5, e)), add(base, std::ldexp(-1, 2 * e));
  }
  compare(table);
}

TEST_P(Ternary, EveryOperation) {
  Table table(GetParam(), 3);
  const auto values = special(GetParam());
  for (const std::uint64_t a : values) {
    for (const std::uint64_t b : values) {
      for (const std::uint64_t c : values) table.add({a, b, c});
    }
  }
  Random random(GetParam());
  for (int n = 0; n < 40000; ++n) {
    const std::uint64_t a = random(), b = random();
    table.add({a, b, random()});
  }
  compare(table);
}

TEST_P(Numbers, Conversions) {
  const Type from = GetParam();
  Program p;
  p.name = "conversions";
  std::vector<std::uint64_t> values = special(from);
  Random random(from);
  if (bit_width(from) <= 16 && from != Type::boolean) {
    for (std::uint64_t a = 0; a <= mask(from); ++a) values.push_back(a);
  } else if (from != Type::boolean) {
    for (int n = 0; n < 20000; ++n) values.push_back(random());
    // Integers around the ties of narrow floats, and floats around the ends of integers.
    for (int n = 0; n < 20000 && !is_float(from); ++n) {
      const std::uint64_t step = std::uint64_t{1}
                                 << (static_cast<unsigned>(n) % static_cast<unsigned>(bit_width(from)));
      values.push_back((random() / step * step + random() % 3 - 1) & mask(from));
    }
  }
  const Index rows(static_cast<std::int64_t>(values.size()));
  const auto buffer = [&](const std::string& buffer_name, BufferKind kind, Type t) {
    Buffer b;
    b.name = buffer_name;
    b.kind = kind;
    b.type = t;
    b.dims = {rows};
    p.buffers.push_back(b);
  };
  buffer("a", BufferKind::input, from);
  const Expr row = make_index(Index::symbol("i"));
  Block body;
  for (const Type to : scalar_types) {
    buffer("to_" + std::string(name(to)), BufferKind::output, to);
    body.push_back(make_store("to_" + std::string(name(to)), {row}, make_convert(to, make_load("a", from, {row}))));
  }
  p.body = {make_loop("i", 0, rows, 1, Axis::serial, body)};
  const KernelOutcome out = compile_and_run(p, {}, {{"a", tensor_of_bits(from, values)}});
  ASSERT_EQ(out.status, KernelOutcome::Status::ok) << out.message;
  for (const Type to : scalar_types) {
    const Tensor& actual = out.outputs.at("to_" + std::string(name(to)));
    int wrong = 0;
    for (std::size_t r = 0; r < values.size() && wrong < 3; ++r) {
      numerics::Flags flags;
      const Scalar expected = numerics::convert(to, {from, values[r]}, flags);
      if (same_value(expected, actual.get(static_cast<std::int64_t>(r)))) continue;
      ++wrong;
      ADD_FAILURE() << fmt::format("{} to {}: {:#x}: expected {:#x}, got {:#x}", name(from), name(to), values[r],
                                   expected.bits, actual.get(static_cast<std::int64_t>(r)).bits);
    }
    RULE_EQ("CGEN-16", 0, wrong);
  }
}

constexpr Type floats[] = {Type::f64, Type::f32, Type::f16, Type::bf16, Type::f8e5m2, Type::f8e4m3fn};
const auto arithmetic = scalar_types.subspan(1);  // all but bool
std::string type_name(const testing::TestParamInfo<Type>& parameter) { return std::string(name(parameter.param)); }
INSTANTIATE_TEST_SUITE_P(Types, Numbers, testing::ValuesIn(scalar_types.begin(), scalar_types.end()), type_name);
INSTANTIATE_TEST_SUITE_P(Types, Unary, testing::ValuesIn(arithmetic.begin(), arithmetic.end()), type_name);
INSTANTIATE_TEST_SUITE_P(Types, Ternary, testing::ValuesIn(floats), type_name);

}  // namespace
}  // namespace assay::codegen::test
