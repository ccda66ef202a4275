// Glue between generators and judges. For each right random program and line:
//   proved     -> both programs leave the same memory on every kind of input (order-exact cells where the order changed)
//   violated   -> enumerating all access pairs at the witness's sizes finds a broken one
// Anything else is a failure of the product, and is reported with the program and the line.
#include "fuzz/targets/step_property.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fuzz/generators/random_line.hpp"
#include "fuzz/generators/random_program.hpp"
#include "fuzz/judges/access_order.hpp"
#include "fuzz/judges/thread_races.hpp"
#include "fuzz/targets/paired_runs.hpp"
#include "interp/inputs.hpp"
#include "interp/interpreter.hpp"
#include "ir/analysis/launch.hpp"
#include "ir/traverse.hpp"
#include "oracle/compare.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"

namespace assay::fuzz {
namespace {

constexpr interp::InputKind kinds[] = {interp::InputKind::exact, interp::InputKind::adversarial,
                                       interp::InputKind::special};

class StepRun {
 public:
  explicit StepRun(const StepPropertyOptions& options) : options_(options), query_(make_portfolio_query()) {}

  StepPropertyResult run() {
    for (std::uint64_t k = 0; result_.pairs < options_.pairs; ++k) {
      interp::Random random(interp::seed_for("step-property", options_.seed * 1000003 + k));
      ProgramShape shape;
      shape.threads = random.below(12) == 0;
      const Program p = number_statements(random_program(random, shape));
      if (!check_well_formed(p).empty() || all_sizes(p).empty() || !right(p)) {
        ++result_.discarded;
        continue;
      }
      const int lines = 1 + static_cast<int>(random.below(3));
      for (int l = 0; l < lines; ++l) judge(p, random_line(random, p, options_.operation));
      if (options_.stop_at_failure && !result_.failures.empty()) break;
    }
    return std::move(result_);
  }

 private:
  bool right(const Program& p) {
    ++result_.linted;
    const Obligation* open = nullptr;
    const std::vector<Obligation> obligations = lint_obligations(p, *query_);
    for (const Obligation& o : obligations) {
      if (o.status == Obligation::Status::violated) return false;
      if (o.status == Obligation::Status::undecided && !open) open = &o;
    }
    if (!open) return true;
    if (!options_.fault && runs_clean(p)) ++result_.needless_lint[open->kind + " " + open->code];
    return false;
  }

  static bool runs_clean(const Program& p) {
    for (const ParameterMap& size : all_sizes(p)) {
      for (const interp::InputKind kind : kinds) {
        interp::Options options;
        options.parameters = size;
        options.budget = 300'000;
        options.detect_races = true;
        const interp::Outcome o = interp::run(p, interp::generate_inputs(p, size, kind, 0), options);
        if (o.status != interp::Status::ok || o.race) return false;
      }
    }
    return true;
  }

  // Nothing that could be observed is wrong with the step.
  bool harmless(const Program& before, const Program& after) {
    for (const ParameterMap& size : all_sizes(before)) {
      if (knows_order(after) && find_broken_pair(before, after, size)) return false;
    }
    return !runs_differ(before, after);
  }

  void fail(const Program& p, const ScheduleLine& line, const std::string& what) {
    result_.failures.push_back(fmt::format("{}\n{}\n{}", what, line.text, print(p)));
  }

  void judge(const Program& before, const ScheduleLine& line) {
    auto rewritten = apply_line(before, line, *query_);
    if (!rewritten) {
      if (options_.fault) return;
      ++result_.pairs;
      ++result_.codes[rewritten.error().diagnostic.code];
      ++result_.operations[line.op].refused;
      ++(rewritten.error().kind == Refusal::Kind::error ? result_.errors : result_.inapplicable);
      return;
    }
    Program after = rewritten->program;
    if (options_.fault) {
      // An operation whose honest results may be refuted: there a fault shows in a result that was proved.
      if (line.op == "fuse_epilogue" && !options_.executions_alone && !is_proved(before, after)) return;
      const auto changed = options_.fault(before, after, line);
      if (!changed) return;
      after = *changed;
    }
    ++result_.pairs;
    Visitor axes;
    axes.enter_stmt = [&](const Stmt& s) {
      if (s->kind == StmtKind::loop) ++result_.axes[std::string(name(s->axis))];
      return true;
    };
    visit(after.body, axes);
    if (const auto problems = check_well_formed(after); !problems.empty()) {
      fail(before, line, "the result is not well formed: " + problems[0].message);
      return;
    }
    if (options_.fault && line.op == "fuse_epilogue" && !options_.executions_alone) {
      if (!is_proved(before, after)) fail(before, line, "the result is no longer proved");
      return;
    }
    if (options_.executions_alone) return judge_runs(before, rewritten->program, after, line);
    if (!judge_pair(before, after, line, true) || options_.fault) return;
    // Folding is a step of its own, of a program that is right.
    const Program unfolded = number_statements(after);
    const Program folded = fold_guards(unfolded, *query_).program;
    if (!(folded == unfolded)) judge_pair(unfolded, folded, line, false);
  }

  bool is_proved(const Program& before, const Program& after) {
    const Validation v = validate(before, after, *query_);
    return std::all_of(v.obligations.begin(), v.obligations.end(),
                       [](const Obligation& o) { return o.status == Obligation::Status::proved; });
  }

