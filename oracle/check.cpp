// check = lint + (apply + prove) per step + interpret + execute -> one verdict.
//
// The object Check goes through its acts in order; each one either leaves the verdict open or ends the work.
#include "oracle/check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/analysis/launch.hpp"
#include "oracle/backends.hpp"
#include "oracle/keep.hpp"
#include "oracle/lint.hpp"
#include "oracle/step.hpp"
#include "oracle/turns.hpp"
#include "proofs/validate/async.hpp"

namespace assay::oracle {
namespace {

constexpr double full_size_work = 2e9;
constexpr std::int64_t full_size_bytes = std::int64_t{32} << 20;

class Check {
 public:
  Check(const Program& source, const SourceText& program_text, const Schedule& schedule,
        const SourceText& schedule_text, const CheckOptions& options)
      : source_(source),
        schedule_(schedule),
        options_(options),
        places_{program_text.file, schedule_text.file},
        query_(options.judges.query(options.budgets.query)),
        purse_(options.budgets.interpretation),
        reference_(source),
        current_(source) {
    report_.command = options.execute ? "check" : "apply";
    report_.program = source.name;
    add_text(report_, program_text);
    add_text(report_, schedule_text);
    report_.assumptions.emplace_back("distinct buffers do not overlap");
  }

  CheckResult run() {
    if (check_selection() && judge_source() && judge_steps()) execute();
    CheckResult out;
    report_.licence = licence_;
    if (report_.verdict == Verdict::legal) out.program = current_;
    out.report = std::move(report_);
    return out;
  }

 private:
  /// Ends the work with a verdict.
  bool conclude(Verdict v, std::string claim) {
    report_.verdict = v;
    report_.claim = std::move(claim);
    return false;
  }

  bool check_selection() {
    const int steps = static_cast<int>(schedule_.lines.size());
    for (const auto& [name, value] : {std::pair{"--upto", options_.upto}, std::pair{"--only", options_.only}}) {
      const int least = std::string_view(name) == "--upto" ? 0 : 1;
      if (!value || (*value >= least && *value <= steps)) continue;
      const std::string message = fmt::format("{} {}: the schedule has {}", name, *value, count(steps, "step"));
      report_.findings.push_back({FindingKind::error, {"CHK-15", message, {}, {}, {}}, {}, {}});
      return conclude(Verdict::error, message);
    }
    return true;
  }

  bool judge_source() {
    if (options_.on_program) options_.on_program(0, "source", source_);
    LintFindings found = lint_program(source_, places_, *query_, options_.judges, purse_, false);
    engines_.merge(found.engines);
    if (found.verdict == Verdict::clean) {
      known_ = *some_parameters(source_, *query_);
      return true;
    }
    report_.findings = std::move(found.findings);
    report_.observation = std::move(found.observation);
    report_.omissions = std::move(found.omissions);
    report_.obligations = std::move(found.obligations);
    if (found.ran && found.ran->cases > 0) report_.ran.push_back(cases_text(*found.ran) + " on the source program");
    if (found.verdict == Verdict::error) return conclude(Verdict::error, found.claim);
    return conclude(found.verdict, fmt::format("the source program: {}; no step was looked at", found.claim));
  }

  bool judge_steps() {
    const int last = options_.only.value_or(options_.upto.value_or(static_cast<int>(schedule_.lines.size())));
    for (int number = 1; number <= last; ++number) {
      const ScheduleLine& line = schedule_.lines[static_cast<std::size_t>(number - 1)];
      add_size_targets(current_, line, targets_);
      StepRequest request{current_, line, number, options_.licence, known_, targets_, places_, reproduce(number)};
      const bool judged = !options_.only || *options_.only == number;
      StepOutcome out = judged ? judge_step(request, *query_, options_.judges, purse_)
                               : apply_step(request, *query_, options_.judges);
      if (!take(std::move(out), number, judged)) return false;
    }
    return true;
  }

