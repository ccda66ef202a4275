// Verdicts: the closed list of answers, their words and their exit statuses (format.md §3; CLI-1).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::oracle {

enum class Verdict : std::uint8_t {
  ok,
  clean,
  legal,
  equivalent,
  sound,  // holds, for what the last line says
  faulty,
  illegal,
  different,
  unsound,
  failed,        // refuted by something that was run, or above the licence asked for
  error,         // text, name, type, parameter or command line is wrong
  undecided,     // not proved, not refuted
  inapplicable,  // a step does not fit the program's form
  contradiction  // two judges disagree
};

/// The word of the fixed surface: "legal".
std::string_view word(Verdict v);
std::optional<Verdict> parse_verdict(std::string_view text);
/// The exit status of a command that ends in this verdict (CLI-1).
int exit_status(Verdict v);
constexpr bool is_success(Verdict v) { return v <= Verdict::sound; }

}  // namespace assay::oracle
