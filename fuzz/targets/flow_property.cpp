// Glue between generators and judges: obligations, the trace of terms, and runs.
#include "fuzz/targets/flow_property.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/generators/random_accumulation_line.hpp"
#include "fuzz/generators/random_flow_line.hpp"
#include "fuzz/generators/random_program.hpp"
#include "fuzz/judges/value_trace.hpp"
#include "fuzz/targets/paired_runs.hpp"
#include "oracle/compare.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"

namespace assay::fuzz {
namespace {

using Status = Obligation::Status;

class FlowProperty {
 public:
  explicit FlowProperty(const FlowPropertyOptions& options) : options_(options), query_(make_portfolio_query()) {
    for (const OperationEntry& e : operations()) {
      if (belongs(e.declaration) && (options.operation.empty() || options.operation == e.declaration.name))
        operations_.push_back(e.declaration.name);
    }
  }

  FlowPropertyResult run() {
    for (std::uint64_t k = 0; result_.pairs < options_.pairs && k < 50U * static_cast<unsigned>(options_.pairs); ++k) {
      interp::Random random(interp::seed_for("flow-property", options_.seed * 1000003 + k));
      const Program p = number_statements(random_program(random));
      if (!check_well_formed(p).empty() || all_sizes(p).empty()) continue;
      // Most lines do not fit: draw some before the program is linted.
      std::vector<std::pair<ScheduleLine, Program>> fitting;
      for (int l = 0; l < 4; ++l) {
        const std::string& operation = operations_[random.below(operations_.size())];
        const ScheduleLine line =
            accumulates() ? random_accumulation_line(random, p, operation) : random_flow_line(random, p, operation);
        auto rewritten = apply_line(p, line, *query_);
        if (!rewritten) {
          ++result_.refused;
          ++result_.codes[rewritten.error().diagnostic.code];
          continue;
        }
        std::optional<Program> after = std::move(rewritten->program);
        if (options_.fault) after = options_.fault->plant(p, *after, line);
        if (after && check_well_formed(*after).empty())
          fitting.emplace_back(line, *std::move(after));
        else if (!options_.fault)
          fail(p, line, "the result is not well formed");
      }
      if (fitting.empty() || !is_right(p, *query_)) continue;
      for (const auto& [line, after] : fitting) judge(p, after, line);
      if (options_.stop_at_failure && !result_.failures.empty()) break;
    }
    return std::move(result_);
  }

 private:
  bool accumulates() const { return options_.schema == 'A'; }
  // Some lines of an operation of another schema accumulate through partial results.
  bool belongs(const Declaration& d) const {
    if (!accumulates()) {
      // Lines are drawn from an access and loops around it: for operations that take loops.
      return d.schema.front() == options_.schema &&
             std::any_of(d.parameters.begin(), d.parameters.end(),
                         [](const ParameterInfo& p) { return p.kind == ParameterInfo::Kind::loops; });
    }
    return std::find(d.obligations.begin(), d.obligations.end(), "same-contributions") != d.obligations.end();
  }

  void fail(const Program& p, const ScheduleLine& line, const std::string& what) {
    result_.failures.push_back(fmt::format("{}\n{}\n{}", what, line.text, print(p)));
  }

  // Some path, at some size, on which terms differ; `covered` when all paths tried could be traced.
  std::optional<TraceFinding> trace(const Program& before, const Program& after, const std::vector<ParameterMap>& sizes,
                                    bool& covered) const {
    covered = true;
    for (const ParameterMap& size : sizes) {
      for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const TraceResult r = trace_values(before, after, size, seed, accumulates());
        covered &= r.covered;
        if (r.finding) return r.finding;
      }
    }
    return std::nullopt;
  }

