// Refuting equivalence by running both programs, and proving it of programs that differ in names of their own alone.
#include "oracle/prove.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/analysis/canonical.hpp"
#include "oracle/lint.hpp"
#include "oracle/thread_findings.hpp"

namespace assay::oracle {
namespace {

constexpr std::uint64_t enumeration_limit = 65536;
constexpr int most_seeds = 256;  // of each generator and size, where programs are so small that the purse allows it

std::vector<InputChoice> enumeration(std::uint64_t n) {
  std::vector<InputChoice> out;
  for (std::uint64_t i = 0; i < n; ++i) out.push_back({InputChoice::Kind::enumerated, i});
  return out;
}

bool interface_buffer(const Buffer& b) {
  return b.kind == BufferKind::input || b.kind == BufferKind::inout || b.kind == BufferKind::output;
}

std::string shape_text(const Buffer& b) {
  std::vector<std::string> dims;
  for (const Index& d : b.dims) dims.push_back(d.text());
  return fmt::format("{}: {}[{}]", name(b.kind), name(b.type), join(dims));
}

/// PROVE-1: what both programs must share. Places are in `b`.
std::vector<Diagnostic> interface_mismatches(const Program& a, const Program& b, const std::string& file) {
  std::vector<Diagnostic> out;
  const auto complain = [&](std::string message, Location where, std::string help) {
    out.push_back({"PROVE-1", std::move(message), where, std::move(help), file});
  };
  for (const Parameter& p : a.parameters) {
    const Parameter* q = b.find_parameter(p.name);
    if (q == nullptr)
      complain(fmt::format("program {} has no parameter `{}`", b.name, p.name), b.where, "parameters match by name");
    else if (q->lo != p.lo || q->hi != p.hi)
      complain(fmt::format("parameter `{}` ranges over {}..{}, in program {} over {}..{}", p.name, q->lo, q->hi, a.name,
                           p.lo, p.hi),
               q->where, "");
  }
  for (const Parameter& q : b.parameters) {
    if (a.find_parameter(q.name) == nullptr)
      complain(fmt::format("program {} has no parameter `{}`", a.name, q.name), q.where, "parameters match by name");
  }
  for (const Buffer& x : a.buffers) {
    if (!interface_buffer(x)) continue;
    const Buffer* y = b.find_buffer(x.name);
    if (y == nullptr || !interface_buffer(*y)) {
      complain(fmt::format("program {} has no buffer `{}` ({})", b.name, x.name, shape_text(x)), b.where,
               "input, inout and output buffers match by name");
    } else if (y->kind != x.kind || y->type != x.type || y->dims != x.dims) {
      complain(fmt::format("buffer `{}` is {}, in program {} it is {}", x.name, shape_text(*y), a.name, shape_text(x)),
               y->where, "");
    } else if (y->range != x.range) {
      complain(fmt::format("buffer `{}` has another range of values in program {}", x.name, a.name), y->where, "");
    }
  }
  for (const Buffer& y : b.buffers) {
    if (!interface_buffer(y)) continue;
    const Buffer* x = a.find_buffer(y.name);
    if (x == nullptr || !interface_buffer(*x))
      complain(fmt::format("program {} has no buffer `{}` ({})", a.name, y.name, shape_text(y)), y.where,
               "input, inout and output buffers match by name");
  }
  return out;
}

/// The first program with the requirements of both: what may be assumed on every case.
Program with_both_requirements(const Program& a, const Program& b) {
  Program out = a;
  out.requirements.insert(out.requirements.end(), b.requirements.begin(), b.requirements.end());
  return out;
}

}  // namespace

Comparison refute(const Program& before, const Program& after, const RefuteRequest& request, Purse& purse) {
  Comparison total;
  Plan plan;
  plan.reordered_before = request.reordered_before;
  plan.reordered_after = request.reordered_after;
  const auto done = [&] { return total.observation || total.reference; };
  const auto round = [&](std::vector<ParameterMap> sizes, Waves waves) {
    if (sizes.empty() || done()) return;
    plan.sizes = std::move(sizes);
    plan.waves = std::move(waves);
    plan.force_first = total.cases == 0;
    add_comparison(total, compare(before, after, plan, purse));
  };
  const std::vector<ParameterMap> samples = sample_sizes(before, request.targets, request.known);
  round(request.first, standard_waves(4));
  round(samples, standard_waves(1));
  for (const ParameterMap& size : samples) {
    const auto n = count_inputs(before, size, enumeration_limit);
    if (n && !done()) round({size}, {enumeration(*n)});
  }
  round(samples, standard_waves(most_seeds));
  return total;
}

namespace {

bool is_interface(const Buffer& b) {
  return b.kind == BufferKind::input || b.kind == BufferKind::inout || b.kind == BufferKind::output;
}

// Buffers of a canonical form are numbered by first use: using those of the interface first, by name, pins their names.
Program pinned(Program p) {
  std::map<Symbol, Stmt> uses;
  for (const Buffer& b : p.buffers) {
    if (is_interface(b)) uses.emplace(b.name, make_zero(b.name));
  }
  Block body;
  for (const auto& [name, use] : uses) body.push_back(use);
  body.insert(body.end(), p.body.begin(), p.body.end());
  p.body = std::move(body);
  return p;
}

bool same_up_to_own_names(const Program& a, const Program& b) {
  const bool parameters = std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(), b.parameters.end(),
                                     [](const Parameter& p, const Parameter& q) { return p.name == q.name; });
  return parameters && canonical(pinned(a)) == canonical(pinned(b));
}

// PROVE-5: how many obligations of the program were proved.
std::optional<std::size_t> proved_equal(const Program& a, const Program& b, Query& query) {
  if (!same_up_to_own_names(a, b)) return std::nullopt;
  const std::vector<Obligation> list = lint_obligations(a, query);
  const bool all =
      std::all_of(list.begin(), list.end(), [](const Obligation& o) { return o.status == Obligation::Status::proved; });
  return all ? std::make_optional(list.size()) : std::nullopt;
}

}  // namespace

