// Every pipeline for GPUs of the examples and the test cases, on every judge that runs or compiles it here: what a legal schedule
// makes of its program, and programs that are clean as they stand, where they have loops of groups, threads or tiles.
//
// Prints what was left out, and why.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "codegen/device/device.hpp"
#include "codegen/worker/build.hpp"
#include "codegen/worker/cuda.hpp"
#include "device_support.hpp"
#include "ir/text/source.hpp"
#include "ir/traverse.hpp"
#include "oracle/judges.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/async.hpp"
#include "support.hpp"
#include "tests/support/files.hpp"
#include "transforms/operation.hpp"

namespace assay::codegen::test {
namespace {

struct Pipeline {
  std::string from{};  // file and program
  Program program{};
  std::vector<Case> cases{};
};

/// Reasons for leaving something out, with how often each was given.
class LeftOut {
 public:
  void add(const std::string& reason) { ++reasons_[reason]; }
  int count() const {
    int n = 0;
    for (const auto& [reason, times] : reasons_) n += times;
    return n;
  }
  void print(const char* what) const {
    for (const auto& [reason, times] : reasons_) std::printf("  %s left out %d: %s\n", what, times, reason.c_str());
  }

 private:
  std::map<std::string, int> reasons_{};
};

bool is_for_gpu(const Program& p) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    found = found ||
            (s->kind == StmtKind::loop && (is_hardware(s->axis) || s->axis == Axis::reduce || s->axis == Axis::tile));
    return !found;
  };
  visit(p.body, v);
  return found;
}

/// The program after all lines of a schedule; nothing when one of them does not apply.
std::optional<Program> scheduled(Program p, const Schedule& schedule) {
  const auto query = make_portfolio_query(default_query_budget);
  for (const ScheduleLine& line : schedule.lines) {
    auto step = apply_line(p, line, *query);
    if (!step) return std::nullopt;
    p = fold_guards(step->program, *query).program;
  }
  return p;
}

std::string content(const std::filesystem::path& path) { return assay::test::read_file(path.string(), 16 << 20); }

struct Gathered {
  std::vector<Pipeline> pipelines{};
  int schedules = 0;
  LeftOut out{};
};

void add(Gathered& all, const std::string& from, const Program& p, const Schedule* schedule) {
  std::optional<Program> last = schedule != nullptr ? scheduled(p, *schedule) : std::optional(p);
  if (!last) return all.out.add("a step does not apply without its licence: " + from);
  if (!is_for_gpu(*last)) return;
  std::vector<Case> cases = right_cases(*last);
  if (cases.empty()) return all.out.add("too large for the interpreter at the smallest sizes, or no size: " + from);
  all.schedules += schedule != nullptr ? 1 : 0;
  all.pipelines.push_back({from, *std::move(last), std::move(cases)});
}

Gathered gather() {
  Gathered all;
  std::vector<std::filesystem::path> files;
  for (const char* folder : {ASSAY_SOURCE_DIR "/tests/cases", ASSAY_SOURCE_DIR "/examples"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".air") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    const auto file = parse_source(content(path), path.string());
    if (!file) continue;  // the cases of errors
    const std::string name = path.filename().string();
    for (const Expectation& e : file->expectations) {
      const bool legal = e.verdict == "legal", clean = e.verdict == "clean";
      if ((!legal && !clean) || e.programs.empty()) continue;
      const Program& p = file->programs[e.programs.front()];
      if (clean) add(all, name + ": " + p.name, p, nullptr);
      if (legal && !e.schedules.empty()) add(all, name + ": " + p.name, p, &file->schedules[e.schedules.front()]);
    }
    const std::filesystem::path good = path.parent_path() / "good.sched";
    if (!std::filesystem::exists(good) || file->programs.empty()) continue;
    const auto schedule = parse_source(content(good), good.string());
    if (schedule && !schedule->schedules.empty())
      add(all, name + " with good.sched", file->programs.front(), &schedule->schedules.front());
  }
  return all;
}

const Gathered& gathered() {
  static const Gathered all = gather();
  return all;
}

const CompilerSpec* find_device(Dialect dialect) {
  static const std::vector<CompilerSpec> here = device_compilers();
  const auto found =
      std::find_if(here.begin(), here.end(), [&](const CompilerSpec& c) { return c.dialect == dialect; });
  return found == here.end() ? nullptr : &*found;
}

