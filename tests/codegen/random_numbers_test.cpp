// Blocks, random functions and the conversions with a name in compiled code, against the interpreter's arithmetic.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <random>

#include "interp/interpreter.hpp"
#include "interp/numerics.hpp"
#include "ir/typing.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

Buffer buffer(std::string name, BufferKind kind, Type t, std::vector<Index> dims) {
  Buffer b;
  b.name = std::move(name);
  b.kind = kind;
  b.type = t;
  b.dims = std::move(dims);
  return b;
}
Expr at(const char* name, Type t) { return make_load(name, t, {make_index(Index::symbol("i"))}); }

/// Runs `value` for every i and compares with numerics on the operands that `operands(i)` gives.
template <typename Operands>
int differences(Program p, const Expr& value, const TensorMap& inputs, std::int64_t rows, Operands operands) {
  p.buffers.push_back(buffer("r", BufferKind::output, value->type, {Index(rows)}));
  p.body = {
      make_loop("i", 0, Index(rows), 1, Axis::serial, {make_store("r", {make_index(Index::symbol("i"))}, value)})};
  const KernelOutcome out = compile_and_run(p, {}, inputs);
  EXPECT_EQ(out.status, KernelOutcome::Status::ok) << out.message;
  if (out.status != KernelOutcome::Status::ok) return -1;
  const auto function = numerics::find(value->op, operation_type(*value));
  int wrong = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::array<Scalar, 4> x = operands(i);
    numerics::Flags flags;
    wrong += same_value(function(x.data(), flags), out.outputs.at("r").get(i)) ? 0 : 1;
  }
  return wrong;
}

class RandomNumbers : public testing::Test {
 protected:
  static constexpr std::int64_t rows = 4000;
  RandomNumbers() {
    p_.name = "blocks";
    std::mt19937_64 engine(19);
    for (const char* name : {"a", "b"}) {
      p_.buffers.push_back(buffer(name, BufferKind::input, Type::u32x4, {Index(rows)}));
      Tensor t(Type::u32x4, {rows});
      for (std::int64_t i = 0; i < rows; ++i) {
        const std::uint64_t low = engine();
        t.set(i, {Type::u32x4,
                  i == 0   ? 0
                  : i == 1 ? ~std::uint64_t{0}
                           : low,
                  i == 0   ? 0
                  : i == 1 ? ~std::uint64_t{0}
                           : engine()});
      }
      if (*name == 'b') {
        for (std::int64_t i = 2; i < rows; i += 3) t.set(i, inputs_.at("a").get(i));
      }
      inputs_.emplace(name, std::move(t));
    }
    p_.buffers.push_back(buffer("k", BufferKind::input, Type::u32, {Index(rows)}));
    Tensor k(Type::u32, {rows});
    for (std::int64_t i = 0; i < rows; ++i) k.set(i, {Type::u32, i % 7 == 0 ? engine() & 0xffffffff : engine() % 20});
    inputs_.emplace("k", std::move(k));
  }
  Scalar input(const char* name, std::int64_t i) const { return inputs_.at(name).get(i); }

  Program p_{};
  TensorMap inputs_{};
};

TEST_F(RandomNumbers, BlocksAndMixing) {
  const Expr a = at("a", Type::u32x4), b = at("b", Type::u32x4), k = at("k", Type::u32);
  const auto two = [&](std::int64_t i) { return std::array<Scalar, 4>{input("a", i), input("b", i)}; };
  for (const Op op : {Op::threefry_crypto, Op::threefry_light, Op::eq, Op::ne})
    RULE_TRUE("CGEN-16", differences(p_, make_op(op, {a, b}), inputs_, rows, two) == 0) << info(op).text;
  RULE_EQ("CGEN-16", 0, differences(p_, make_op(Op::word, {a, k}), inputs_, rows, [&](std::int64_t i) {
            return std::array<Scalar, 4>{input("a", i), input("k", i)};
          }));
  const Expr two_k = make_op(Op::add, {k, k}), last = make_op(Op::word, {b, k});
  RULE_EQ("CGEN-16", 0, differences(p_, make_op(Op::block, {k, two_k, k, last}), inputs_, rows, [&](std::int64_t i) {
            const Scalar x = input("k", i), twice{Type::u32, 2 * x.bits & 0xffffffff};
            const Scalar pair[] = {input("b", i), x};
            numerics::Flags flags;
            return std::array<Scalar, 4>{x, twice, x, numerics::apply(Op::word, pair, flags)};
          }));
}

