// Which iteration of the loops around a statement its index values belong to.
#pragma once

#include <map>
#include <vector>

#include "ir/analysis/access.hpp"

namespace assay {

/// What a value over loop symbols is.
struct Equation {
  Index form{};
  Index value{};
};

/// What the conditions around a statement say: equations of its loop symbols.
std::vector<Equation> guard_equations(const Node& n);

/// Solves for the loop symbols that `known` lacks, as far as the equations tell them, and adds them: one unknown symbol with
/// the coefficient 1 or −1 after the other, several in one value as the digits of a mixed radix, and a quotient together with
/// the remainder of the same division. The result is the only candidate for such symbols within their bounds; whether it is
/// a solution is another question.
void solve_iteration(std::vector<Equation> equations, const std::vector<Stmt>& loops, std::map<Symbol, Index>& known);

}  // namespace assay
