// Engines compared on the questions that the obligations kept, and these questions as files.
#include "oracle/cross_check.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "oracle/files.hpp"
#include "proofs/isl/query.hpp"
#include "proofs/obligation/holds.hpp"
#include "proofs/smtlib/script.hpp"

namespace assay::oracle {
namespace {

using Kind = Answer::Kind;

std::string point_text(const std::map<Symbol, std::int64_t>& solution) {
  std::vector<std::string> parts;
  for (const auto& [symbol, value] : solution) parts.push_back(fmt::format("{} = {}", symbol, value));
  return parts.empty() ? "any point" : join(parts);
}

/// What all answers of one engine to the questions of one obligation amount to.
void add_opinion(std::vector<EngineOpinion>& list, const Answer& answer) {
  EngineOpinion* own = nullptr;
  for (EngineOpinion& o : list) {
    if (o.engine == answer.engine) own = &o;
  }
  if (own == nullptr) own = &list.emplace_back(EngineOpinion{answer.engine, Obligation::Status::proved, {}});
  if (answer.kind == Kind::solution) own->status = Obligation::Status::violated;
  if (answer.kind == Kind::unknown && own->status == Obligation::Status::proved) {
    own->status = Obligation::Status::undecided;
    own->reason = answer.reason;
  }
}

/// Asks every engine; a finding for the first obligation on which two disagree.
std::optional<Finding> compare_engines(std::vector<ObligationReport>& obligations, const Judges& judges,
                                       const Places& places) {
  std::optional<Finding> found;
  const std::vector<std::unique_ptr<Query>> engines = judges.engines(judges.inspection.budget);
  for (ObligationReport& o : obligations) {
    for (std::size_t k = 0; k < o.obligation.questions.size(); ++k) {
      std::optional<Answer> none, some;
      for (const auto& engine : engines) {
        const Answer answer = engine->solve(o.obligation.questions[k]);
        add_opinion(o.opinions, answer);
        if (answer.kind == Kind::empty && !none) none = answer;
        if (answer.kind == Kind::solution && !some) some = answer;
      }
      if (!none || !some || found) continue;
      Finding f;
      f.diagnostic = {"ENG-1",
                      fmt::format("{} and {} disagree about obligation {} ({})", none->engine, some->engine, o.id,
                                  o.obligation.kind),
                      {},
                      "keep the question (--dump DIR) and report it: one of the engines is wrong",
                      places.program_file};
      f.remarks.push_back(fmt::format("claim {}: {}", o.id, o.obligation.claim));
      f.remarks.push_back(fmt::format("question {}: {} says that it has no solution, {} gives {}", k + 1, none->engine,
                                      some->engine, point_text(some->solution)));
      found = std::move(f);
    }
  }
  return found;
}

/// A point that is none of the violation set that the engine was asked for (ENG-2).
std::optional<Finding> point_outside(const std::vector<ObligationReport>& obligations, Query& query,
                                     const Places& places) {
  for (const ObligationReport& report : obligations) {
    const Obligation& o = report.obligation;
    if (o.status != Obligation::Status::violated || o.questions.empty() || o.solution.empty()) continue;
    if (holds_at(o.questions.back(), o.solution, query).value_or(true)) continue;
    Finding f;
    f.diagnostic = {
        "ENG-2",
        fmt::format("{} refutes obligation {} ({}) by a point that does not violate it", o.engine, report.id, o.kind),
        {},
        "keep the question (--dump DIR) and report it: the engine is wrong",
        places.program_file};
    f.remarks.push_back(fmt::format("claim {}: {}", report.id, o.claim));
    f.remarks.push_back("the point: " + point_text(o.solution));
    return f;
  }
  return std::nullopt;
}

/// ID-KIND.N.smt2 and ID-KIND.N.isl for each question; what went wrong, if anything.
std::optional<std::string> dump(const std::vector<ObligationReport>& obligations, const std::string& folder) {
  std::error_code e;
  std::filesystem::create_directories(folder, e);
  if (e) return fmt::format("cannot make the folder {}: {}", folder, e.message());
  for (const ObligationReport& o : obligations) {
    for (std::size_t k = 0; k < o.obligation.questions.size(); ++k) {
      const Formula& f = o.obligation.questions[k];
      const std::string path = fmt::format("{}/{}-{}.{}", folder, o.id, o.obligation.kind, k + 1);
      const std::string head = fmt::format("{} ({}): {}", o.id, o.obligation.kind, o.obligation.claim);
      const std::string holds = "holds when there is no solution";
      if (auto why =
              write_file(path + ".smt2", fmt::format("; {}\n; {}: unsat\n{}", head, holds, smtlib::script(f).text())))
        return why;
      if (auto why = write_file(path + ".isl", fmt::format("# {}\n# {}: empty\n{}", head, holds, isl_text(f))))
        return why;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Objection> inspect(std::vector<ObligationReport>& obligations, const Judges& judges, Query& query,
                                 const Places& places) {
  const Inspection& wanted = judges.inspection;
  if (!wanted.dump_folder.empty()) {
    if (auto why = dump(obligations, wanted.dump_folder))
      return Objection{Verdict::error, {FindingKind::error, {"CLI-8", *why, {}, {}, {}}, {}, {}}};
  }
  if (auto found = point_outside(obligations, query, places))
    return Objection{Verdict::contradiction, std::move(*found)};
  if (!wanted.cross_check) return std::nullopt;
  auto found = compare_engines(obligations, judges, places);
  if (!found) return std::nullopt;
  return Objection{Verdict::contradiction, std::move(*found)};
}

}  // namespace assay::oracle
