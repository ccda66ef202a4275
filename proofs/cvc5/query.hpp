// The cvc5 engine: the command `cvc5`, where it is installed, on the SMT-LIB text of a formula.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "proofs/obligation/query.hpp"

namespace assay {

inline constexpr std::uint64_t default_cvc5_budget = 100'000;

/// "cvc5 1.0.3"; nothing where the command is missing or does not say its version. Asked once per process.
std::optional<std::string> cvc5_engine_name();
/// An engine that answers by the command `cvc5` with the resource limit `rlimit` and a fixed seed (PRF-2). A solution is
/// checked by evaluation before it is returned, and is not minimised. Every answer is unknown where cvc5 is not installed.
std::unique_ptr<Query> make_cvc5_query(std::uint64_t rlimit = default_cvc5_budget);
/// What `cvc5 arguments…` prints with `input` as its standard input; nothing when it cannot be run.
std::optional<std::string> run_cvc5(const std::vector<std::string>& arguments, const std::string& input);

}  // namespace assay
