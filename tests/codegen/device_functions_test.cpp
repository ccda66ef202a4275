// The functions of CUDA text, which are rounded once from double (CUDA-6): all arguments of the narrow types.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>

#include "device_support.hpp"
#include "interp/interpreter.hpp"
#include "interp/numerics.hpp"
#include "interp/random.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

struct Function {
  const char* name;
  long double (*exact)(long double);  // to a few units of 64 significant bits
};
long double rsqrt(long double x) { return 1.0L / std::sqrt(x); }
constexpr std::array functions{Function{"exp", std::exp},   Function{"exp2", std::exp2}, Function{"log", std::log},
                               Function{"log2", std::log2}, Function{"sin", std::sin},   Function{"cos", std::cos},
                               Function{"tanh", std::tanh}, Function{"rsqrt", rsqrt}};

Tensor all_values(Type t) {
  std::vector<std::uint64_t> bits(std::size_t{1} << bit_width(t));
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = i;
  return tensor_of_bits(t, bits);
}

/// Runs the functions on all cells of `x` by CUDA text and by the interpreter.
void compare(Type t, const Tensor& x, const std::vector<const char*>& names) {
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
  std::vector<const char*> names;
  for (const Function& f : functions) names.push_back(f.name);
  for (const Type t : {Type::f16, Type::bf16, Type::f8e5m2, Type::f8e4m3fn}) compare(t, all_values(t), names);
}

TEST(CudaFunctions, AreCorrectlyRoundedAtF32) {
  if (device_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  interp::Random random(1);
  std::vector<std::uint64_t> bits;
  for (int k = 0; k < 30000; ++k) bits.push_back(random.below(std::uint64_t{1} << 32));
  for (int k = 0; k < 30000; ++k)
    bits.push_back(std::bit_cast<std::uint32_t>((static_cast<float>(random.below(1 << 24)) - 0x1p23F) * 0x1p-19F));
  compare(Type::f32, tensor_of_bits(Type::f32, bits), {"exp", "log2", "tanh", "rsqrt"});
}

// A double within 8 units of the exact value rounds as that does, unless the value is a tie, which is then exact in double.
TEST(CudaFunctions, NoValueOfANarrowTypeIsNearATie) {
  numerics::Flags flags{};
  const auto rounded = [&](Type t, long double x) {
    return numerics::convert(t, {Type::f64, std::bit_cast<std::uint64_t>(static_cast<double>(x))}, flags);
  };
  for (const Type t : {Type::f16, Type::bf16, Type::f8e5m2, Type::f8e4m3fn}) {
    const Tensor all = all_values(t);
    for (const Function& f : functions) {
      int near = 0;
      for (std::int64_t i = 0; i < all.size(); ++i) {
        const Scalar wide = numerics::convert(Type::f64, all.get(i), flags);
        const long double value = f.exact(std::bit_cast<double>(wide.bits)), units = 0x1p-49L;
        const bool exact = static_cast<long double>(static_cast<double>(value)) == value;
        const bool tie = !same_value(rounded(t, value * (1 - units)), rounded(t, value * (1 + units)));
        near += tie && !exact ? 1 : 0;
      }
      RULE_TRUE("OCL-6", near == 0) << near << " values: " << f.name << " at " << name(t);
    }
  }
}

TEST(CudaFunctions, RsqrtIsCorrectlyRoundedForAllSignificands) {
  int wrong = 0;
  for (std::uint32_t bits = 0x3f800000; bits < 0x40800000; ++bits) {  // 1 to 4
    const double x = std::bit_cast<float>(bits);
    wrong += static_cast<float>(1.0 / std::sqrt(x)) != static_cast<float>(rsqrt(x)) ? 1 : 0;
  }
  RULE_EQ("CUDA-6", 0, wrong);
}

}  // namespace
}  // namespace assay::codegen::test