/// Runs every pipeline that the compiler covers, `most` cases of each, beside the interpreter. Returns how many programs agree.
int agree(const CompilerSpec& compiler, std::size_t most, LeftOut& out, int step = 1) {
  std::vector<const Pipeline*> taken;
  std::vector<const Program*> programs;
  for (std::size_t i = 0; i < gathered().pipelines.size(); i += static_cast<std::size_t>(step)) {
    taken.push_back(&gathered().pipelines[i]);
    programs.push_back(&taken.back()->program);
  }
  // A platform of OpenCL builds all kernels of a unit for each run: there few programs share one.
  const std::size_t in_a_unit = is_opencl(compiler.dialect) ? 8 : programs.size();
  std::vector<Compiled> compiled;
  for (std::size_t first = 0; first < programs.size(); first += in_a_unit) {
    const auto at = programs.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t count = std::min(in_a_unit, programs.size() - first);
    for (Compiled& c : compile_batch({at, at + static_cast<std::ptrdiff_t>(count)}, compiler))
      compiled.push_back(std::move(c));
  }
  std::vector<KernelRun> runs;
  std::vector<std::pair<const Pipeline*, const Case*>> about;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const Pipeline& p = *taken[i];
    if (!compiled[i].kernel) {
      EXPECT_EQ(KernelOutcome::Status::unavailable, compiled[i].error.status)
          << p.from << ": " << compiled[i].error.message;
      out.add(compiled[i].error.message);
      continue;
    }
    if (has_uncompared_operations(p.program)) {
      out.add("f64 functions, which are not promised to the bit: " + p.from);
      continue;
    }
    for (std::size_t c = 0; c < std::min(most, p.cases.size()); ++c) {
      runs.push_back({compiled[i].kernel.get(), &p.cases[c].parameters, &p.cases[c].inputs});
      about.emplace_back(&p, &p.cases[c]);
    }
  }
  const std::vector<KernelOutcome> outcomes = run_batch(runs, std::chrono::seconds(60));
  std::map<const Pipeline*, bool> right;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto& [p, c] = about[r];
    if (outcomes[r].status == KernelOutcome::Status::unavailable) {
      out.add(outcomes[r].message + ": " + p->from);
      continue;
    }
    const bool same = outcomes[r].status == KernelOutcome::Status::ok && same_outputs(c->expected, outcomes[r].outputs);
    EXPECT_TRUE(same) << compiler.name << ": " << p->from << ": " << outcomes[r].message << "\n" << print(p->program);
    right.try_emplace(p, true).first->second &= same;
  }
  return static_cast<int>(std::count_if(right.begin(), right.end(), [](const auto& r) { return r.second; }));
}

TEST(Pipelines, AreGathered) {
  std::printf("pipelines: %zu programs with groups, threads or tiles, %d of them made by schedules\n",
              gathered().pipelines.size(), gathered().schedules);
  gathered().out.print("pipelines");
  EXPECT_GT(gathered().pipelines.size(), 150U);
  EXPECT_GT(gathered().schedules, 80);
  EXPECT_LT(gathered().out.count(), 12);
}

TEST(Pipelines, AgreeAsC) {
  const CompilerSpec* c = find_compiler("c");
  if (c == nullptr) GTEST_SKIP() << "gcc is not here";
  LeftOut out;
  const int agreed = agree(*c, 3, out);
  std::printf("c: %d programs agree\n", agreed);
  out.print("c");
  RULE_TRUE("CGEN-26", agreed > 60);
}