TEST_F(RandomNumbers, ConversionsOfBlocks) {
  for (const Type t : scalar_types) {
    if (!is_defined(Op::uniform, t)) continue;
    const Expr a = at("a", Type::u32x4);
    const auto operands = [&](std::int64_t i) { return std::array<Scalar, 4>{input("a", i), input("k", i)}; };
    RULE_TRUE("CGEN-16", differences(p_, make_op(Op::uniform, t, {a}), inputs_, rows, operands) == 0) << name(t);
    const Expr lane = make_op(Op::uniform_lane, t, {a, at("k", Type::u32)});
    RULE_TRUE("CGEN-16", differences(p_, lane, inputs_, rows, operands) == 0) << name(t);
  }
}

/// A block in every place that a value can have: variables, choices, scopes, vectorized lanes, local buffers.
TEST_F(RandomNumbers, BlocksAreValuesLikeOthers) {
  const Program p = parse(R"(program p {
    input a: u32x4[8]  input b: u32x4[8]  input k: u32[8]  output r: u32x4[8]  output s: u32x4[8]  output z: u32x4[2]
    local t: u32x4[8]
    for i in 0..8 @vectorized {
      var c: u32x4 = k[i] < 10 ? a[i] : b[i]
      if a[i] == b[i] { c = threefry_light(c, u32x4(u32(i), 0, 0, 0)) }
      r[i] = select(word(c, 1) < 2000000000, c, a[7 - i])
    }
    for i in 0..8 { t[i] = r[7 - i]  s[i] = scope x: u32x4 { x = t[i]  for j in 0..3 { x = threefry_light(x, a[i]) } } }
    zero z
  })");
  TensorMap inputs;
  for (const auto& [name, tensor] : inputs_) {
    Tensor few(tensor.type, {8});
    for (std::int64_t i = 0; i < 8; ++i) few.set(i, tensor.get(i));
    inputs.emplace(name, std::move(few));
  }
  const interp::Outcome expected = interp::run(p, inputs, {});
  ASSERT_EQ(expected.status, interp::Status::ok);
  const KernelOutcome out = compile_and_run(p, {}, inputs);
  ASSERT_EQ(out.status, KernelOutcome::Status::ok) << out.message;
  for (const auto& [name, tensor] : expected.outputs) RULE_TRUE("CGEN-16", tensor == out.outputs.at(name)) << name;
}

/// Both rules of conversion to both types, from every number.
TEST(NamedConversions, AgreeWithTheInterpreter) {
  for (const Type from : scalar_types) {
    if (!is_defined(Op::f8e5m2_sat, from)) continue;
    std::vector<std::uint64_t> values;
    std::mt19937_64 engine(20);
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bit_width(from));
    for (std::uint64_t n = 0; n < 65536; ++n) {
      if (bit_width(from) <= 16) {
        if (n <= mask) values.push_back(n);
      } else if (is_float(from)) {  // all magnitudes around those of the types
        numerics::Flags flags;
        const Scalar half{Type::f16, n};
        values.push_back(numerics::convert(from, half, flags).bits + engine() % 3 - 1);
      } else {
        values.push_back(engine() >> engine() % static_cast<std::uint64_t>(bit_width(from)) & mask);
      }
    }
    const auto rows = static_cast<std::int64_t>(values.size());
    Program p;
    p.name = "conversions";
    p.buffers.push_back(buffer("a", BufferKind::input, from, {Index(rows)}));
    const TensorMap inputs{{"a", tensor_of_bits(from, values)}};
    for (const Op op : {Op::f8e5m2_sat, Op::f8e4m3fn_nosat}) {
      const auto operands = [&](std::int64_t i) {
        return std::array<Scalar, 4>{Scalar{from, values[static_cast<std::size_t>(i)]}};
      };
      RULE_TRUE("CGEN-16", differences(p, make_op(op, {at("a", from)}), inputs, rows, operands) == 0) << name(from);
    }
  }
}

}  // namespace
}  // namespace assay::codegen::test