Report prove(const Program& a, const SourceText& a_text, const Program& b, const SourceText& b_text,
             const ProveOptions& options) {
  std::vector<Diagnostic> mismatches = interface_mismatches(a, b, b_text.file);
  const std::unique_ptr<Query> query = options.judges.query(options.budgets.query);
  const Program reference = with_both_requirements(a, b);
  RefuteRequest request;
  if (mismatches.empty()) {
    const auto known = some_parameters(reference, *query);
    if (known)
      request.known = *known;
    else
      mismatches = known.error();
  }
  if (!mismatches.empty()) {
    Report r = error_report("prove", std::move(mismatches));
    r.program = a.name;
    add_text(r, a_text);
    add_text(r, b_text);
    return r;
  }
  Report r;
  r.command = "prove";
  r.program = a.name;
  add_text(r, a_text);
  add_text(r, b_text);
  Purse purse(options.budgets.interpretation);
  const Comparison found = refute(reference, b, request, purse);
  r.assumptions.emplace_back("distinct buffers do not overlap");
  ExecutionReport e;
  e.backend = "interp";
  e.cases = found.cases;
  e.cells = found.cells;
  e.sizes = found.sizes;
  e.equal = !found.observation && !found.reference;
  r.executions.push_back(std::move(e));
  if (found.cases > 0) r.ran.push_back(cases_text(found) + ", both programs interpreted");
  if (!found.skipped.empty())
    r.omissions.push_back("interpreted, too large for the budget: " +
                          (sizes_text(found.skipped, 4).empty() ? "the only size" : sizes_text(found.skipped, 4)));
  if (found.reference) {
    r.verdict = Verdict::faulty;
    r.observation = found.reference;
    r.findings.push_back(observation_finding(*found.reference, nullptr, {a_text.file, {}}));
    add_threads(r.findings.back(), reference, *found.reference, false, purse);
    r.claim = fmt::format("the first program, {}, goes wrong by itself; nothing is said about the second", a.name);
  } else if (found.observation) {
    r.verdict = Verdict::different;
    r.observation = found.observation;
    const std::string x = "in " + a.name, y = "in " + b.name;
    if (found.observation->kind == Observation::Kind::difference) {
      Finding f;
      f.diagnostic = {"PROVE-2",
                      fmt::format("{} and {} leave different values in {}", a.name, b.name,
                                  cell_text(found.observation->buffer, found.observation->cell)),
                      b.where, "", b_text.file};
      f.remarks.push_back("replayed on " + observation_text(*found.observation, x, y));
      r.findings.push_back(std::move(f));
      r.claim = "replayed on " + observation_text(*found.observation, x, y);
    } else {
      r.findings.push_back(observation_finding(*found.observation, nullptr, {b_text.file, {}}));
      add_threads(r.findings.back(), b, *found.observation, false, purse);
      r.claim =
          fmt::format("only the second program, {}, goes wrong: {}", b.name, observation_text(*found.observation));
    }
  } else if (const auto proved = proved_equal(a, b, *query)) {
    r.verdict = Verdict::equivalent;
    r.claim = fmt::format(
        "the programs differ in names of their own alone, and no input makes them go wrong: {} obligations "
        "proved",
        *proved);
  } else {
    r.verdict = Verdict::undecided;
    r.omissions.emplace_back(
        "equivalence is not proved by this version where more than names differ: it only searches for differences");
    r.claim = fmt::format("no difference on {}; this is not a proof", cases_text(found));
  }
  return r;
}

}  // namespace assay::oracle
