// Compiled random programs against the interpreter, bit for bit.
#include <fmt/format.h>

#include <cstdlib>

#include "interp/inputs.hpp"
#include "ir/text/source.hpp"
#include "random_program.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

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

TEST(RandomPrograms, AgreeWithTheInterpreter) {
  const char* wanted = std::getenv("ASSAY_RANDOM_PROGRAMS");
  const char* first = std::getenv("ASSAY_RANDOM_SEED");
  const int count = wanted != nullptr ? std::atoi(wanted) : 24;
  const std::uint64_t base = first != nullptr ? std::strtoull(first, nullptr, 10) : 1;
  int compared = 0, faulty = 0, malformed = 0;
  for (int n = 0; n < count; ++n) {
    const std::string text = random_program(base + static_cast<std::uint64_t>(n));
    const auto file = parse_source(text, "random.air");
    if (!file) {
      if (++malformed <= 3)
        ADD_FAILURE() << file.error().front().where.line << ": " << file.error().front().message << "\n" << text;
      continue;
    }
    const Program& p = file->programs.front();
    KernelOutcome out;
    std::unique_ptr<Kernel> kernel;
    for (const auto kind : {interp::InputKind::exact, interp::InputKind::adversarial, interp::InputKind::special}) {
      interp::Options options;
      options.parameters = {{"n", 3 + n % 5}};
      options.detect_races = true;
      const TensorMap inputs = interp::generate_inputs(p, options.parameters, kind, static_cast<std::uint64_t>(n));
      const interp::Outcome expected = interp::run(p, inputs, options);
      if (expected.status != interp::Status::ok || expected.race) {
        ++faulty;
        if (std::getenv("ASSAY_RANDOM_VERBOSE") != nullptr)
          std::puts((text + (expected.fault ? expected.fault->code + expected.fault->message : "race")).c_str());
        continue;
      }
      if (!kernel) kernel = compile(p, available_compilers().front(), out);
      ASSERT_TRUE(kernel) << out.message << text;
      out = kernel->run(options.parameters, inputs, std::chrono::seconds(20));
      ASSERT_EQ(out.status, KernelOutcome::Status::ok) << out.message << text;
      const std::string where = difference(expected.outputs, out.outputs);
      RULE_TRUE("CGEN-16", where.empty()) << "seed " << base + static_cast<std::uint64_t>(n) << " " << where << "\n"
                                          << text;
      ++compared;
    }
  }
  std::printf("%d runs compared, %d faulty or racing\n", compared, faulty);
  EXPECT_GT(compared, 3 * count / 2);
}

}  // namespace
}  // namespace assay::codegen::test
