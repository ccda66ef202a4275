// Blocks and random functions: vectors that a Python script computed from the definition, and conversions against a
// formulation on bytes.
#include <array>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "interp/numerics.hpp"
#include "interp/random.hpp"
#include "interp/values.hpp"
#include "numerics_reference.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using Words = std::array<std::uint64_t, 4>;

Scalar block(const Words& w) {
  std::array<Scalar, 4> operands{};
  for (std::size_t i = 0; i < 4; ++i) operands.at(i) = {Type::u32, w.at(i)};
  numerics::Flags flags;
  return numerics::find(Op::block, Type::u32)(operands.data(), flags);
}
Scalar apply(Op op, Scalar a, Scalar b) {
  const Scalar x[] = {a, b};
  numerics::Flags flags;
  return numerics::find(op, Type::u32x4)(x, flags);
}
/// The storage bytes, lowest first.
std::array<std::uint64_t, 16> bytes_of(Scalar b) {
  std::array<std::uint64_t, 16> bytes{};
  for (std::size_t i = 0; i < 16; ++i) bytes.at(i) = (i < 8 ? b.bits : b.high) >> i % 8 * 8 & 0xff;
  return bytes;
}

TEST(NumericsRandom, VectorsOfAnotherProgram) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/tests/data/random_vectors.txt");
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    std::istringstream numbers(line);
    std::array<Scalar, 4> blocks{};  // key, counter, crypto, light
    for (Scalar& b : blocks) {
      Words w{};
      for (std::uint64_t& word : w) numbers >> std::hex >> word;
      b = block(w);
    }
    ASSERT_TRUE(static_cast<bool>(numbers)) << line;
    RULE_TRUE("NUM-43", apply(Op::threefry_crypto, blocks[0], blocks[1]) == blocks[2]) << line;
    RULE_TRUE("NUM-44", apply(Op::threefry_light, blocks[0], blocks[1]) == blocks[3]) << line;
  }
  RULE_EQ("NUM-42", 237, count);
}

TEST(NumericsRandom, BlocksAreTheirWords) {
  const Words w{0x00010203, 0x04050607, 0x08090a0b, 0xfffefdfc};
  const Scalar b = block(w);
  RULE_TRUE("NUM-41", b == (Scalar{Type::u32x4, 0x0405060700010203, 0xfffefdfc08090a0b}));
  for (std::uint64_t k = 0; k < 9; ++k) RULE_EQ("NUM-41", w.at(k % 4), apply(Op::word, b, {Type::u32, k}).bits);
  RULE_EQ("NUM-41", w[3], apply(Op::word, b, {Type::u32, 0xffffffff}).bits);
  RULE_EQ("NUM-41", 1U, apply(Op::eq, b, b).bits);
  for (int bit = 0; bit < 128; ++bit) {
    Scalar other = b;
    (bit < 64 ? other.bits : other.high) ^= std::uint64_t{1} << bit % 64;
    RULE_TRUE("NUM-41", apply(Op::eq, b, other).bits == 0 && apply(Op::ne, b, other).bits == 1);
  }
}

/// The value of lane k by the definition, on bytes.
Reference expected_lane(Type t, Scalar b, std::uint64_t k) {
  const auto bytes = bytes_of(b);
  const auto width = static_cast<std::size_t>(byte_width(t));
  const std::size_t first = k % (16 / width) * width;
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < width; ++i) n += bytes.at(first + i) << 8 * i;
  switch (t) {
    case Type::f64: {
      const Reference r = reference_round(t, static_cast<Int128>(n));
      return {encode(t, std::ldexp(decode({t, r.bits}), -64)), r.inexact};
    }
    case Type::f32: return reference_round(t, std::ldexp(static_cast<double>(n / 256), -24));
    case Type::f16:
    case Type::bf16: return reference_round(t, std::ldexp(static_cast<double>(n), -16));
    case Type::f8e5m2:
    case Type::f8e4m3fn: return {encode(t, decode({t, n})), false};
    default: return {n, false};
  }
}

TEST(NumericsRandom, ConversionsCutLanes) {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  std::vector<Scalar> blocks{{Type::u32x4, 0, 0}, {Type::u32x4, all, all}, {Type::u32x4, all << 11, all << 10}};
  interp::Random random(48);
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t low = random.next();
    blocks.push_back({Type::u32x4, low, random.next()});
  }
  std::set<std::uint64_t> f8_patterns;
  for (const Type t : scalar_types) {
    if (t == Type::boolean) continue;
    Tally lanes, ones;
    const numerics::Function lane = numerics::find(Op::uniform_lane, t), one = numerics::find(Op::uniform, t);
    for (const Scalar b : blocks) {
      for (std::uint64_t k = 0; k < 20; ++k) {
        const Scalar x[] = {b, {Type::u32, k < 18 ? k : all >> (k + 14)}};
        numerics::Flags flags;
        const Reference actual{lane(x, flags).bits, flags.inexact};
        lanes.compare(expected_lane(t, b, x[1].bits), actual, "lane at " + std::string(name(t)), x, 2);
        if (t == Type::f8e5m2) f8_patterns.insert(actual.bits);
      }
      numerics::Flags flags;
      const Reference actual{one(&b, flags).bits, flags.inexact};
      const double single = std::ldexp(static_cast<double>((b.bits & 0xffffffff) / 256), -24);
      const Reference expected = t == Type::bf16 ? reference_round(t, single) : expected_lane(t, b, 0);
      ones.compare(expected, actual, "one value of " + std::string(name(t)), &b, 1);
    }
    RULE_TRUE("NUM-45", static_cast<bool>(lanes)) << lanes.summary();
    RULE_TRUE(is_f8(t) ? "NUM-46" : "NUM-45", static_cast<bool>(lanes)) << lanes.summary();
    RULE_TRUE("NUM-47", static_cast<bool>(ones)) << ones.summary();
    RULE_TRUE("NUM-48", static_cast<bool>(lanes) && static_cast<bool>(ones)) << lanes.summary() << ones.summary();
  }
  RULE_EQ("NUM-46", std::size_t{256 - 5}, f8_patterns.size());  // infinities among them, and one NaN of six
}

TEST(NumericsRandom, TheStreamsOfBf16Differ) {
  const Scalar b{Type::u32x4, 0x00000000cafe8000, 0};
  numerics::Flags flags;
  const Scalar lane[] = {b, {Type::u32, 0}};
  RULE_EQ("NUM-47", 0.5, decode(numerics::find(Op::uniform_lane, Type::bf16)(lane, flags)));
  RULE_EQ("NUM-47", 0.79296875, decode(numerics::find(Op::uniform, Type::bf16)(&b, flags)));
  RULE_EQ("NUM-47", 0.5, decode(numerics::find(Op::uniform, Type::f16)(&b, flags)));
  const Scalar ones{Type::u32x4, ~std::uint64_t{0}, ~std::uint64_t{0}};
  for (const Type t : {Type::f64, Type::f16, Type::bf16})
    RULE_EQ("NUM-45", 1.0, decode(numerics::find(Op::uniform, t)(&ones, flags)));
  RULE_TRUE("NUM-45", decode(numerics::find(Op::uniform, Type::f32)(&ones, flags)) < 1);
}

}  // namespace
}  // namespace assay::test
