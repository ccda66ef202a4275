// Terms of SMT-LIB as text, and the question that every translation of a rule asks.
#pragma once

#include <fmt/format.h>

#include <string>

namespace assay::scalar {

/// An expression or a type that a translation does not know.
struct Unsupported {};

inline std::string either(const std::string& a, const std::string& b) {
  if (a == "false") return b;
  if (b == "false") return a;
  return fmt::format("(or {} {})", a, b);
}
inline std::string when(const std::string& c, const std::string& a, const std::string& b) {
  return fmt::format("(ite {} {} {})", c, a, b);
}

/// Satisfiable where the rule fails: only one side divides by zero, or neither does and `differ` holds, under `condition`
/// ("true": always).
inline std::string failure(const std::string& condition, const std::string& left_fault, const std::string& right_fault,
                           const std::string& differ) {
  return fmt::format("(assert {})\n(assert (or (xor {} {}) (and (not {}) {})))\n", condition, left_fault, right_fault,
                     left_fault, differ);
}

}  // namespace assay::scalar
