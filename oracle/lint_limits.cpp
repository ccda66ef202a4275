// Proof and evaluation share no code: obligations speak of all parameter values, and a violated one counts when the launch
// shapes, worked out at the witness's values, exceed the limit.
#include "oracle/lint_limits.hpp"

#include <fmt/format.h>

#include "proofs/validate/limits.hpp"

namespace assay::oracle {
namespace {

using Status = Obligation::Status;

constexpr std::int64_t evaluation_budget = 10'000'000;

/// "launch 1 asks for 2048 threads in a group at n = 3; 1024 are there", when it does.
std::optional<std::string> excess(const Program& p, const DeviceLimits& limits, const Obligation& o) {
  const auto shapes = launch_shapes(p, o.witness->parameters, evaluation_budget);
  if (!shapes) return std::nullopt;
  for (std::size_t k = 0; k < shapes->size(); ++k) {
    for (std::size_t i = 0; i < resource_count; ++i) {
      const auto r = static_cast<Resource>(i);
      if (!limits.of(r) || limit_claim(k, r, *limits.of(r)) != o.claim) continue;
      const auto wanted = requested((*shapes)[k], r);
      if (wanted && *wanted <= *limits.of(r)) continue;
      const std::string at = o.witness->parameters.empty() ? std::string() : " at " + text(o.witness->parameters);
      return fmt::format("launch {} asks for {} {}{}; the limit is {}", k + 1,
                         wanted ? std::to_string(*wanted) : "more than 2^63", description(r), at, *limits.of(r));
    }
  }
  return std::nullopt;
}

/// Worse than what linting says so far: a contradiction beats all, then faulty, then undecided.
void worsen(LintFindings& found, Verdict verdict, std::string claim) {
  const auto rank = [](Verdict v) {
    return v == Verdict::contradiction || v == Verdict::error ? 3
           : v == Verdict::faulty                             ? 2
           : v == Verdict::undecided                          ? 1
                                                              : 0;
  };
  if (rank(verdict) <= rank(found.verdict)) return;
  found.verdict = verdict;
  found.claim = std::move(claim);
}

const char* way_out(const std::string& code) {
  if (code == limit_code(Resource::shared)) return "make the `shared` buffers that the launch uses smaller";
  if (code == limit_code(Resource::registers)) return "keep fewer values in `local` buffers and variables at once";
  return "make the loops of that kind shorter, or serial";
}

}  // namespace

void judge_limits(const Program& p, const DeviceLimits& limits, Query& query, const Places& places,
                  LintFindings& found) {
  if (found.verdict == Verdict::error) return;
  int proved = 0;
  for (Obligation& o : limit_obligations(p, limits, query)) {
    ObligationReport report{std::to_string(found.obligations.size() + 1), std::move(o), false};
    const Obligation& mine = report.obligation;
    if (mine.status == Status::proved) {
      ++proved;
    } else if (mine.status == Status::undecided) {
      found.findings.push_back(obligation_finding(report, std::nullopt, nullptr, places));
      worsen(found, Verdict::undecided, "it could not be decided whether every launch keeps within " + limits.text);
    } else if (const auto seen = excess(p, limits, mine)) {
      report.replayed = true;
      Finding f;
      f.diagnostic = {mine.code, *seen, {}, way_out(mine.code), places.program_file};
      found.findings.push_back(std::move(f));
      worsen(found, Verdict::faulty, *seen);
    } else {
      worsen(found, Verdict::contradiction,
             fmt::format("claim {} ({}) is violated by proof, and the launches worked out at {} keep within the limit",
                         report.id, mine.claim, text(mine.witness->parameters)));
    }
    found.obligations.push_back(std::move(report));
  }
  if (found.verdict == Verdict::clean && proved > 0)
    found.claim += fmt::format("; every launch keeps within {}", limits.text);
}

}  // namespace assay::oracle
