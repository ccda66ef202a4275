// From a solver's values to an answer that can be relied on.
#pragma once

#include <map>
#include <string>

#include "proofs/obligation/query.hpp"
#include "proofs/smtlib/script.hpp"

namespace assay::smtlib {

/// "17", "-5", "(- 5)": nothing for anything else, or outside int64.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// A solver's claimed solution (symbols without a value may have any: 0) as an answer to `asked`: a solution only when the
/// formula is true at that point, checked here by evaluation; a quantified part is decided by `linear` at that point.
Answer checked_solution(const Script& asked, std::map<Symbol, std::int64_t> values, const Formula& question,
                        Query& linear);

}  // namespace assay::smtlib
