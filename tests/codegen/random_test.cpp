// Compiled random programs against the interpreter, bit for bit: by every compiler that is here, in batches.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>

#include "interp/inputs.hpp"
#include "interp/interpreter.hpp"
#include "ir/text/source.hpp"
#include "random_program.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

constexpr std::array kinds{interp::InputKind::exact, interp::InputKind::adversarial, interp::InputKind::special};

/// One program and the runs of it that the interpreter finds right.
struct Sample {
  std::uint64_t seed = 0;
  std::string text{};
  Program program{};
  ParameterMap parameters{};
  std::vector<TensorMap> inputs{}, expected{};
};

std::optional<Sample> sample(std::uint64_t seed) {
  Sample s;
  s.seed = seed;
  s.text = random_program(seed);
  const auto file = parse_source(s.text, "random.air");
  if (!file) {
    ADD_FAILURE() << file.error().front().where.line << ": " << file.error().front().message << "\n" << s.text;
    return std::nullopt;
  }
  s.program = file->programs.front();
  s.parameters = {{"n", 3 + static_cast<std::int64_t>((seed - 1) % 5)}};
  for (const auto kind : kinds) {
    interp::Options options;
    options.parameters = s.parameters;
    options.detect_races = true;
    TensorMap inputs = interp::generate_inputs(s.program, options.parameters, kind, seed - 1);
    interp::Outcome outcome = interp::run(s.program, inputs, options);
    if (outcome.status != interp::Status::ok || outcome.race) continue;
    s.inputs.push_back(std::move(inputs));
    s.expected.push_back(std::move(outcome.outputs));
  }
  return s;
}

/// The first cell in which a run differs from the interpreter's, or an empty text.
std::string difference(const TensorMap& expected, const TensorMap& actual) {
  for (const auto& [buffer, tensor] : expected) {
    const auto found = actual.find(buffer);
    if (found == actual.end()) return buffer + " is missing";
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      if (same_value(tensor.get(i), found->second.get(i))) continue;
      return fmt::format("{}[{}]: expected {:#x}, got {:#x}", buffer, i, tensor.get(i).bits, found->second.get(i).bits);
    }
  }
  return {};
}

struct Count {
  int programs = 0, compared = 0, uncovered = 0;
};

/// Compiles all samples together, runs all their inputs together, and compares.
void compare_batch(const std::vector<Sample>& samples, const CompilerSpec& compiler, const char* rule, Count& count) {
  std::vector<const Program*> programs;
  for (const Sample& s : samples) programs.push_back(&s.program);
  const std::vector<Compiled> compiled = compile_batch(programs, compiler);
  std::vector<KernelRun> runs;
  std::vector<std::pair<const Sample*, const TensorMap*>> about;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& s = samples[i];
    ++count.programs;
    if (!compiled[i].kernel) {
      ++count.uncovered;
      EXPECT_EQ(compiled[i].error.status, KernelOutcome::Status::unavailable)
          << compiler.name << " seed " << s.seed << " " << compiled[i].error.message << "\n"
          << s.text;
      continue;
    }
    for (std::size_t k = 0; k < s.inputs.size(); ++k) {
      runs.push_back({compiled[i].kernel.get(), &s.parameters, &s.inputs[k]});
      about.emplace_back(&s, &s.expected[k]);
    }
  }
  const std::vector<KernelOutcome> outcomes = run_batch(runs, std::chrono::seconds(20));
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto& [s, expected] = about[r];
    ASSERT_EQ(outcomes[r].status, KernelOutcome::Status::ok)
        << compiler.name << " seed " << s->seed << " " << outcomes[r].message << "\n"
        << s->text;
    const std::string where = difference(*expected, outcomes[r].outputs);
    RULE_TRUE(rule, where.empty()) << compiler.name << " " << compiler.flags << " seed " << s->seed << " " << where
                                   << "\n"
                                   << s->text;
    ++count.compared;
  }
}

std::uint64_t first_seed() {
  const char* first = std::getenv("ASSAY_RANDOM_SEED");
  return first != nullptr ? std::strtoull(first, nullptr, 10) : 1;
}

/// Compares `count` programs, a hundred at a time. ASSAY_RANDOM_PROGRAMS overrides the number.
Count compare_many(const CompilerSpec& compiler, int count, const char* rule) {
  if (const char* wanted = std::getenv("ASSAY_RANDOM_PROGRAMS"); wanted != nullptr) count = std::atoi(wanted);
  constexpr int batch = 100;
  Count done;
  for (int first = 0; first < count; first += batch) {
    std::vector<Sample> samples;
    for (int n = first; n < std::min(first + batch, count); ++n) {
      if (auto s = sample(first_seed() + static_cast<std::uint64_t>(n))) samples.push_back(std::move(*s));
    }
    compare_batch(samples, compiler, rule, done);
  }
  std::printf("%s %s: %d programs, %d runs compared, %d programs not covered\n", compiler.name.c_str(),
              compiler.flags.c_str(), done.programs, done.compared, done.uncovered);
  EXPECT_GT(done.compared, 3 * (count - done.uncovered) / 2);
  return done;
}

TEST(RandomPrograms, AgreeWithTheInterpreter) {
  const CompilerSpec* gcc = find_compiler("c");
  if (gcc == nullptr) GTEST_SKIP() << "gcc is not here";
  EXPECT_EQ(compare_many(*gcc, 200, "CGEN-16").uncovered, 0);
}

TEST(RandomPrograms, AgreeByTheInMemoryCompiler) {
  const CompilerSpec* tcc = find_compiler("tcc");
  if (tcc == nullptr) GTEST_SKIP() << "tcc is not here";
  const Count done = compare_many(*tcc, 2000, "CGEN-26");
  EXPECT_LT(done.uncovered, done.programs / 10);
}

TEST(RandomPrograms, AgreeAtEveryLevel) {
  std::vector<CompilerSpec> levels = compiler_levels();
  if (const CompilerSpec* clang = find_compiler("clang")) levels.push_back(*clang);
  if (levels.empty()) GTEST_SKIP() << "neither gcc nor clang is here";
  std::vector<Sample> samples;
  for (int n = 0; n < 12; ++n) {
    if (auto s = sample(first_seed() + 5000 + static_cast<std::uint64_t>(n))) samples.push_back(std::move(*s));
  }
  for (const CompilerSpec& level : levels) {
    Count done;
    compare_batch(samples, level, "CGEN-26", done);
    EXPECT_EQ(done.uncovered, 0);
    EXPECT_GT(done.compared, 12);
  }
}

}  // namespace
}  // namespace assay::codegen::test
