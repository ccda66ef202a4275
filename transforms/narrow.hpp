// Index values in a shorter form where that is the same value, by what is known at a place.
#pragma once

#include <functional>

#include "ir/analysis/interval.hpp"
#include "proofs/obligation/formula.hpp"

namespace assay {

/// Quotients that are constant and remainders that are their dividend, by ranges or by what `holds`; a remainder put
/// together with the quotient of the same division. Doing it twice changes nothing more.
Index narrowed(const Index& e, const Ranges& ranges, const std::function<bool(const Formula&)>& holds);

}  // namespace assay
