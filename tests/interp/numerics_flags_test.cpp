// The table of operations, what flags promise, and independence of the surroundings.
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

#include "interp/numerics.hpp"
#include "interp/random.hpp"
#include "interp/values.hpp"
#include "numerics_reference.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using interp::Random;

TEST(NumericsTable, OperationsAreDefinedWhereThePageSaysSo) {
  const std::set<Op> equality{Op::eq, Op::ne};
  const std::set<Op> arithmetic{Op::lt,  Op::le,  Op::gt,  Op::ge,  Op::neg, Op::add,
                                Op::sub, Op::mul, Op::max, Op::min, Op::abs, Op::relu};
  const std::set<Op> floats{Op::div,   Op::maxnum, Op::minnum, Op::fma,  Op::sat01, Op::exp,  Op::exp2,
                            Op::log,   Op::log2,   Op::sin,    Op::cos,  Op::tanh,  Op::sqrt, Op::rsqrt,
                            Op::recip, Op::pow,    Op::floor,  Op::ceil, Op::trunc};
  const std::set<Op> integers{Op::floordiv, Op::floormod, Op::ceildiv, Op::truncdiv,
                              Op::truncmod, Op::eucdiv,   Op::eucmod};
  const std::set<Op> logic{Op::land, Op::lor, Op::lnot};
  const std::set<Op> any_number{Op::f8e5m2_sat, Op::f8e4m3fn_nosat, Op::uniform, Op::uniform_lane};
  const std::set<Op> blocks{Op::word, Op::threefry_crypto, Op::threefry_light};
  for (std::size_t o = 0; o < op_count; ++o) {
    const auto op = static_cast<Op>(o);
    for (const Type t : storage_types) {
      const bool number = is_float(t) || is_int(t);
      const bool defined = equality.count(op) != 0 || (number && arithmetic.count(op) != 0) ||
                           (number && any_number.count(op) != 0) || (t == Type::u32x4 && blocks.count(op) != 0) ||
                           (t == Type::u32 && op == Op::block) || (is_float(t) && floats.count(op) != 0) ||
                           (is_int(t) && integers.count(op) != 0) || (t == Type::boolean && logic.count(op) != 0);
      RULE_TRUE("NUM-3", defined == (numerics::find(op, t) != nullptr)) << op_name(op) << " at " << name(t);
    }
    RULE_TRUE("NUM-3", numerics::find(op, Type::index) == nullptr) << op_name(op);
  }
}

TEST(NumericsFlags, ExactOperationsNeverReport) {
  Tally tally;
  const Op unary[] = {Op::neg, Op::abs, Op::relu, Op::sat01, Op::floor, Op::ceil, Op::trunc};
  const Op binary[] = {Op::eq, Op::ne, Op::lt, Op::le, Op::gt, Op::ge, Op::max, Op::min, Op::maxnum, Op::minnum};
  for (const Type t : float_types) {
    const std::vector<Scalar> values = interp::boundary_values(t);
    for (const Scalar x : values) {
      for (const Op op : unary) tally.check(!computed(op, &x).inexact, op_name(op), &x, 1);
      for (const Scalar y : values) {
        const Scalar operands[] = {x, y};
        for (const Op op : binary) tally.check(!computed(op, operands).inexact, op_name(op), operands, 2);
      }
    }
  }
  RULE_TRUE("NUM-33", static_cast<bool>(tally)) << tally.summary();
}

TEST(NumericsFlags, AreOnlyEverSet) {
  numerics::Flags flags;
  const Scalar third[] = {{Type::f32, encode(Type::f32, 1)}, {Type::f32, encode(Type::f32, 3)}};
  const Scalar zero[] = {{Type::i32, 1}, {Type::i32, 0}};
  const Scalar exact[] = {third[0], third[0]};
  numerics::apply(Op::div, third, flags);
  numerics::apply(Op::floordiv, zero, flags);
  numerics::apply(Op::add, exact, flags);
  numerics::convert(Type::f64, third[0], flags);
  RULE_TRUE("NUM-31", flags.inexact && flags.divide_by_zero);
}

