// Conversions that lose nothing: from a type to one that holds every value of it.
#pragma once

#include "ir/type.hpp"

namespace assay {

/// Every value of `from` is a value of `to`, so that converting there and back gives the same bits (NaN is one value).
/// Floats to wider floats that have at least the same exponents and digits; integers to wider ones that hold the range, and to
/// floats with as many digits.
bool widens_exactly(Type from, Type to);

}  // namespace assay
