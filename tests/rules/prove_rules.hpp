// The evidence for a rewrite rule at a type: all values tried, or a proof by a solver.
#pragma once

#include <string>

#include "interp/laws.hpp"

namespace assay::rules {

struct Evidence {
  enum class Status {
    proved,
    refuted,
    wrong
  } status = Status::wrong;  // wrong: not what the table claims, or without a proof
  std::string by{};  // "exhaustion", "z3", "z3, integers", "z3, rounded once", "cvc5", "interpreter" (a witness)
  std::uint64_t operations = 0;  // cases of an exhaustion, Z3's resource count; 0 where unknown
  std::string detail{};          // a witness, or why there is no proof
};
std::string_view word(Evidence::Status s);

struct Limits {
  std::uint64_t quick_cases = std::uint64_t{1} << 16;  // of an exhaustion before a solver is asked …
  std::uint64_t cases = std::uint64_t{1} << 24;        // … and after all gave up
  std::uint64_t z3 = 10'000'000, cvc5 = 5'000'000;     // resource limits
};

/// Floats are cvc5's: an answer of this version of Z3 about them would count only together with cvc5's.
Evidence evidence(const laws::Law& law, Type type, const Limits& limits = {});

}  // namespace assay::rules
