// Generators: determinism, ranges, and what each is for.
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "interp/inputs.hpp"
#include "interp/numerics.hpp"
#include "interp/values.hpp"
#include "numerics_reference.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using interp::generate_inputs;
using interp::InputKind;

constexpr InputKind kinds[] = {InputKind::exact, InputKind::adversarial, InputKind::special};

Buffer buffer(Symbol name, BufferKind kind, Type t, std::vector<Index> dims) {
  Buffer b;
  b.name = std::move(name);
  b.kind = kind;
  b.type = t;
  b.dims = std::move(dims);
  return b;
}

/// One input of every type with 200 elements, and the ends of the integer types as declared ranges.
Program every_type() {
  Program p;
  for (const Type t : storage_types)
    p.buffers.push_back(buffer("in_" + std::string(name(t)), BufferKind::input, t, {Index(10), Index(20)}));
  return p;
}

std::vector<Scalar> elements(const Tensor& t) {
  std::vector<Scalar> all;
  for (std::int64_t i = 0; i < t.size(); ++i) all.push_back(t.get(i));
  return all;
}

TEST(Inputs, AreAFunctionOfWhatTheyAreGeneratedFor) {
  const Program p = every_type();
  Program reversed = p;
  std::reverse(reversed.buffers.begin(), reversed.buffers.end());
  Program alone = p;
  alone.buffers = {p.buffers[2]};
  std::set<std::vector<unsigned char>> distinct;
  for (const InputKind kind : kinds) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const TensorMap tensors = generate_inputs(p, {}, kind, seed);
      RULE_TRUE("GEN-1", tensors == generate_inputs(p, {}, kind, seed));
      RULE_TRUE("GEN-1", tensors == generate_inputs(reversed, {}, kind, seed));
      RULE_TRUE("GEN-1",
                tensors.at(alone.buffers[0].name) == generate_inputs(alone, {}, kind, seed).at(alone.buffers[0].name));
      if (kind != InputKind::special) distinct.insert(tensors.at("in_f32").bytes);
    }
  }
  RULE_EQ("GEN-1", std::size_t{24}, distinct.size());
  // The same on every machine: these bits are part of the promise.
  const TensorMap fixed = generate_inputs(p, {}, InputKind::adversarial, 1);
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const auto& [name, tensor] : fixed) {
    if (is_f8(tensor.type) || tensor.type == Type::u32x4) continue;
    for (const unsigned char byte : tensor.bytes) hash = (hash ^ byte) * 0x100000001b3U;
  }
  RULE_EQ("GEN-1", 11867231911743377436U, hash);
}

TEST(Inputs, OneTensorForEveryInputAndInout) {
  Program p;
  p.parameters.push_back({"n", 1, 10});
  p.buffers = {buffer("A", BufferKind::input, Type::f32, {Index::symbol("n"), Index(3)}),
               buffer("B", BufferKind::inout, Type::i32, {}), buffer("C", BufferKind::output, Type::f32, {Index(4)}),
               buffer("D", BufferKind::temp, Type::f32, {Index(4)}),
               buffer("E", BufferKind::input, Type::f32, {Index::symbol("n") - Index(5)})};
  const TensorMap tensors = generate_inputs(p, {{"n", 5}}, InputKind::exact, 0);
  RULE_EQ("GEN-2", std::size_t{3}, tensors.size());
  RULE_TRUE("GEN-2", tensors.at("A").type == Type::f32 && tensors.at("A").dims == (std::vector<std::int64_t>{5, 3}));
  RULE_TRUE("GEN-2", tensors.at("B").type == Type::i32 && tensors.at("B").size() == 1);
  RULE_TRUE("GEN-2", tensors.at("E").size() == 0);
}

TEST(Inputs, DeclaredRangesAreObeyed) {
  struct Row {
    Type type;
    Int128 lo, hi;
  };
  const Int128 two63 = Int128{1} << 63;
  for (const Row& r : {Row{Type::i32, 0, 1000}, Row{Type::i32, 5, 6}, Row{Type::i64, -3, 4}, Row{Type::u8, 200, 256},
                       Row{Type::u64, two63 - 1, 2 * two63}, Row{Type::i64, -two63, two63}, Row{Type::i8, -128, -100},
                       Row{Type::u16, 0, 2}}) {
    Program p;
    p.buffers = {buffer("ids", BufferKind::input, r.type, {Index(300)})};
    p.buffers[0].range = {r.lo, r.hi};
    for (const InputKind kind : kinds) {
      std::set<std::uint64_t> seen;
      for (std::uint64_t seed = 0; seed < 16; ++seed) {
        for (const Scalar s : elements(generate_inputs(p, {}, kind, seed).at("ids"))) {
          RULE_TRUE("GEN-2", r.lo <= int_value(s) && int_value(s) < r.hi) << show(s);
          seen.insert(s.bits);
        }
      }
      const bool ends =
          seen.count(wrap_int(r.type, r.lo).bits) != 0 && seen.count(wrap_int(r.type, r.hi - 1).bits) != 0;
      RULE_TRUE("GEN-2", kind == InputKind::exact || ends) << "the ends of the range appear";
      RULE_TRUE("GEN-3",
                kind != InputKind::exact || r.hi - r.lo > 1000 || static_cast<Int128>(seen.size()) > (r.hi - r.lo) / 2)
          << "exact integers are spread over the range";
    }
  }
}

