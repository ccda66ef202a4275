// Glue between generators and judges: obligations, and runs of both programs.
#include "fuzz/targets/rewrite_property.hpp"

#include <fmt/format.h>

#include "fuzz/generators/random_phases.hpp"
#include "fuzz/generators/random_program.hpp"
#include "fuzz/generators/rewritable.hpp"
#include "fuzz/targets/paired_runs.hpp"
#include "ir/text/source.hpp"
#include "oracle/compare.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"

namespace assay::fuzz {
namespace {

using Status = Obligation::Status;

class RewriteProperty {
 public:
  explicit RewriteProperty(const RewritePropertyOptions& options) : options_(options), query_(make_portfolio_query()) {
    for (const OperationEntry& e : operations()) {
      if (e.declaration.schema.front() == 'W' && (options.operation.empty() || options.operation == e.declaration.name))
        operations_.push_back(e.declaration.name);
    }
  }

  RewritePropertyResult run() {
    for (std::uint64_t k = 0; result_.pairs < options_.pairs && k < 60U * static_cast<unsigned>(options_.pairs); ++k) {
      interp::Random random(interp::seed_for("rewrite-property", options_.seed * 1000003 + k));
      const Program drawn =
          options_.threads ? parse_source(random_phases(random), "phases.air")->programs.at(0) : random_program(random);
      const Program p = number_statements(rewritable(random, drawn));
      if (!check_well_formed(p).empty() || all_sizes(p).empty()) continue;
      const ScheduleLine line = random_rewrite_line(random, p, operations_[random.below(operations_.size())]);
      auto rewritten = apply_line(p, line, *query_);
      if (!rewritten) {
        ++result_.refused;
        ++result_.codes[rewritten.error().diagnostic.code];
        continue;
      }
      std::optional<Program> after = std::move(rewritten->program);
      if (options_.fault) after = options_.fault->plant(p, *after, line);
      if (!after) continue;
      if (!check_well_formed(*after).empty()) {
        if (!options_.fault) fail(p, line, "the result is not well formed");
        continue;
      }
      if (is_right(p, *query_)) judge(p, *after, line);
    }
    return std::move(result_);
  }

 private:
  void fail(const Program& p, const ScheduleLine& line, const std::string& what) {
    result_.failures.push_back(fmt::format("{}\n{}\n{}", what, line.text, print(p)));
  }

  void judge(const Program& before, const Program& after, const ScheduleLine& line) {
    ++result_.pairs;
    const Obligation* open = nullptr;
    bool violated = false;
    const Validation v = validate(before, after, *query_);
    for (const Obligation& o : v.obligations) {
      if (o.status == Status::proved) continue;
      ++result_.codes[o.code];
      if (!open) open = &o;
      violated = violated || o.status == Status::violated;
      if (!options_.fault &&
          (o.kind == "claim" || o.kind == "text" || o.kind == "guard-fold" || o.kind == "domain-bijection"))
        fail(before, line,
             fmt::format("no law explains the result: {} ({}) {}\n{}", o.kind, o.code, o.reason, print(after)));
    }
    if (open) {
      ++(violated ? result_.violated : result_.undecided);
      const bool differ = runs_differ(before, after);
      if (differ) ++result_.differing;
      if (!violated && !differ) {
        ++result_.needless;
        result_.needless_lines.push_back(fmt::format("{}\n{}{}{}: {} ({})\n", line.text, print(before), print(after),
                                                     open->claim, open->code, open->reason));
      }
      return;
    }
    ++result_.proved;
    ++result_.proved_by[line.op];
    run_both(before, after, v.reordered_before, v.reordered_after,
             [&](const interp::Outcome& a, const interp::Outcome& b, const std::string& at) {
               if (b.status == interp::Status::fault)
                 return fail(before, line, "proved, and the result faults at " + at + ": " + b.fault->message);
               if (b.race) return fail(before, line, "proved, and the result races at " + at);
               if (const auto cells = oracle::compare_cells(a, b); cells.differing > 0)
                 fail(before, line,
                      fmt::format("proved, and {} cells differ at {}\n{}", cells.differing, at, print(after)));
             });
  }

  RewritePropertyOptions options_;
  std::unique_ptr<Query> query_;
  std::vector<std::string> operations_;
  RewritePropertyResult result_;
};

}  // namespace

RewritePropertyResult check_rewriting_steps(const RewritePropertyOptions& options) {
  return RewriteProperty(options).run();
}

}  // namespace assay::fuzz
