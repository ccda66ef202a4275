// The functions of CUDA text, evaluated in pairs of doubles (CUDA-6): all arguments of the narrow types, and some of f32, all of
// which the sweep compares (tests/sweep).
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <span>

#include "device_support.hpp"
#include "interp/interpreter.hpp"
#include "interp/numerics.hpp"
#include "interp/random.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

constexpr std::array functions{"exp", "exp2", "log", "log2", "sin", "cos", "tanh", "rsqrt"};

Tensor all_values(Type t) {
  std::vector<std::uint64_t> bits(std::size_t{1} << bit_width(t));
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = i;
  return tensor_of_bits(t, bits);
}

/// Runs the functions on all cells of `x` by CUDA text and by the interpreter.
void compare(Type t, const Tensor& x, std::span<const char* const> names) {
  std::string text = fmt::format("program p {{ input A: {0}[{1}]  output C: {0}[{2}, {1}]  for i in 0..{1} {{", name(t),
                                 x.size(), names.size());
  for (std::size_t f = 0; f < names.size(); ++f) text += fmt::format(" C[{}, i] = {}(A[i])", f, names[f]);
  const Program p = parse(text + " } }");
  const KernelOutcome out = compile_and_run_with(*device_compiler(), p, {}, {{"A", x}});
  ASSERT_EQ(out.status, KernelOutcome::Status::ok) << out.message;
  interp::Options options;
  options.budget = 1'000'000'000;
  const interp::Outcome expected = interp::run(p, {{"A", x}}, options);
  ASSERT_EQ(expected.status, interp::Status::ok);
  RULE_TRUE("CUDA-6", same_outputs(expected.outputs, out.outputs)) << name(t);
}

TEST(CudaFunctions, AreCorrectlyRoundedAtNarrowTypes) {
  if (device_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  for (const Type t : {Type::f16, Type::bf16, Type::f8e5m2, Type::f8e4m3fn}) compare(t, all_values(t), functions);
}

TEST(CudaFunctions, AreCorrectlyRoundedAtF32) {
  if (device_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  interp::Random random(1);
  std::vector<std::uint64_t> bits;
  for (int k = 0; k < 20000; ++k) bits.push_back(random.below(std::uint64_t{1} << 32));
  for (int k = 0; k < 20000; ++k)
    bits.push_back(std::bit_cast<std::uint32_t>((static_cast<float>(random.below(1 << 24)) - 0x1p23F) * 0x1p-19F));
  // Around multiples of a quarter turn, where little of the argument is left.
  for (int k = 1; k < 4000; ++k)
    bits.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(k * 1.5707963267948966)) + random.below(3) - 1);
  compare(Type::f32, tensor_of_bits(Type::f32, bits), functions);
}

/// pow by CUDA text and by the interpreter, on pairs of bit patterns.
void compare_pow(Type t, const std::vector<std::uint64_t>& base, const std::vector<std::uint64_t>& exponent) {
  const Program p =
      parse(fmt::format("program p {{ input A: {0}[{1}]  input B: {0}[{1}]  output C: {0}[{1}]  for i in 0..{1} {{ "
                        "C[i] = pow(A[i], B[i]) }} }}",
                        name(t), base.size()));
  const TensorMap inputs{{"A", tensor_of_bits(t, base)}, {"B", tensor_of_bits(t, exponent)}};
  const KernelOutcome out = compile_and_run_with(*device_compiler(), p, {}, inputs);
  ASSERT_EQ(out.status, KernelOutcome::Status::ok) << out.message;
  interp::Options options;
  options.budget = 1'000'000'000;
  const interp::Outcome expected = interp::run(p, inputs, options);
  ASSERT_EQ(expected.status, interp::Status::ok);
  RULE_TRUE("CUDA-6", same_outputs(expected.outputs, out.outputs)) << name(t);
}

TEST(CudaFunctions, PowIsCorrectlyRounded) {
  if (device_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  interp::Random random(3);
  for (const Type t : {Type::f8e5m2, Type::f8e4m3fn}) {  // all pairs
    std::vector<std::uint64_t> base, exponent;
    for (std::uint64_t i = 0; i < 65536; ++i) {
      base.push_back(i >> 8);
      exponent.push_back(i & 255);
    }
    compare_pow(t, base, exponent);
  }
  for (const Type t : {Type::f32, Type::f16, Type::bf16}) {
    numerics::Flags flags{};
    const auto of = [&](double x) {
      return numerics::convert(t, {Type::f64, std::bit_cast<std::uint64_t>(x)}, flags).bits;
    };
    std::vector<std::uint64_t> base, exponent;
    const auto add = [&](std::uint64_t a, std::uint64_t b) {
      base.push_back(a);
      exponent.push_back(b);
    };
    const auto draw = [&](std::uint64_t below) { return static_cast<double>(random.below(below)); };
    for (int k = 0; k < 20000; ++k) {
      const std::uint64_t all = std::uint64_t{1} << bit_width(t);
      add(random.below(all), random.below(all));
      add(of(draw(4096) * std::ldexp(1.0, static_cast<int>(random.below(41)) - 20)), of((draw(33) - 16) * 0.25));
      add(of(1 + (draw(2001) - 1000) * 0x1p-23), of((draw(4000000) - 2000000) * 16));
      const double root = draw(4095);  // squares and fourth powers: ties are exact
      add(of(root * root * std::ldexp(1.0, static_cast<int>(random.below(20)) - 10)), of(draw(20) * 0.5));
      add(of(draw(64) * 0x1p-5), of(draw(32) * 0.25));
    }
    const std::array special{0.0,  -0.0, 1.0, -1.0,     0.5,       -0.5,         3.0,
                             -3.0, 2.0,  4.0, HUGE_VAL, -HUGE_VAL, std::nan(""), 1e-7};
    for (const double a : special) {
      for (const double b : special) add(of(a), of(b));
    }
    compare_pow(t, base, exponent);
  }
}

TEST(CudaFunctions, RsqrtIsCorrectlyRoundedForAllSignificands) {
  int wrong = 0;
  for (std::uint32_t bits = 0x3f800000; bits < 0x40800000; ++bits) {  // 1 to 4
    const double x = std::bit_cast<float>(bits);
    const long double exact = 1.0L / std::sqrt(static_cast<long double>(x));  // to a few units of 64 significant bits
    wrong += static_cast<float>(1.0 / std::sqrt(x)) != static_cast<float>(exact) ? 1 : 0;
  }
  RULE_EQ("CUDA-6", 0, wrong);
}

}  // namespace
}  // namespace assay::codegen::test