  // Whether the step was proved.
  bool judge_pair(const Program& before, const Program& after, const ScheduleLine& line, bool counted) {
    const Validation v = validate(before, after, *query_);
    const Obligation* open = nullptr;
    const Obligation* violated = nullptr;
    for (const Obligation& o : v.obligations) {
      if (o.status != Obligation::Status::proved && counted) ++result_.codes[o.code];
      // These say that the operation itself is wrong, whatever the program.
      // (What `fuse_epilogue` makes is right only where the producer stores every cell: it leaves that to the proof.)
      const bool own_fault = o.kind == "claim" || o.kind == "text" || o.kind == "guard-fold" ||
                             (o.kind == "domain-bijection" && line.op != "fuse_epilogue");
      if (own_fault && o.status != Obligation::Status::proved) {
        fail(before, line, fmt::format("the rewrite is wrong: {} ({}) {}", o.kind, o.code, o.reason));
        return false;
      }
      if (o.status == Obligation::Status::undecided && !open) open = &o;
      if (o.status == Obligation::Status::violated && !violated) violated = &o;
    }
    if (!counted && (violated || open)) {
      fail(before, line, "guard folding is not proved: " + (violated ? violated : open)->kind);
      return false;
    }
    if (violated) {
      ++result_.violated;
      ++result_.operations[line.op].violated;
      judge_violation(before, after, line, *violated);
    } else if (open) {
      ++result_.undecided;
      if (counted && !options_.fault && harmless(before, after)) ++result_.needless[open->kind + " " + open->code];
      ++result_.operations[line.op].undecided;
    } else {
      result_.proved += counted ? 1 : 0;
      result_.operations[line.op].proved += counted ? 1 : 0;
      judge_proof(before, after, line, v);
      return true;
    }
    return false;
  }

  // These keep the order of serial loops: what they violate is their own fault (SPLIT-2, UNR-2, PART-2, PAD-2, COA-2,
  // EXZ-1).
  // A launch can end the copies of variables and buffers, and reverses nothing (FIS-1).
  static bool keeps_order(const Program& before, const ScheduleLine& line, const Obligation& o) {
    if (line.op == "fission") return o.kind == "dependence-order";
    static const std::set<std::string> orderly{"split",    "unroll",      "partition", "pad",
                                               "coalesce", "expand_zero", "tensorize"};
    if (orderly.count(line.op) == 0) return false;
    for (const ScheduleWord& operand : line.operands) {
      for (const Stmt& loop : find_loops(before, operand.text)) {
        if (loop->axis != Axis::serial && loop->axis != Axis::unrolled) return false;
      }
    }
    return true;
  }

  void judge_runs(const Program& before, const Program& honest, const Program& faulty, const ScheduleLine& line) {
    if (runs_differ(before, honest) || !runs_differ(before, faulty)) return;
    fail(before, line, "the result runs differently");
  }

  void judge_violation(const Program& before, const Program& after, const ScheduleLine& line, const Obligation& o) {
    if (keeps_order(before, line, o))
      return fail(before, line, fmt::format("{} of a serial loop violates {} ({})", line.op, o.kind, o.code));
    const auto threads = find_thread_races(after, o.witness->parameters);
    const bool races = threads && (!threads->uniform || threads->thread_race);
    if (o.code == "RACE-2" || o.code == "BAR-1") {
      if (threads && !races)
        fail(before, line, fmt::format("{} ({}) is called violated, and no threads meet", o.kind, o.code));
      return;
    }
    if (!knows_order(after)) return;
    if (!find_broken_pair(before, after, o.witness->parameters)) {
      fail(before, line,
           fmt::format("{} ({}) is called violated, and enumeration finds no broken pair", o.kind, o.code));
      return;
    }
    if (!runs_differ(before, after)) ++result_.violated_but_equal;
  }

  void judge_proof(const Program& before, const Program& after, const ScheduleLine& line, const Validation& v) {
    run_both(before, after, v.reordered_before, v.reordered_after,
             [&](const interp::Outcome& a, const interp::Outcome& b, const std::string& at) {
               if (b.status == interp::Status::fault)
                 return fail(before, line, "proved, and the result faults at " + at + ": " + b.fault->message);
               if (b.race) return fail(before, line, "proved, and the result races at " + at);
               const auto cells = oracle::compare_cells(a, b);
               ++result_.compared;
               if (cells.compared == 0) ++result_.incomparable;
               if (cells.differing > 0)
                 fail(before, line, fmt::format("proved, and {} cells differ at {}", cells.differing, at));
             });
    if (const auto broken =
            v.licence == Licence::exact && v.obligations.back().kind != "same-contributions" && !reorders(v)
                ? broken_at_ends(before, after)
                : std::nullopt) {
      fail(before, line, "proved exact, and enumeration finds a broken pair: " + broken->text);
    }
  }

  // The enumeration of pairs knows grid groups and lanes, no threads.
  static bool knows_order(const Program& after) {
    return !needs_parallel_meaning(after) && !has_loop(after.body, {Axis::reduce});
  }

  // Whether an accumulation was reordered exactly (max, min, integers): the enumeration then finds reversed pairs rightly.
  static bool reorders(const Validation& v) {
    for (const Obligation& o : v.obligations) {
      if (o.kind == "same-contributions") return true;
    }
    return false;
  }
  static std::optional<OrderFinding> broken_at_ends(const Program& before, const Program& after) {
    if (before.find_buffer("ids")) return std::nullopt;  // the enumeration knows no ranges of dynamic indices
    if (!knows_order(after)) return std::nullopt;
    const auto all = all_sizes(before);
    for (const ParameterMap& size : {all.front(), all.back()}) {
      if (auto f = find_broken_pair(before, after, size)) return f;
    }
    return std::nullopt;
  }

  StepPropertyOptions options_;
  std::unique_ptr<Query> query_;
  StepPropertyResult result_;
};

}  // namespace

StepPropertyResult check_steps(const StepPropertyOptions& options) { return StepRun(options).run(); }

}  // namespace assay::fuzz