/// A sum of 64 products in one order; whether anything was rounded.
std::pair<Scalar, bool> dot(const std::vector<Scalar>& a, const std::vector<Scalar>& b, bool backwards) {
  numerics::Flags flags;
  Scalar sum{a[0].type, 0};
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t k = backwards ? 63 - i : i;
    const Scalar factors[] = {a[k], b[k]};
    const Scalar terms[] = {sum, numerics::apply(Op::mul, factors, flags)};
    sum = numerics::apply(Op::add, terms, flags);
  }
  return {sum, flags.inexact};
}

TEST(Inputs, ExactOnesMakeSumsExact) {
  const Program p = every_type();
  struct Grid {
    Type type;
    int bound, exponent;
  };
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const TensorMap tensors = generate_inputs(p, {}, InputKind::exact, seed);
    for (const Grid& g : {Grid{Type::f64, 64, -4}, Grid{Type::f32, 16, -2}, Grid{Type::f16, 2, -1},
                          Grid{Type::bf16, seed % 2 == 0 ? 1 : 2, 0}}) {
      const std::vector<Scalar> all = elements(tensors.at("in_" + std::string(name(g.type))));
      std::set<double> seen;
      for (const Scalar s : all) {
        const double k = std::ldexp(decode(s), -g.exponent);
        RULE_TRUE("GEN-3", k == std::trunc(k) && std::fabs(k) <= g.bound) << show(s);
        seen.insert(k);
      }
      RULE_TRUE("GEN-3", static_cast<int>(seen.size()) > g.bound);
      const std::vector<Scalar> a(all.begin(), all.begin() + 64), b(all.begin() + 64, all.begin() + 128);
      const auto forwards = dot(a, b, false), backwards = dot(a, b, true);
      RULE_TRUE("GEN-3", !forwards.second && !backwards.second && forwards.first == backwards.first) << name(g.type);
      // The worst that the grid allows: all products at the bound.
      const Scalar most = interp::float_value(g.type, g.bound, g.exponent);
      RULE_TRUE("GEN-3", !dot(std::vector<Scalar>(64, most), std::vector<Scalar>(64, most), false).second)
          << name(g.type);
    }
    for (const Type t : {Type::f8e5m2, Type::f8e4m3fn}) {
      int not_zero = 0;
      const std::vector<Scalar> all = elements(tensors.at("in_" + std::string(name(t))));
      for (const Scalar s : all) {
        RULE_TRUE("GEN-6", decode(s) == 0 || std::fabs(decode(s)) == 1) << show(s);
        not_zero += decode(s) != 0 ? 1 : 0;
      }
      RULE_TRUE("GEN-6", not_zero > 10 && not_zero < 80) << not_zero << " of " << all.size();
      RULE_TRUE("GEN-6", !dot({all.begin(), all.begin() + 64}, {all.begin() + 64, all.begin() + 128}, false).second);
    }
    for (const Type t : integer_types) {
      for (const Scalar s : elements(tensors.at("in_" + std::string(name(t)))))
        RULE_TRUE("GEN-3", -8 <= int_value(s) && int_value(s) <= 8);
    }
  }
}

TEST(Inputs, AdversarialOnesRoundCancelUnderflowAndOverflow) {
  const Program p = every_type();
  for (const Type t : float_types) {
    int subnormal[4] = {}, infinite_sums[4] = {}, cancelled[4] = {}, almost[4] = {}, ties[4] = {}, repeated[4] = {};
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const std::vector<Scalar> all =
          elements(generate_inputs(p, {}, InputKind::adversarial, seed).at("in_" + std::string(name(t))));
      const std::size_t mood = seed % 4;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double v = decode(all[i]);
        RULE_TRUE("GEN-4", std::isfinite(v)) << show(all[i]);
        subnormal[mood] += v != 0 && std::fabs(v) < std::ldexp(1.0, 1 - bias(t));
        if (i == 0) continue;
        const Scalar pair[] = {all[i - 1], all[i]};
        const Reference sum = computed(Op::add, pair);
        const double s = decode({t, sum.bits});
        infinite_sums[mood] += !std::isfinite(s);
        cancelled[mood] += s == 0 && v != 0;
        almost[mood] += s != 0 && std::fabs(s) <= std::fabs(v) * std::ldexp(1.0, 2 - precision(t));
        // Half a unit of the element before.
        const double before = decode(all[i - 1]);
        ties[mood] += before != 0 && std::fabs(v) == std::ldexp(1.0, std::ilogb(before) - precision(t));
        repeated[mood] += all[i] == all[i - 1];
      }
    }
    RULE_TRUE("GEN-4", cancelled[0] > 50 && almost[0] > 50 && ties[0] > 50 && repeated[0] > 50) << name(t);
    RULE_TRUE("GEN-4", subnormal[1] > 200 && infinite_sums[1] == 0) << name(t);
    RULE_TRUE("GEN-4", infinite_sums[2] > 20) << name(t);
    RULE_TRUE("GEN-4", subnormal[3] > 20 && cancelled[3] + almost[3] > 20) << name(t);
  }
  for (const Type t : integer_types) {
    std::set<Int128> seen;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      for (const Scalar s :
           elements(generate_inputs(p, {}, InputKind::adversarial, seed).at("in_" + std::string(name(t)))))
        seen.insert(int_value(s));
    }
    const IntRange range = int_range(t);
    int powers = 0;
    for (int k = 5; k < bit_width(t) - 1; ++k) powers += seen.count(Int128{1} << k) != 0 ? 1 : 0;
    RULE_TRUE("GEN-4", seen.count(range.lo) != 0 && seen.count(range.hi) != 0 && seen.count(0) != 0 && powers > 0 &&
                           seen.size() > 100)
        << name(t);
  }
}

