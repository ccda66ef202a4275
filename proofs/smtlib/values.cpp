// Checks what a solver claims before anyone believes it.
#include "proofs/smtlib/values.hpp"

#include <charconv>

#include "proofs/obligation/products.hpp"

namespace assay::smtlib {

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '(' && c != ')' && c != ' ') digits += c;
  }
  std::int64_t v = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), v);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return v;
}

Answer checked_solution(const Script& asked, std::map<Symbol, std::int64_t> values, const Formula& question,
                        Query& linear) {
  for (const Symbol& s : asked.symbols) values.emplace(s, 0);
  if (evaluate(asked.formula, values, &linear) != true)
    return {Answer::Kind::unknown, {}, "the solver's values could not be checked"};
  Answer out{Answer::Kind::solution};
  std::set<Symbol> free;
  question.collect_free(free);
  for (const Symbol& s : free) out.solution[s] = values.at(s);
  return out;
}

}  // namespace assay::smtlib