/// Reduces `terms` along a random binary tree; true when no step was inexact.
std::pair<Scalar, bool> reduce_randomly(Op op, std::vector<Scalar> terms, Random& random) {
  numerics::Flags flags;
  while (terms.size() > 1) {
    const std::size_t i = random.below(terms.size());
    std::swap(terms[i], terms.back());
    const Scalar a = terms.back();
    terms.pop_back();
    Scalar& b = terms[random.below(terms.size())];
    const Scalar operands[] = {b, a};
    b = numerics::apply(op, operands, flags);
  }
  return {terms[0], !flags.inexact};
}

TEST(NumericsFlags, ExactReductionsDoNotDependOnTheirOrder) {
  for (const Type t : float_types) {
    const std::vector<Scalar> special = interp::special_values(t);
    for (const Op op : {Op::add, Op::mul, Op::max, Op::min, Op::maxnum, Op::minnum}) {
      Random random(interp::seed_for(op_name(op), static_cast<std::uint64_t>(t)));
      int comparable = 0, inexact = 0, different = 0;
      for (int i = 0; i < 3000; ++i) {
        // Few significand bits and close exponents are often exact; special values bring infinities, NaN and zeros in.
        const std::uint64_t specials = random.below(3) == 0 ? 3 : 0;
        std::vector<Scalar> terms;
        for (std::uint64_t k = 0, n = 2 + random.below(6); k < n; ++k) {
          terms.push_back(random.below(10) < specials ? special[random.below(special.size())]
                                                      : interp::float_value(t, static_cast<double>(random.below(9)) - 4,
                                                                            static_cast<int>(random.below(12)) - 6));
        }
        const auto [first, first_exact] = reduce_randomly(op, terms, random);
        const auto [second, second_exact] = reduce_randomly(op, terms, random);
        if (!first_exact || !second_exact) {
          ++inexact;
          continue;
        }
        ++comparable;
        different += first == second ? 0 : 1;
      }
      RULE_EQ("NUM-34", 0, different);
      RULE_TRUE("NUM-34", comparable > 300) << comparable;
      const bool rounds = op == Op::add || op == Op::mul;
      RULE_TRUE("NUM-34", rounds == (inexact > 0)) << op_name(op) << " at " << name(t);
    }
  }
}

/// A digest of many results, functions included.
std::uint64_t digest() {
  std::uint64_t hash = 0;
  for (const Type t : float_types) {
    for (const Scalar x : interp::boundary_values(t)) {
      for (int o = static_cast<int>(Op::neg); o < static_cast<int>(Op::select); ++o) {
        if (numerics::find(static_cast<Op>(o), t) == nullptr) continue;
        const Scalar operands[] = {x, x, x};
        const Reference r = computed(static_cast<Op>(o), operands);
        hash = (hash ^ r.bits ^ (r.inexact ? 1U : 0U)) * 0x100000001b3U;
      }
    }
  }
  return hash;
}

TEST(NumericsSurroundings, ThreadsAndMpfrSettingsChangeNothing) {
  const std::uint64_t expected = digest();
  std::uint64_t others[4] = {};
  std::vector<std::thread> threads;
  for (std::uint64_t& slot : others) threads.emplace_back([&slot] { slot = digest(); });
  for (std::thread& t : threads) t.join();
  for (const std::uint64_t d : others) RULE_EQ("NUM-35", expected, d);

  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  const mpfr_prec_t precision = mpfr_get_default_prec();
  mpfr_set_emin(-5);
  mpfr_set_emax(5);
  mpfr_set_default_prec(13);
  mpfr_clear_flags();
  RULE_EQ("NUM-35", expected, digest());
  RULE_TRUE("NUM-35",
            mpfr_get_emin() == -5 && mpfr_get_emax() == 5 && mpfr_get_default_prec() == 13 && mpfr_flags_save() == 0);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  mpfr_set_default_prec(precision);
}

}  // namespace
}  // namespace assay::test
