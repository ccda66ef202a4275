// Typed loops over lanes against the scalar functions that they stand for.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "interp/compiled/kernels.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using namespace interp::compiled;

// What a kernel of `arity` operands leaves for every lane, and its inexactness.
struct Results {
  std::vector<unsigned char> values{};
  std::vector<std::uint8_t> inexact{};
  bool operator==(const Results&) const = default;
};
Results run_kernel(Kernel kernel, const KernelOperands& types, const void* a, const void* b, std::uint32_t lanes,
                   bool marks) {
  Results r;
  r.values.resize(lanes * static_cast<std::size_t>(byte_width(types.out)));
  r.inexact.resize(lanes);
  kernel(types, {r.values.data(), a, b, nullptr, nullptr, {nullptr, 0, lanes}, marks ? r.inexact.data() : nullptr});
  return r;
}

TEST(CompiledKernels, FloatsOf8BitsAtAllPairs) {
  std::vector<std::uint8_t> a, b;
  for (int x = 0; x < 256; ++x) {
    for (int y = 0; y < 256; ++y) {
      a.push_back(static_cast<std::uint8_t>(x));
      b.push_back(static_cast<std::uint8_t>(y));
    }
  }
  for (const Type type : {Type::f8e5m2, Type::f8e4m3fn}) {
    for (const Op op : {Op::add, Op::sub, Op::mul, Op::max, Op::min, Op::eq, Op::ne, Op::lt, Op::le, Op::gt, Op::ge}) {
      const bool compares = op >= Op::eq && op <= Op::ge;
      const KernelOperands types{numerics::find(op, type), compares ? Type::boolean : type, type, type, 2};
      for (const bool marks : {false, true}) {
        if (marks && op != Op::add && op != Op::sub && op != Op::mul) continue;
        const auto expected = run_kernel(any_kernel(), types, a.data(), b.data(), 65536, marks);
        EXPECT_NE(any_kernel(), find_kernel(op, type, marks)) << name(type) << " " << info(op).text;
        RULE_TRUE("EXEC-45",
                  expected == run_kernel(find_kernel(op, type, marks), types, a.data(), b.data(), 65536, marks))
            << name(type) << " " << info(op).text << " " << marks;
        const Fold fold = compares ? nullptr : find_fold(op, type, marks);
        if (fold == nullptr) continue;
        Results folded = expected;
        for (std::size_t i = 0; i < a.size(); ++i) {
          folded.values[i] = a[i];
          const bool inexact = fold(types, &folded.values[i], b.data() + i, {nullptr, 0, 1});
          if (marks) folded.inexact[i] = inexact ? 1 : 0;
        }
        RULE_TRUE("EXEC-45", expected == folded) << name(type) << " " << info(op).text << " " << marks;
      }
    }
  }
}

TEST(CompiledKernels, Blocks) {
  constexpr std::uint32_t lanes = 300;
  std::vector<std::uint32_t> a, b, numbers;
  std::uint32_t x = 1;
  const auto next = [&] { return x = x * 1664525U + 1013904223U; };
  for (std::uint32_t i = 0; i < 4 * lanes; ++i) {
    a.push_back(next());
    b.push_back(i % 64 < 32 ? a.back() : next());
  }
  for (std::uint32_t i = 0; i < lanes; ++i) numbers.push_back(next() >> (i % 32));
  const auto same = [&](Op op, Type out, Type second, const void* other) {
    const KernelOperands types{numerics::find(op, Type::u32x4), out, Type::u32x4, second, 2};
    RULE_TRUE("EXEC-45", run_kernel(any_kernel(), types, a.data(), other, lanes, false) ==
                             run_kernel(find_kernel(op, Type::u32x4, false), types, a.data(), other, lanes, false))
        << info(op).text;
    EXPECT_NE(any_kernel(), find_kernel(op, Type::u32x4, false));
  };
  same(Op::threefry_light, Type::u32x4, Type::u32x4, b.data());
  same(Op::threefry_crypto, Type::u32x4, Type::u32x4, b.data());
  same(Op::eq, Type::boolean, Type::u32x4, b.data());
  same(Op::ne, Type::boolean, Type::u32x4, b.data());
  same(Op::word, Type::u32, Type::u32, numbers.data());
  const KernelOperands types{numerics::find(Op::block, Type::u32), Type::u32x4, Type::u32, Type::u32, 4};
  Results loop, plain;
  for (auto [kernel, r] :
       {std::pair{any_kernel(), &plain}, std::pair{find_kernel(Op::block, Type::u32, false), &loop}}) {
    r->values.resize(16 * lanes);
    kernel(types,
           {r->values.data(), a.data(), b.data(), numbers.data(), a.data() + lanes, {nullptr, 0, lanes}, nullptr});
  }
  RULE_TRUE("EXEC-45", plain == loop);
}

TEST(CompiledKernels, ConversionsBetweenFloats) {
  for (const Type from : {Type::f32, Type::f64, Type::f16, Type::bf16, Type::f8e5m2, Type::f8e4m3fn}) {
    for (const Type to : {Type::f32, Type::f64, Type::f16, Type::bf16, Type::f8e5m2, Type::f8e4m3fn}) {
      const Kernel kernel = find_convert_kernel(to, from, false);
      if (kernel == any_kernel() || to == from) continue;
      // All patterns of the narrow types; of f32 those around every value of 16 bits, of f64 those that are a float's.
      std::vector<unsigned char> operands;
      std::uint32_t count = 0;
      const auto add = [&](std::uint64_t bits) {
        operands.resize(operands.size() + static_cast<std::size_t>(byte_width(from)));
        write_value(operands.data() + count++ * static_cast<std::size_t>(byte_width(from)), {from, bits});
      };
      for (std::uint32_t x = 0; x < (byte_width(from) == 1 ? 256U : 65536U); ++x) {
        if (byte_width(from) <= 2) {
          add(x);
          continue;
        }
        for (const std::uint32_t low : {0U, 1U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) {
          const std::uint32_t bits = x << 16 | low;
          add(from == Type::f32 ? bits : std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(bits))));
        }
      }
      const KernelOperands types{numerics::find_convert(to, from), to, from, from, 1};
      RULE_TRUE("EXEC-45", run_kernel(any_kernel(), types, operands.data(), nullptr, count, false) ==
                               run_kernel(kernel, types, operands.data(), nullptr, count, false))
          << name(from) << " to " << name(to);
    }
  }
}

}  // namespace
}  // namespace assay::test