TEST(Inputs, Blocks) {
  const Program p = every_type();
  std::set<Scalar> distinct;
  int counters = 0, repeated = 0, one_bit = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (const Scalar s : elements(generate_inputs(p, {}, InputKind::exact, seed).at("in_u32x4"))) distinct.insert(s);
    const std::vector<Scalar> all = elements(generate_inputs(p, {}, InputKind::adversarial, seed).at("in_u32x4"));
    for (std::size_t i = 1; i < all.size(); ++i) {
      counters += all[i].high == 0 && all[i].bits < 16 ? 1 : 0;
      repeated += all[i] == all[i - 1] ? 1 : 0;
      one_bit += all[i].high == all[i - 1].high && std::has_single_bit(all[i].bits ^ all[i - 1].bits) ? 1 : 0;
    }
  }
  RULE_EQ("GEN-7", std::size_t{800}, distinct.size());
  RULE_TRUE("GEN-7", counters > 50 && repeated > 50 && one_bit > 50) << counters << " " << repeated << " " << one_bit;
}

TEST(Inputs, SpecialOnesFillBuffersAndMix) {
  const Program p = every_type();
  for (const Type t : storage_types) {
    const std::string in = "in_" + std::string(name(t));
    const std::vector<Scalar> special = interp::special_values(t);
    std::set<Scalar> filled;
    for (std::uint64_t k = 0; k < 2 * special.size(); ++k) {
      const std::vector<Scalar> all = elements(generate_inputs(p, {}, InputKind::special, 4 * k).at(in));
      RULE_TRUE("GEN-5", std::count(all.begin(), all.end(), all[0]) == static_cast<std::ptrdiff_t>(all.size()));
      filled.insert(all[0]);
      const std::vector<Scalar> own = elements(generate_inputs(p, {}, InputKind::special, 4 * k + 1).at(in));
      RULE_TRUE("GEN-5", std::count(own.begin(), own.end(), own[0]) == static_cast<std::ptrdiff_t>(own.size()));
    }
    RULE_EQ("GEN-5", special.size(), filled.size());  // each of them fills a whole buffer
    std::set<Scalar> mixed;
    int ordinary = 0;
    for (std::uint64_t k = 0; k < 4; ++k) {
      for (const Scalar s : elements(generate_inputs(p, {}, InputKind::special, 4 * k + 2).at(in))) mixed.insert(s);
      for (const Scalar s : elements(generate_inputs(p, {}, InputKind::special, 4 * k + 3).at(in))) {
        ordinary += std::find(special.begin(), special.end(), s) == special.end() ? 1 : 0;
      }
    }
    RULE_EQ("GEN-5", special.size(), mixed.size());
    RULE_TRUE("GEN-5", t == Type::boolean || ordinary > 100) << name(t);
  }
  const std::vector<Scalar> f32 = interp::special_values(Type::f32);
  for (const std::uint64_t bits :
       {0x80000000U, 0U, 0x7f800000U, 0xff800000U, 0x7fc00000U, 0x3f800000U, 0xbf800000U, 0x7f7fffffU, 0xff7fffffU,
        0x00800000U, 0x80800000U, 1U, 0x80000001U, 0x007fffffU, 0x807fffffU}) {
    RULE_TRUE("GEN-5", std::find(f32.begin(), f32.end(), Scalar{Type::f32, bits}) != f32.end());
  }
  RULE_EQ("GEN-5", std::size_t{15}, f32.size());
  RULE_EQ("GEN-5", std::size_t{7}, interp::special_values(Type::i32).size());
}

TEST(Inputs, NamesOfTheGenerators) {
  for (const InputKind kind : kinds) EXPECT_EQ(kind, interp::parse_input_kind(interp::name(kind)));
  EXPECT_EQ(std::nullopt, interp::parse_input_kind("random"));
}

}  // namespace
}  // namespace assay::test