  bool take(StepOutcome out, int number, bool judged) {
    engines_.merge(out.engines);
    const Verdict status = out.report.status;
    const std::string op = out.report.op;
    if (judged) licence_ = std::max(licence_, out.report.licence);
    report_.steps.push_back(std::move(out.report));
    for (Finding& f : out.findings) report_.findings.push_back(std::move(f));
    if (out.program && options_.on_program) options_.on_program(number, op, *out.program);
    if (status != Verdict::legal) {
      report_.observation = report_.steps.back().observation;
      std::string claim = out.claim;
      if (status == Verdict::inapplicable) {
        claim = fmt::format("step {}", number);
        if (number > 1)
          claim += fmt::format("; {} {} legal ({})", number == 2 ? "step 1" : fmt::format("steps 1-{}", number - 1),
                               number == 2 ? "is" : "are", name(licence_));
      }
      if (status == Verdict::contradiction) keep(*out.program, claim);
      return conclude(status, claim);
    }
    // Composition of origins: what came from a reordered accumulation stays one that is reordered.
    if (judged) {
      for (int s : out.reordered) reordered_.insert(origin(s));
      reordered_.erase(-1);
    }
    if (judged && options_.only) {
      reference_ = current_;
      origins_.clear();
      reordered_ = out.reordered;
      combined_.clear();
    }
    // A statement that combines partial results comes from none of the reference.
    std::set<int> combined = out.reordered_after;
    for (std::size_t i = 0; i < out.origins.size(); ++i) {
      if (combined_.count(out.origins[i]) != 0) combined.insert(static_cast<int>(i));
    }
    combined_ = std::move(combined);
    std::vector<int> composed;
    for (int s : out.origins) composed.push_back(origin(s));
    origins_ = std::move(composed);
    current_ = std::move(*out.program);
    return true;
  }

  /// The statement of the reference program that a statement of the current one comes from.
  int origin(int statement) const {
    if (origins_.empty()) return statement;
    return statement >= 0 && static_cast<std::size_t>(statement) < origins_.size()
               ? origins_[static_cast<std::size_t>(statement)]
               : -1;
  }

  std::string reproduce(int number) const {
    if (options_.program_argument.empty()) return {};
    std::string out = "assay check " + options_.program_argument;
    if (!options_.schedule_argument.empty()) out += " " + options_.schedule_argument;
    return out + fmt::format(" --only {}", number);
  }

  // --- execution ---------------------------------------------------------------------------------------------------------

  std::set<int> reordered_now() const {
    std::set<int> out = combined_;
    for (std::size_t i = 0; i < origins_.size(); ++i) {
      if (reordered_.count(origins_[i]) != 0) out.insert(static_cast<int>(i));
    }
    return out;
  }

  void execute() {
    if (!options_.execute) {
      conclude_legal();
      return;
    }
    prepare_compilers();
    const Comparison ran = interpret();
    if (report_.verdict == Verdict::contradiction) return;
    run_full_size(ran);
    report_backends();
    if (report_.verdict == Verdict::contradiction) return;
    if (ran.cases == 0) {
      conclude(Verdict::undecided,
               fmt::format("{} proved, but no case fits the interpretation budget (CHK-2); try --param or --budget",
                           count(proved(), "obligation")));
      return;
    }
    if (!incomplete_.empty()) {
      conclude(Verdict::undecided,
               fmt::format("{} proved, but {}", count(proved(), "obligation"), incomplete_.front()));
      return;
    }
    if (check_required()) conclude_legal();
  }

  void prepare_compilers() {
    const bool threads = needs_parallel_meaning(reference_) || needs_parallel_meaning(current_);
    const std::vector<codegen::CompilerSpec> compilers =
        threads ? thread_compilers(options_.backends) : chosen_compilers(options_.backends);
    for (std::string& absent : absent_backends(options_.backends)) report_.omissions.push_back(std::move(absent));
    if (threads && compilers.empty()) {
      report_.omissions.emplace_back(options_.backends.empty()
                                         ? "simt: no gcc was found, or no assay-worker to run its code"
                                         : "generated C: not for programs with threads (simt and cuda are)");
      return;
    }
    if (compilers.empty() && options_.backends.empty())
      report_.omissions.emplace_back("c: no C compiler was found, or no assay-worker to run its code");
    if (compilers.empty() && options_.backends.count("interp") != 0)
      report_.omissions.emplace_back("c: not among --backends");
    for (const codegen::CompilerSpec& c : compilers) {
      std::vector<CopyPieces> copies;
      if (c.tiles != TileUnit::none) copies = {proved_copies(reference_, *query_), proved_copies(current_, *query_)};
      pairs_.push_back(std::make_unique<CompiledPair>(reference_, current_, c, !reordered_.empty(), copies));
      if (pairs_.back()->result().incomplete) incomplete_.push_back(*pairs_.back()->result().incomplete);
    }
  }

