// prove_rules [--cases LOG2] [--z3 RLIMIT] [--cvc5 RLIMIT] [LAW…]: the list of rules with type, claim, status, solver,
// operations and time, tab-separated. Its kept output is tests/rules/proved.tsv.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <iostream>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "interp/values.hpp"
#include "prove_rules.hpp"

namespace {

using namespace assay;

int usage(const std::string& why) {
  std::cerr << fmt::format(
      "prove_rules: {}\nusage: prove_rules [--cases LOG2] [--z3 RLIMIT] [--cvc5 RLIMIT] [LAW...]\n", why);
  return 2;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_law(const std::string& name) {
  const std::span<const laws::Law> all = laws::all_laws();
  return std::any_of(all.begin(), all.end(), [&](const laws::Law& law) { return law.name == name; });
}

}  // namespace

int main(int count, char** arguments) {
  rules::Limits limits;
  std::vector<std::string> names;
  for (int i = 1; i < count; ++i) {
    const std::string a = arguments[i];
    if (a.rfind("--", 0) != 0) {
      if (!is_law(a)) return usage(fmt::format("there is no law `{}`", a));
      names.push_back(a);
      continue;
    }
    if (a != "--cases" && a != "--z3" && a != "--cvc5") return usage(fmt::format("there is no option {}", a));
    const auto value = i + 1 < count ? number(arguments[++i]) : std::nullopt;
    if (!value || (a == "--cases" && *value > 32)) return usage(fmt::format("{} takes a number (--cases up to 32)", a));
    if (a == "--cases")
      limits.cases = std::uint64_t{1} << *value;
    else
      (a == "--z3" ? limits.z3 : limits.cvc5) = *value;
  }
  std::cout << "rule\tlaw\ttype\tclaim\tstatus\tby\toperations\tms\tdetail\n";
  bool wrong = false;
  for (const laws::Law& law : laws::all_laws()) {
    if (!names.empty() && std::find(names.begin(), names.end(), law.name) == names.end()) continue;
    for (const Type t : storage_types) {
      const bool exact = law.exact.contains(t);
      if (!exact && !law.refuted.contains(t)) continue;
      const auto start = std::chrono::steady_clock::now();
      const rules::Evidence e = rules::evidence(law, t, limits);
      const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
      wrong = wrong || e.status == rules::Evidence::Status::wrong;
      std::cout << fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", law.rule, law.name, name(t),
                               exact ? "exact" : "forbidden", rules::word(e.status), e.by, e.operations, ms.count(),
                               e.detail)
                << std::flush;
    }
  }
  return wrong ? 1 : 0;
}
