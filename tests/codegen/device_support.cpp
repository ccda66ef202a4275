#include "device_support.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "codegen/c/unit.hpp"
#include "interp/inputs.hpp"
#include "ir/text/source.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

std::vector<Program> read_programs() {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> folders{ASSAY_SOURCE_DIR "/tests/cases", ASSAY_SOURCE_DIR "/examples"};
  if (const char* more = std::getenv("ASSAY_DEVICE_PROGRAMS"); more != nullptr) folders.emplace_back(more);
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".air") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Program> out;
  for (const auto& path : files) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    const auto file = parse_source(text.str(), path.string());
    if (!file) continue;  // the cases of errors
    for (const Program& p : file->programs) {
      if (emit_cuda(p)) out.push_back(p);
    }
  }
  return out;
}

}  // namespace

const std::vector<Program>& covered_programs() {
  static const std::vector<Program> programs = read_programs();
  return programs;
}

namespace {

const CompilerSpec* find_device(const std::string& name) {
  static const std::vector<CompilerSpec> here = device_compilers();
  const auto found = std::find_if(here.begin(), here.end(), [&](const CompilerSpec& c) { return c.name == name; });
  return found == here.end() ? nullptr : &*found;
}

}  // namespace

bool on_gpu() {
  const char* const chosen = std::getenv("ASSAY_DEVICE");
  return chosen != nullptr && std::string_view(chosen) == "cuda";
}

int program_step() {
  if (std::getenv("ASSAY_PROPERTY_CASES") == nullptr) return 1;
  std::printf("a shortened run (ASSAY_PROPERTY_CASES): every tenth program only\n");
  return 10;
}

std::vector<CompilerSpec> instruction_compilers() {
  std::vector<CompilerSpec> out = device_compilers();
  const Dialect dialect = on_gpu() ? Dialect::cuda : Dialect::simt;
  std::erase_if(out, [&](const CompilerSpec& c) { return c.tiles == TileUnit::none || c.dialect != dialect; });
  return out;
}

const CompilerSpec* simt_compiler() { return find_device("simt"); }
const CompilerSpec* sm_80_compiler() { return find_device("simt-sm_80"); }
const CompilerSpec* device_compiler() { return find_device(on_gpu() ? "cuda" : "simt"); }

std::vector<Case> right_cases(const Program& p, const ParameterMap& parameters) {
  std::vector<Case> out;
  for (const auto kind : {interp::InputKind::exact, interp::InputKind::adversarial, interp::InputKind::special}) {
    interp::Options options;
    options.parameters = parameters;
    options.detect_races = true;
    options.budget = 2'000'000;
    Case c{parameters, interp::generate_inputs(p, parameters, kind, 1)};
    interp::Outcome outcome = interp::run(p, c.inputs, options);
    if (outcome.status != interp::Status::ok || outcome.race) continue;
    c.expected = std::move(outcome.outputs);
    out.push_back(std::move(c));
    if (on_gpu()) break;
  }
  return out;
}

std::vector<Case> right_cases(const Program& p) {
  const auto smallest = interp::smallest_parameters(p);
  return smallest ? right_cases(p, *smallest) : std::vector<Case>{};
}

int compare_with_interpreter(const std::vector<Program>& programs, const std::vector<std::vector<Case>>& cases,
                             const CompilerSpec& compiler) {
  std::vector<const Program*> pointers;
  for (const Program& p : programs) pointers.push_back(&p);
  const std::vector<Compiled> compiled = compile_batch(pointers, compiler);
  std::vector<KernelRun> runs;
  std::vector<std::pair<const Program*, const Case*>> about;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    EXPECT_TRUE(compiled[i].kernel != nullptr) << compiled[i].error.message << "\n" << print(programs[i]);
    if (!compiled[i].kernel) continue;
    for (const Case& c : cases[i]) {
      runs.push_back({compiled[i].kernel.get(), &c.parameters, &c.inputs});
      about.emplace_back(&programs[i], &c);
    }
  }
  const std::vector<KernelOutcome> outcomes = run_batch(runs, std::chrono::seconds(20));
  int compared = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto& [p, c] = about[r];
    EXPECT_EQ(outcomes[r].status, KernelOutcome::Status::ok) << outcomes[r].message << "\n" << print(*p);
    if (outcomes[r].status != KernelOutcome::Status::ok || has_uncompared_operations(*p)) continue;
    RULE_TRUE("CUDA-12", same_outputs(c->expected, outcomes[r].outputs)) << print(*p);
    ++compared;
  }
  return compared;
}

std::string found_by(const std::string& text, const Program& p, const std::vector<Case>& cases) {
  KernelOutcome error;
  const auto kernel = compile_text(text, p, *simt_compiler(), error);
  if (!kernel) return "it does not compile: " + error.message;
  for (const Case& c : cases) {
    const KernelOutcome out = kernel->run(c.parameters, c.inputs, std::chrono::seconds(20));
    if (out.status != KernelOutcome::Status::ok) return out.message;
    if (!same_outputs(c.expected, out.outputs)) return "it differs from the interpreter";
  }
  return {};
}

}  // namespace assay::codegen::test