  Comparison interpret() {
    Plan plan;
    plan.sizes = sample_sizes(reference_, targets_, known_);
    add_largest_that_fits(plan.sizes);
    plan.waves = standard_waves(2);
    plan.force_first = true;
    plan.reordered_before = reordered_;
    plan.reordered_after = reordered_now();
    OtherTurns turns(current_, purse_);
    plan.on_case = [this, &turns](const ParameterMap& size, const InputChoice& choice, const TensorMap& inputs,
                                  const interp::Outcome& before, const interp::Outcome& after) {
      for (auto& pair : pairs_) pair->run_interpreted(size, choice, inputs, before, after);
      return turns.run(size, choice, inputs, after);
    };
    Comparison ran = compare(reference_, current_, plan, purse_);
    purse_.spend(turns.spent());
    ExecutionReport e;
    e.backend = "interp";
    e.rigour = reordered_.empty() ? 'B' : 'E';
    e.cases = ran.cases;
    e.cells = ran.cells;
    e.sizes = ran.sizes;
    if (ran.cases > ran.not_comparable) e.equal = !ran.observation;
    report_.executions.push_back(std::move(e));
    if (!ran.skipped.empty()) {
      const std::string sizes = sizes_text(ran.skipped, 4);
      report_.omissions.push_back("interpreted, too large for the budget: " +
                                  (sizes.empty() ? std::string("the only size") : sizes));
    }
    describe_interpretation(ran);
    if (auto line = turns.line()) report_.ran.push_back(*std::move(line));
    if (auto report = turns.report()) report_.executions.push_back(*std::move(report));
    if (turns.observation())
      contradict(turns.observation(), "every step is proved, and yet the turns of the threads matter: " +
                                          observation_text(*turns.observation(), "canonically", "then"));
    const std::optional<Observation>& seen = ran.reference ? ran.reference : ran.observation;
    if (seen && report_.verdict != Verdict::contradiction) {
      contradict(seen, ran.reference
                           ? "the source program was proved right, and yet it goes wrong: " + observation_text(*seen)
                           : "every step is proved, and yet the programs differ: " + observation_text(*seen));
    }
    return ran;
  }

  /// Wide ranges leave a gap between the sizes near the factors and an end that is out of reach.
  void add_largest_that_fits(std::vector<ParameterMap>& sizes) const {
    const auto size = full_size(reference_, static_cast<double>(purse_.left()) / 40, largest_footprint);
    if (!size || std::find(sizes.begin(), sizes.end(), *size) != sizes.end()) return;
    const double work = estimated_work(reference_, *size);
    const auto after = std::find_if(sizes.begin(), sizes.end(),
                                    [&](const ParameterMap& s) { return estimated_work(reference_, s) > work; });
    sizes.insert(after, *size);
  }

  void describe_interpretation(const Comparison& ran) {
    if (ran.cases == 0) return;
    report_.ran.push_back(cases_text(ran));
    std::string line = "interp (source = final)";
    for (const auto& pair : pairs_) {
      const ExecutionReport& executed = pair->result().report;
      if (executed.rigour != 'S' && executed.rigour != 'M' && executed.equal.value_or(false))
        line += " = " + pair->result().label;
    }
    if (ran.cases == ran.not_comparable) {
      line = "interp: not comparable (no order-exact cell)";
    } else if (reordered_.empty()) {
      line += ": every bit equal";
    } else {
      line += fmt::format(": every bit equal on {}; {} not order-exact, not compared",
                          count(ran.cells, "order-exact cell"), ran.excluded);
    }
    if (!ran.observation && !ran.reference) report_.ran.push_back(line);
  }

  void run_full_size(const Comparison& ran) {
    if (pairs_.empty()) return;
    const auto size = full_size(reference_, full_size_work, full_size_bytes);
    if (!size || std::find(ran.sizes.begin(), ran.sizes.end(), *size) != ran.sizes.end()) return;
    if (const auto bytes = footprint(current_, *size); !bytes || *bytes > 2 * full_size_bytes) return;
    // One compiler: at this size the schedule is in question, and every run takes its time.
    pairs_.front()->run_full(
        *size, {{InputChoice::Kind::exact, 0}, {InputChoice::Kind::adversarial, 0}, {InputChoice::Kind::special, 0}});
  }