  void judge(const Program& before, const Program& after, const ScheduleLine& line) {
    ++result_.pairs;
    const Validation v = validate(before, after, *query_);
    const Obligation* violated = nullptr;
    const Obligation* open = nullptr;
    for (const Obligation& o : v.obligations) {
      if (o.status == Status::proved) continue;
      ++result_.codes[o.code];
      if (o.status == Status::violated && !violated) violated = &o;
      if (o.status == Status::undecided && !open) open = &o;
      if (!options_.fault && (o.kind == "text" || o.code == "DOM-3"))
        fail(before, line, fmt::format("the rewrite is wrong: {} ({}) {}", o.kind, o.code, o.reason));
    }
    std::vector<ParameterMap> sizes = chosen_sizes(before);
    if (violated && violated->witness) sizes.insert(sizes.begin(), violated->witness->parameters);
    bool covered = false;
    // A wider accumulation computes other terms; what it leaves on order-exact cells is compared.
    const bool wider = line.op == "privatize" && std::any_of(line.keys.begin(), line.keys.end(), [](const auto& key) {
                         return key.first.text == "precision";
                       });
    const auto other = wider ? std::nullopt : trace(before, after, sizes, covered);
    if (covered || other) ++result_.traced;
    if (violated) {
      ++result_.violated;
      const bool differ = runs_differ(before, after, v.reordered_before, v.reordered_after);
      if (!differ) ++result_.same_bits;
      if (covered && !other) {
        ++result_.same_terms;
        // Terms do not see lanes that conflict.
        if (differ && !accumulates()) fail(before, line, "the runs differ, and the terms do not");
      }
    } else if (open) {
      ++result_.undecided;
      if (covered && !other) ++result_.needless;
    } else {
      ++result_.proved;
      ++result_.proved_by[line.op];
      if (other) fail(before, line, "proved, and the terms differ: " + other->text);
      judge_runs(before, after, line, v);
      if (!options_.fault) judge_folded(after, line);
    }
  }

  void judge_runs(const Program& before, const Program& after, const ScheduleLine& line, const Validation& v) {
    const auto compare = [&](const interp::Outcome& a, const interp::Outcome& b, const std::string& at) {
      if (b.status == interp::Status::fault)
        return fail(before, line, "proved, and the result faults at " + at + ": " + b.fault->message);
      if (b.race) return fail(before, line, "proved, and the result races at " + at);
      if (const auto cells = oracle::compare_cells(a, b); cells.differing > 0)
        fail(before, line, fmt::format("proved, and {} cells differ at {}", cells.differing, at));
    };
    run_both(before, after, v.reordered_before, v.reordered_after, compare);
  }

  // Folding is a step of its own, of a program that is right.
  void judge_folded(const Program& after, const ScheduleLine& line) {
    const Program unfolded = number_statements(after);
    const Program folded = fold_guards(unfolded, *query_).program;
    if (folded == unfolded) return;
    for (const Obligation& o : validate(unfolded, folded, *query_).obligations) {
      if (o.status != Status::proved) return fail(unfolded, line, "guard folding is not proved: " + o.kind);
    }
  }

  FlowPropertyOptions options_;
  std::unique_ptr<Query> query_;
  std::vector<std::string> operations_;
  FlowPropertyResult result_;
};

}  // namespace

std::string statistics(const FlowPropertyResult& r) {
  std::string out = fmt::format(
      "pairs {} (lines refused {}): proved {}, violated {} (equal on every input tried {}, equal terms {}), undecided "
      "{} (equal terms {}); traced by terms {}\n",
      r.pairs, r.refused, r.proved, r.violated, r.same_bits, r.same_terms, r.undecided, r.needless, r.traced);
  for (const auto& [operation, count] : r.proved_by) out += fmt::format("  {} proved {}\n", operation, count);
  for (const auto& [code, count] : r.codes) out += fmt::format("  {} {}\n", code, count);
  return out;
}

FlowPropertyResult check_flow_steps(const FlowPropertyOptions& options) { return FlowProperty(options).run(); }

}  // namespace assay::fuzz
