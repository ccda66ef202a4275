// Z3 and cvc5 on SMT-LIB text of any logic: bit-vectors and floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace assay {

/// What a solver says about the satisfiability of a script's assertions.
struct Satisfiable {
  std::optional<bool> answer{};  // nothing: it gave up
  std::string reason{};          // then
  std::uint64_t operations = 0;  // of Z3's resource count; 0 where unknown
};

/// Declarations and assertions under a logic, within a resource limit and with a fixed seed.
Satisfiable z3_satisfiable(const std::string& logic, const std::string& body, std::uint64_t rlimit);
/// The same by the command `cvc5`; gives up where it is not installed.
Satisfiable cvc5_satisfiable(const std::string& logic, const std::string& body, std::uint64_t rlimit);

}  // namespace assay
