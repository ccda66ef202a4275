// Literals: rounding source text to a type's bits, and writing bits as text that reads back to the same bits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/type.hpp"

namespace assay {

/// An integer literal in a place of storage type `to` (rounded once, ties to even, for floats); nothing when an integer
/// type cannot hold it or `to` is bool.
std::optional<Scalar> literal_from_integer(Type to, Int128 value);
/// A finite decimal or hexadecimal float literal rounded once (ties to even) to float type `to`.
std::optional<Scalar> literal_from_float(Type to, std::string_view text);
/// `inf` and `nan` of a float type (the one NaN, NUM-2).
Scalar infinity(Type t, bool negative);
Scalar canonical_nan(Type t);

/// The float value as double (exact for every float type); integers, index and bool rounded to double.
double to_double(Scalar s);
/// Shortest decimal text that the grammar reads back as the same bits of the same type ("-1.5", "inf", "nan", "true", "-7").
std::string to_text(Scalar s);
/// The decimal digits of an integer, with a `-` when it is negative.
std::string decimal_text(Int128 value);

}  // namespace assay
