// One interpretation.
#include "oracle/run.hpp"

#include <fmt/format.h>

#include "oracle/lint.hpp"

namespace assay::oracle {
namespace {

/// Given tensors must be those of input or inout buffers, of their type and shape.
std::vector<Diagnostic> misfits(const Program& p, const ParameterMap& parameters, const RunOptions& options,
                                const std::string& file) {
  std::vector<Diagnostic> out;
  std::vector<std::string> names;
  for (const Buffer& b : p.buffers) {
    if (b.kind == BufferKind::input || b.kind == BufferKind::inout) names.push_back(b.name);
  }
  for (const auto& [buffer, tensor] : options.given) {
    const Buffer* b = p.find_buffer(buffer);
    if (b == nullptr || (b->kind != BufferKind::input && b->kind != BufferKind::inout)) {
      const std::string close = suggest(buffer, names);
      out.push_back({"CLI-9",
                     fmt::format("`{}` is no input or inout buffer of {}", buffer, p.name),
                     {},
                     close.empty() ? "" : fmt::format("did you mean `{}`?", close),
                     file});
      continue;
    }
    const auto dims = interp::shape(*b, parameters);
    const auto named = options.files.find(buffer);
    if (tensor.type != b->type || !dims || tensor.dims != *dims) {
      out.push_back({"CLI-9",
                     fmt::format("`{}` is {}[{}] here, and {} holds {}[{}]", buffer, name(b->type),
                                 dims ? fmt::format("{}", fmt::join(*dims, ", ")) : "?",
                                 named != options.files.end() ? named->second : "the file", name(tensor.type),
                                 fmt::join(tensor.dims, ", ")),
                     b->where,
                     {},
                     file});
    }
  }
  return out;
}

}  // namespace

RunResult run(const Program& p, const SourceText& source, const RunOptions& options) {
  RunResult out;
  Report& r = out.report;
  const auto fail_with = [&](std::vector<Diagnostic> diagnostics) {
    for (Diagnostic& d : diagnostics) {
      if (d.file.empty()) d.file = source.file;
    }
    r = error_report("run", std::move(diagnostics));
    r.program = p.name;
    add_text(r, source);
    return out;
  };
  const std::unique_ptr<Query> query = options.judges.query(options.budgets.query);
  const auto parameters = some_parameters(p, *query);
  if (!parameters) return fail_with(parameters.error());
  if (auto faults = misfits(p, *parameters, options, source.file); !faults.empty()) return fail_with(std::move(faults));
  r.command = "run";
  r.program = p.name;
  add_text(r, source);
  const std::string at = parameters->empty() ? std::string() : " at " + text(*parameters);
  const auto bytes = footprint(p, *parameters);
  if (!bytes || *bytes > 4 * largest_footprint) {
    r.verdict = Verdict::undecided;
    r.claim = fmt::format("the buffers{} are too large to run here", at);
    return out;
  }
  InputChoice choice{InputChoice::Kind::exact, options.seed};
  if (options.kind == interp::InputKind::adversarial) choice.kind = InputChoice::Kind::adversarial;
  if (options.kind == interp::InputKind::special) choice.kind = InputChoice::Kind::special;
  TensorMap inputs = make_inputs(p, *parameters, choice);
  bool all_given = true;
  for (auto& [buffer, tensor] : inputs) {
    const auto found = options.given.find(buffer);
    if (found != options.given.end())
      tensor = found->second;
    else
      all_given = false;
  }
  if (all_given && !options.given.empty()) choice.kind = InputChoice::Kind::given;
  interp::Options run_options;
  run_options.parameters = *parameters;
  run_options.budget = options.operations;
  run_options.detect_races =
      can_race(p) && estimated_work(p, *parameters) <= static_cast<double>(options.budgets.interpretation);
  if (can_race(p) && !run_options.detect_races)
    r.omissions.emplace_back("races between groups and threads were not looked for: the run is too large");
  interp::Outcome outcome = interp::run(p, inputs, run_options);
  r.ran.push_back(fmt::format("{}{}, {} operations", text(choice), at, outcome.operations));
  if (outcome.status == interp::Status::budget) {
    r.verdict = Verdict::undecided;
    r.claim = fmt::format("stopped after {} operations{}; nothing is known about the rest (--budget)",
                          outcome.operations, at);
    return out;
  }
  if (auto seen = trouble(outcome, *parameters, choice)) {
    seen->input_values = input_values(inputs);
    r.verdict = Verdict::faulty;
    r.findings.push_back(observation_finding(*seen, nullptr, {source.file, {}}));
    r.claim = observation_text(*seen);
    r.observation = std::move(seen);
    return out;
  }
  r.verdict = Verdict::ok;
  r.claim = fmt::format("ran to the end on {}{}; {} operations", text(choice), at, outcome.operations);
  for (const Buffer& b : p.buffers) {
    const auto found = outcome.outputs.find(b.name);
    if (found == outcome.outputs.end()) continue;
    r.outputs.push_back({b.name, b.type, found->second.dims, values_text(found->second, 8), {}});
  }
  out.outputs = std::move(outcome.outputs);
  return out;
}

}  // namespace assay::oracle