TEST(Pipelines, AgreeAsCudaText) {
  if (device_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  LeftOut out;
  const int agreed = agree(*device_compiler(), 3, out);
  std::printf("%s: %d pipelines agree\n", device_compiler()->name.c_str(), agreed);
  out.print(device_compiler()->name.c_str());
  RULE_TRUE("CUDA-12", agreed * 20 >= static_cast<int>(gathered().pipelines.size()) * 19);
}

/// What the interpreter leaves that follows the instructions of a generation.
TensorMap modelled(const Program& p, const Case& c, TileUnit unit) {
  interp::Options options;
  options.parameters = c.parameters;
  options.tiles = unit;
  interp::Outcome out = interp::run(p, c.inputs, options);
  EXPECT_EQ(out.status, interp::Status::ok) << print(p);
  return std::move(out.outputs);
}

// Whole kernels with tile products by instructions, and with copies that are asynchronous.
TEST(Pipelines, AgreeByInstructions) {
  const std::vector<CompilerSpec> compilers = instruction_compilers();
  if (compilers.empty()) GTEST_SKIP() << "gcc is not here, or with ASSAY_DEVICE=cuda neither NVRTC nor nvcc";
  std::vector<const Pipeline*> with;
  std::vector<const Program*> programs;
  std::vector<CopyPieces> copies;
  int instructions = 0, pieces = 0;
  for (const Pipeline& p : gathered().pipelines) {
    const std::unique_ptr<Query> query = oracle::Judges{}.query(default_query_budget);
    CopyPieces found = proved_copies(p.program, *query);
    const bool fits = has_tile_instruction(p.program);
    if ((!fits && found.empty()) || has_uncompared_operations(p.program) || !emit_cuda(p.program)) continue;
    instructions += fits ? 1 : 0;
    pieces += std::any_of(found.begin(), found.end(), [](const auto& c) { return c.second > 1; }) ? 1 : 0;
    with.push_back(&p);
    programs.push_back(&p.program);
    copies.push_back(std::move(found));
  }
  std::printf(
      "pipelines: %zu with instructions or asynchronous copies, %d with tile products by instructions, %d with copies "
      "of "
      "several elements\n",
      with.size(), instructions, pieces);
  EXPECT_GT(instructions, 2);
  EXPECT_GT(pieces, 3);
  int generations = 0;
  for (const CompilerSpec& compiler : compilers) {
    const std::vector<Compiled> compiled = compile_batch(programs, compiler, copies);
    int agreed = 0;
    bool here = true;
    for (std::size_t i = 0; i < with.size() && here; ++i) {
      ASSERT_TRUE(compiled[i].kernel != nullptr) << with[i]->from << ": " << compiled[i].error.message;
      const Case& c = with[i]->cases.front();
      const KernelOutcome out = compiled[i].kernel->run(c.parameters, c.inputs, std::chrono::seconds(60));
      here = out.status != KernelOutcome::Status::unavailable;
      if (!here) {
        std::printf("  %s left out: %s\n", compiler.name.c_str(), out.message.c_str());
        continue;
      }
      const TensorMap expected =
          has_tile_instruction(*programs[i]) ? modelled(*programs[i], c, compiler.tiles) : c.expected;
      const bool same = out.status == KernelOutcome::Status::ok && same_outputs(expected, out.outputs);
      RULE_TRUE("MMA-23", same) << compiler.name << ": " << with[i]->from << ": " << out.message << "\n"
                                << print(*programs[i]);
      agreed += same ? 1 : 0;
    }
    generations += here ? 1 : 0;
    if (here) std::printf("%s: %d pipelines agree\n", compiler.name.c_str(), agreed);
  }
  if (!on_gpu()) {
    EXPECT_EQ(2, generations);
  } else if (generations == 0) {
    GTEST_SKIP() << "no GPU of a generation that has a model";
  }
}

TEST(Pipelines, AgreeInTheSimulatorOfOpenCl) {
  const CompilerSpec* oclgrind = find_device(Dialect::oclgrind);
  if (oclgrind == nullptr) GTEST_SKIP() << "oclgrind or gcc is not here";
  LeftOut out;
  const int step = program_step();
  const int agreed = agree(*oclgrind, 1, out, step);
  std::printf("oclgrind: %d programs agree\n", agreed);
  out.print("oclgrind");
  RULE_TRUE("OCL-7", step * agreed * 10 >= static_cast<int>(gathered().pipelines.size()) * 9);
}

// A platform takes seconds for a kernel: few of them.
TEST(Pipelines, AgreeOnAPlatformOfOpenCl) {
  const CompilerSpec* opencl = find_device(Dialect::opencl);
  if (opencl == nullptr) GTEST_SKIP() << "no OpenCL platform, or no gcc, is here";
  LeftOut out;
  const int step = 24 * program_step();
  const int agreed = agree(*opencl, 1, out, step);
  std::printf("opencl: %d programs agree\n", agreed);
  out.print("opencl");
  RULE_TRUE("OCL-7", step * agreed * 10 >= static_cast<int>(gathered().pipelines.size()) * 8);
}

TEST(Pipelines, BecomeMachineCodeForTwoGenerations) {
  const std::filesystem::path ptxas = std::filesystem::path(find_nvcc().value_or("")).parent_path() / "ptxas";
  if (!std::filesystem::exists(ptxas)) GTEST_SKIP() << "ptxas is not here";
  std::vector<const Program*> programs;
  LeftOut out;
  const int step = program_step();
  int number = 0;
  for (const Pipeline& p : gathered().pipelines) {
    if (const auto text = emit_cuda(p.program); text) {
      if (number++ % step == 0) programs.push_back(&p.program);
    } else {
      out.add(text.error().front().message);
    }
  }
  const Built image = build_image(emit_device_batch(programs, Dialect::cuda).device_text);
  ASSERT_TRUE(image.object) << image.error.message;
  const assay::test::TemporaryDirectory folder;
  assay::test::write_file(folder.file("unit.ptx"), content_of(image.object.get()).value_or(""));
  for (const char* arch : {"sm_80", "sm_90"}) {
    const std::string command = fmt::format("{} -arch={} --warning-as-error {} -o {} > {} 2>&1", ptxas.string(), arch,
                                            folder.file("unit.ptx"), folder.file("unit.cubin"), folder.file("log"));
    const int status = std::system(command.c_str());
    RULE_TRUE("CUDA-15", status == 0 && content(folder.file("log")).empty())
        << arch << ": " << content(folder.file("log"));
  }
  std::printf("ptxas: %zu programs become code for sm_80 and sm_90\n", programs.size());
  out.print("ptxas");
}

}  // namespace
}  // namespace assay::codegen::test
