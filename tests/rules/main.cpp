// prove_rules [--cases LOG2] [--z3 RLIMIT] [--cvc5 RLIMIT] [LAW…]: the list of rules with type, claim, status, solver,
// operations and time, tab-separated. Its kept output is tests/rules/proved.tsv.
#include <chrono>
#include <cstring>
#include <iostream>

#include <fmt/format.h>

#include "interp/values.hpp"
#include "prove_rules.hpp"

int main(int count, char** arguments) {
  using namespace assay;
  rules::Limits limits;
  std::vector<std::string> names;
  for (int i = 1; i < count; ++i) {
    const std::string a = arguments[i];
    if (a.rfind("--", 0) != 0) {
      names.push_back(a);
      continue;
    }
    if (i + 1 == count) return 2;
    const std::uint64_t value = std::strtoull(arguments[++i], nullptr, 10);
    if (a == "--cases")
      limits.cases = std::uint64_t{1} << value;
    else if (a == "--z3")
      limits.z3 = value;
    else if (a == "--cvc5")
      limits.cvc5 = value;
    else
      return 2;
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