  void report_backends() {
    incomplete_.clear();
    for (const auto& pair : pairs_) {
      const BackendResult& b = pair->result();
      report_.executions.push_back(b.report);
      report_.ran.insert(report_.ran.end(), b.notes.begin(), b.notes.end());
      if (b.report.rigour == 'S' && b.report.equal.value_or(false)) {
        report_.ran.push_back(
            fmt::format("{}: {} cells, every one in its enclosure (rigour S)", b.label, b.report.cells));
      }
      if (b.report.rigour == 'M' && b.report.equal.value_or(false)) {
        report_.ran.push_back(fmt::format(
            "{}: {} cells, tile products by the published model of the instructions: every bit as modelled (rigour M)",
            b.label, b.report.cells));
      }
      report_.omissions.insert(report_.omissions.end(), b.omissions.begin(), b.omissions.end());
      if (b.incomplete) {
        incomplete_.push_back(*b.incomplete);
        report_.omissions.push_back(*b.incomplete);
      }
      if (b.contradiction && report_.verdict != Verdict::contradiction)
        contradict(b.observation, "every step is proved, and yet " + *b.contradiction);
    }
  }

  bool check_required() {
    for (const std::string& name : options_.required) {
      const bool ran = std::any_of(report_.executions.begin(), report_.executions.end(), [&](const ExecutionReport& e) {
        const bool named = e.backend == name || e.detail.substr(0, e.detail.find(' ')) == name;
        return named && e.cases > 0 && e.equal.value_or(false);
      });
      if (ran) continue;
      report_.omissions.push_back(
          fmt::format("{}: {} (--require)", name,
                      is_backend_built(name) ? "did not run, or was not comparable" : "not here, or not built yet"));
      return conclude(Verdict::undecided,
                      fmt::format("{} proved, but the required backend {} did not run and agree (CHK-14)",
                                  count(proved(), "obligation"), name));
    }
    return true;
  }

  void contradict(const std::optional<Observation>& seen, const std::string& claim) {
    report_.observation = seen;
    Finding f;
    f.diagnostic = {"CHK-11", claim, source_.where, {}, places_.program_file};
    report_.findings.push_back(std::move(f));
    keep(current_, claim);
    conclude(Verdict::contradiction, claim);
  }

  void keep(const Program& final_program, const std::string& claim) {
    report_.kept = keep_case({reference_, final_program, schedule_, report_.observation, claim}, options_.keep_folder);
    report_.findings.back().remarks.push_back(report_.kept.empty() ? "the case could not be written to a file"
                                                                   : "the case is kept in " + report_.kept);
  }

  std::int64_t proved() const {
    std::int64_t n = 0;
    for (const StepReport& s : report_.steps) n += static_cast<std::int64_t>(s.obligations.size());
    return n;
  }

  void conclude_legal() {
    const std::string promise = licence_ == Licence::exact          ? "same bits"
                                : licence_ == Licence::reassociates ? "the same terms, some added in another order,"
                                                                    : "the same up to where rounding happens,";
    std::string claim = fmt::format("{} for {}; {} proved, 0 assumed, 0 bounded", promise, domain_text(source_),
                                    count(proved(), "obligation"));
    if (options_.only) claim = fmt::format("step {} alone: {}", *options_.only, claim);
    if (schedule_.lines.empty())
      claim = fmt::format("no step to judge; the program is clean for {}", domain_text(source_));
    conclude(Verdict::legal, claim);
  }

  const Program& source_;
  const Schedule& schedule_;
  const CheckOptions& options_;
  const Places places_;
  const std::unique_ptr<Query> query_;
  Purse purse_;
  Report report_{};
  Program reference_;  // what the final program is compared with: the source, or the program before step --only
  Program current_;
  std::vector<int> origins_{};  // of current_'s statements in reference_; empty: identity
  std::set<int> reordered_{};   // accumulations of reference_ whose order changed
  std::set<int> combined_{};    // statements of current_ that did so
  Licence licence_ = Licence::exact;
  ParameterMap known_{};
  SizeTargets targets_{};
  std::set<std::string> engines_{};
  std::vector<std::unique_ptr<CompiledPair>> pairs_{};
  std::vector<std::string> incomplete_{};
};

}  // namespace

CheckResult check(const Program& source, const SourceText& program_text, const Schedule& schedule,
                  const SourceText& schedule_text, const CheckOptions& options) {
  return Check(source, program_text, schedule, schedule_text, options).run();
}

}  // namespace assay::oracle
