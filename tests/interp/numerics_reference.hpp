// A second formulation of the float types and operations: formats by their defining formula, rounding by MPFR.
//
// Nothing here is shared with interp/: a fault in one is not a fault in the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interp/numerics.hpp"
#include "ir/expr.hpp"

namespace assay::test {

inline constexpr Type float_types[] = {Type::f64, Type::f32, Type::f16, Type::bf16, Type::f8e5m2, Type::f8e4m3fn};
inline constexpr Type integer_types[] = {Type::i8, Type::i16, Type::i32, Type::i64,
                                         Type::u8, Type::u16, Type::u32, Type::u64};

/// A value and whether it was rounded.
struct Reference {
  std::uint64_t bits = 0;
  bool inexact = false;
  bool operator==(const Reference&) const = default;
};

/// Significand bits (the leading one included), the bias of the exponent field, the greatest exponent, the largest value.
int precision(Type t);
int bias(Type t);
int greatest_exponent(Type t);
double largest(Type t);

/// The value of a pattern as a double (exact), from the definition of the format.
double decode(Scalar s);
/// The pattern of a double that float type t holds exactly; NaN, and an infinity where there is none, give the canonical
/// NaN.
std::uint64_t encode(Type t, double value);

/// RN(op(operands)) at the operands' type by MPFR: + − × / fma sqrt recip and the functions. Special cases that MPFR
/// defines otherwise (rsqrt of zeros) are written out.
Reference reference(Op op, const Scalar* operands);
/// RN of a double, or of an integer, at float type t by MPFR; `saturate`: what is too large becomes the largest value.
Reference reference_round(Type t, double value, bool saturate = false);
Reference reference_round(Type t, Int128 value, bool saturate = false);
/// The same under the rule of T(x): f8e4m3fn saturates.
template <typename V>
Reference reference_convert(Type t, V value) {
  return reference_round(t, value, t == Type::f8e4m3fn);
}

/// "f16:3c00 (1)" for messages.
std::string show(Scalar s);
std::string op_name(Op op);

/// Runs an operation of interp/numerics.
Reference computed(Op op, const Scalar* operands);
Reference computed_convert(Type to, Scalar value);

/// Counts comparisons and keeps the first difference, so that loops over millions of cases report once.
class Tally {
 public:
  void compare(const Reference& expected, const Reference& actual, const std::string& operation, const Scalar* operands,
               int count);
  void check(bool held, const std::string& operation, const Scalar* operands, int count);
  std::uint64_t cases() const { return cases_; }
  std::uint64_t failures() const { return failures_; }
  const std::string& first() const { return first_; }
  /// For EXPECT: cases ran and none failed.
  explicit operator bool() const { return cases_ > 0 && failures_ == 0; }
  std::string summary() const;

 private:
  void fail(std::string message);
  std::uint64_t cases_ = 0, failures_ = 0;
  std::string first_;
};

/// Whether ASSAY_LONG_TESTS=1.
bool long_tests();
/// The reason for skipping a long test of `what`.
std::string left_out(const std::string& what);

}  // namespace assay::test
