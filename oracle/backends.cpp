// Running compiled code. Every run is in a worker process (codegen), so a crash or a hang is an outcome.
#include "oracle/backends.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/enclosure/enclosure.hpp"
#include "ir/literal.hpp"

namespace assay::oracle {
namespace {

constexpr int case_seconds = 20;
constexpr int full_seconds = 120;
constexpr std::uint64_t enclosure_budget = 2'000'000;  // operations on ranges, which cost more than others
constexpr std::uint64_t model_budget = 20'000'000;     // operations of a tree walk

std::string at_text(const ParameterMap& size) { return size.empty() ? std::string() : " at " + text(size); }

}  // namespace

CompiledPair::CompiledPair(const Program& before, const Program& after, const codegen::CompilerSpec& compiler,
                           bool reordered, const std::vector<CopyPieces>& copies)
    : program_(before),
      final_program_(after),
      tiles_(has_tile_instruction(before) || has_tile_instruction(after) ? compiler.tiles : TileUnit::none),
      reordered_(reordered || tiles_ != TileUnit::none),
      compared_(!codegen::has_uncompared_operations(before) && !codegen::has_uncompared_operations(after)) {
  result_.report.backend = compiler.name;
  result_.report.detail = compiler.flags.empty() ? compiler.command : compiler.command + " " + compiler.flags;
  // There the compiler makes the host's side; the kernels are built by the platform.
  if (compiler.dialect != codegen::Dialect::gnu && compiler.dialect != codegen::Dialect::tcc &&
      compiler.dialect != codegen::Dialect::simt)
    result_.report.detail = "host " + result_.report.detail;
  result_.label = compiler.command == compiler.name ? result_.report.detail
                                                    : fmt::format("{} ({})", compiler.name, result_.report.detail);
  if (!compared_) {
    result_.report.rigour = 'U';
    not_compared_ = fmt::format(
        "{}: run but not compared: it uses f64 functions that generated code does not promise to the bit (rigour U)",
        result_.label);
    result_.omissions.push_back(not_compared_);
  }
  if (tiles_ != TileUnit::none && compared_) result_.report.rigour = 'M';
  if (compiler.tiles != TileUnit::none) {
    if (!has_tile_instruction(after) && (copies.size() < 2 || copies[1].empty())) {
      result_.omissions.push_back(fmt::format(
          "{}: not run: no tile product fits an instruction, and no copy may be asynchronous", result_.label));
      return;
    }
  }
  std::vector<codegen::Compiled> both = codegen::compile_batch({&before, &after}, compiler, copies);
  for (const std::size_t i : {0, 1}) {
    if (both[i].kernel || result_.incomplete) continue;
    const codegen::KernelOutcome& error = both[i].error;
    const std::string which = i == 0 ? "source" : "final";
    // What another compiler covers is not missing because tcc is a small compiler (CHK-18), nor what no device does (BACK-2).
    const bool partial = compiler.dialect != codegen::Dialect::gnu;
    if (partial && error.status == codegen::KernelOutcome::Status::unavailable) {
      result_.omissions.push_back(fmt::format("{}: not run: {}", result_.label, error.message));
      return;
    }
    result_.incomplete =
        fmt::format("{}: the {} program could not be compiled: {}", result_.label, which, error.message);
  }
  before_ = std::move(both[0].kernel);
  after_ = std::move(both[1].kernel);
}

std::optional<TensorMap> CompiledPair::run(codegen::Kernel& kernel, const std::string& which, const ParameterMap& size,
                                           const InputChoice& choice, const TensorMap& inputs, int seconds) {
  codegen::KernelOutcome out = kernel.run(size, inputs, std::chrono::seconds(seconds));
  using Status = codegen::KernelOutcome::Status;
  if (out.status == Status::ok) return std::move(out.outputs);
  const std::string where = fmt::format("{}: the {} program, {}{}", result_.label, which, text(choice), at_text(size));
  if (out.status == Status::crashed) {
    result_.contradiction =
        fmt::format("{}: crashed ({}), although the interpreter finds no fault", where, out.message);
  } else if (out.status == Status::unavailable) {
    refused_ = true;
    result_.omissions.push_back(fmt::format("{}: {}", where, out.message));
  } else if (out.status == Status::timed_out) {
    result_.incomplete = fmt::format("{}: no answer within {} s", where, seconds);
  } else {
    result_.incomplete = fmt::format("{}: {}", where, out.message);
  }
  return std::nullopt;
}

bool CompiledPair::agree(const TensorMap& expected, const TensorMap& actual, const std::string& expected_name,
                         const std::string& actual_name, const ParameterMap& size, const InputChoice& choice,
                         const TensorMap& inputs) {
  if (!compared_) return true;
  const CellComparison cells = compare_cells(expected, actual);
  result_.report.cells += cells.compared;
  if (!cells.first) return true;
  Observation o = difference(cells, size, choice, inputs);
  result_.contradiction = fmt::format("{} and {} disagree on {}", expected_name, actual_name,
                                      observation_text(o, "(" + expected_name + ")", "(" + actual_name + ")"));
  result_.observation = std::move(o);
  result_.report.equal = false;
  return false;
}

bool CompiledPair::enclosed(const Program& p, const std::string& which, const ParameterMap& size,
                            const InputChoice& choice, const TensorMap& inputs, const TensorMap& executed) {
  if (compared_) return true;
  interp::Options options;
  options.parameters = size;
  options.budget = enclosure_budget;
  const interp::enclosure::Enclosure e = interp::enclosure::enclose(p, inputs, options);
  if (!e.undecided.empty()) {
    if (not_enclosed_++ == 0) {
      result_.notes.push_back(fmt::format("{}: no enclosure of the {} program, {}{}: {}", result_.label, which,
                                          text(choice), at_text(size), e.undecided));
    }
    return true;
  }
  std::erase(result_.omissions, not_compared_);
  result_.report.rigour = 'S';
  result_.report.equal = true;
  for (const auto& [buffer, t] : executed) result_.report.cells += t.size();
  const auto escape = interp::enclosure::find_escape(e, executed);
  if (!escape) return true;
  result_.contradiction = fmt::format(
      "{}: the {} program, {}{}: {}[{}] = {} is outside {}, which holds every value that its functions may have "
      "(rigour S)",
      result_.label, which, text(choice), at_text(size), escape->buffer, fmt::join(escape->cell, ", "),
      to_text(escape->executed), interp::enclosure::text(escape->range));
  result_.report.equal = false;
  return false;
}

std::optional<TensorMap> CompiledPair::modelled(const Program& p, const std::string& which, const ParameterMap& size,
                                                const InputChoice& choice, const TensorMap& inputs) {
  interp::Options options;
  options.parameters = size;
  options.budget = model_budget;
  options.tiles = tiles_;
  interp::Outcome out = interp::run(p, inputs, options);
  if (out.status == interp::Status::ok) return std::move(out.outputs);
  const std::string why = out.fault ? out.fault->message : out.limit;
  const std::string where =
      fmt::format("{}: the {} program by the model, {}{}: {}", result_.label, which, text(choice), at_text(size), why);
  if (out.status == interp::Status::fault) {
    result_.contradiction = where;
  } else if (not_modelled_++ == 0) {
    result_.notes.push_back(where);
  }
  return std::nullopt;
}

bool CompiledPair::run_interpreted(const ParameterMap& size, const InputChoice& choice, const TensorMap& inputs,
                                   const interp::Outcome& before, const interp::Outcome& after) {
  if (!usable()) return false;
  std::optional<TensorMap> source_model, final_model;  // in place of what the interpreter made of the nests
  if (tiles_ != TileUnit::none) {
    source_model = modelled(program_, "source", size, choice, inputs);
    final_model = modelled(final_program_, "final", size, choice, inputs);
    if (!source_model || !final_model) return false;
  }
  const auto first = run(*before_, "source", size, choice, inputs, case_seconds);
  if (!first || !agree(source_model ? *source_model : before.outputs, *first, "interp",
                       result_.label + " of the source", size, choice, inputs))
    return false;
  if (!enclosed(program_, "source", size, choice, inputs, *first)) return false;
  const auto second = run(*after_, "final", size, choice, inputs, case_seconds);
  if (!second || !enclosed(final_program_, "final", size, choice, inputs, *second) ||
      !agree(final_model ? *final_model : after.outputs, *second, "interp", result_.label + " of the final program",
             size, choice, inputs))
    return false;
  ++result_.report.cases;
  std::vector<ParameterMap>& sizes = result_.report.sizes;
  if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  if (compared_) result_.report.equal = true;
  return true;
}

void CompiledPair::run_full(const ParameterMap& size, const std::vector<InputChoice>& choices) {
  int done = 0;
  for (const InputChoice& choice : choices) {
    if (!usable()) return;
    const TensorMap inputs = make_inputs(program_, size, choice);
    const auto first = run(*before_, "source", size, choice, inputs, full_seconds);
    if (!first) return;
    const auto second = run(*after_, "final", size, choice, inputs, full_seconds);
    if (!second) return;
    if (!reordered_ &&
        !agree(*first, *second, "source", "final program, both by " + result_.label, size, choice, inputs))
      return;
    ++done;
  }
  if (done == 0) return;
  result_.report.sizes.push_back(size);
  result_.report.cases += done;
  const std::string verdict = !compared_   ? "run, not compared"
                              : reordered_ ? "run, not compared with each other (order or rounding changed)"
                                           : "source = final: every bit equal";
  result_.notes.push_back(fmt::format("{}, {}{}: {}", result_.label, count(done, "input"), at_text(size), verdict));
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names{"interp", "c",    "gcc",        "clang",      "tcc",        "opencl",    "oclgrind",
                                 "simt",   "cuda", "simt-sm_80", "simt-sm_90", "cuda-sm_80", "cuda-sm_90"};
  for (const char* family : {"c", "clang"}) {
    for (const char* level : {"-O0", "-O1", "-O3", "-v3"}) names.push_back(std::string(family) + level);
  }
  return names;
}

bool is_backend_name(const std::string& name) {
  const auto names = backend_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

namespace {

/// A compiler by its name, or the usual level of a command.
bool is_named(const codegen::CompilerSpec& c, const std::string& name, bool level) {
  return c.name == name || (!level && c.command == name);
}

}  // namespace

bool is_backend_built(const std::string& name) { return name == "interp" || !chosen_compilers({name}).empty(); }

std::vector<codegen::CompilerSpec> chosen_compilers(const std::set<std::string>& chosen) {
  std::vector<codegen::CompilerSpec> out;
  const auto add = [&](std::vector<codegen::CompilerSpec> all, bool level) {
    for (codegen::CompilerSpec& c : all) {
      const bool wanted = chosen.empty() ? !level && c.name != "clang"
                                         : std::any_of(chosen.begin(), chosen.end(),
                                                       [&](const std::string& n) { return is_named(c, n, level); });
      if (wanted) out.push_back(std::move(c));
    }
  };
  add(codegen::available_compilers(), false);
  if (chosen.empty()) return out;
  add(codegen::compiler_levels(), true);
  add(codegen::device_compilers(), true);
  return out;
}

std::vector<codegen::CompilerSpec> thread_compilers(const std::set<std::string>& chosen) {
  std::vector<codegen::CompilerSpec> out = codegen::device_compilers();
  std::erase_if(out, [&](const codegen::CompilerSpec& c) {
    return chosen.empty() ? c.name != "simt" : chosen.count(c.name) == 0;
  });
  return out;
}

std::vector<std::string> absent_backends(const std::set<std::string>& chosen) {
  std::vector<std::string> out;
  for (const std::string& name : chosen) {
    if (is_backend_built(name)) continue;
    const bool processor = name.ends_with("-v3") && is_backend_built(name.substr(0, name.size() - 3));
    out.push_back(name + (processor ? ": this processor has no x86-64-v3" : ": not installed"));
  }
  return out;
}

}  // namespace assay::oracle
