// Literals: rounding source text to a type's bits, and writing bits as text that reads back to the same bits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/type.hpp"

namespace assay {

/// An integer literal in a place of storage type `to` (rounded once, ties to even, for floats); nothing when an integer
/// type cannot hold it, f8e4m3fn would overflow, or `to` is bool or u32x4.
std::optional<Scalar> literal_from_integer(Type to, Int128 value);
/// A finite decimal or hexadecimal float literal rounded once (ties to even) to float type `to`; nothing where f8e4m3fn,
/// which has no infinity, would overflow.
std::optional<Scalar> literal_from_float(Type to, std::string_view text);
/// `inf` of a float type that has it (has_infinity), and `nan` of a float type (the one NaN, NUM-2).
Scalar infinity(Type t, bool negative);
Scalar canonical_nan(Type t);

/// The float value as double (exact for every float type); integers, index and bool rounded to double. Not for u32x4.
double to_double(Scalar s);
/// Shortest decimal text that the grammar reads back as the same bits of the same type ("-1.5", "inf", "nan", "true", "-7");
/// for a block the call that makes it, "u32x4(1, 2, 3, 4)".
std::string to_text(Scalar s);
/// The decimal digits of an integer, with a `-` when it is negative.
std::string decimal_text(Int128 value);

}  // namespace assay
