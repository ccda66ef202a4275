// The backends that model matrix instructions and asynchronous copies, in the whole of `check`; and the probe of a GPU, which on
// the CPU asks the model.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "ir/text/source.hpp"
#include "oracle/check.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

oracle::CheckResult check(const std::string& text, const std::set<std::string>& backends) {
  const auto file = parse_source(text, "case.air");
  EXPECT_TRUE(file.has_value());
  oracle::CheckOptions options;
  options.backends = backends;
  const oracle::SourceText source{"case.air", text};
  return oracle::check(file->programs.at(0), source, file->schedules.at(0), source, options);
}

std::string product(const char* type, int terms) {
  return fmt::format(
      "program product {{ input A: {0}[32, {1}]  input B: {0}[{1}, 16]  inout C: f32[32, 16]\n"
      "  for i in 0..32 {{ for j in 0..16 {{ for k in 0..{1} {{ C[i, j] += {2} }} }} }} }}\n"
      "schedule lanes {{ split k factor={3} -> ko, kk\n swap j ko\n swap i ko\n tensorize i j kk simd=32\n"
      " stage A over=i,kk shared cooperative=32 pipeline=2 -> As\n stage B over=kk,j shared cooperative=32 pipeline=2 "
      "-> Bs }}\n",
      type, terms, type[1] == '1' ? "f32(A[i, k]) * f32(B[k, j])" : "A[i, k] * B[k, j]", terms / 2);
}

const oracle::ExecutionReport* executed(const oracle::Report& r, const std::string& backend) {
  const auto found = std::find_if(r.executions.begin(), r.executions.end(),
                                  [&](const oracle::ExecutionReport& e) { return e.backend == backend; });
  return found == r.executions.end() ? nullptr : &*found;
}

TEST(TileBackends, CompareByTheModel) {
  if (available_compilers().empty()) GTEST_SKIP() << "gcc is not here";
  const oracle::Report r = check(product("f16", 32), {"simt", "simt-sm_80", "simt-sm_90"}).report;
  RULE_TRUE("MMA-25", r.verdict == oracle::Verdict::legal) << r.claim;
  RULE_TRUE("MMA-25", r.licence == Licence::exact);  // of the steps: instructions change no verdict
  for (const char* backend : {"simt-sm_80", "simt-sm_90"}) {
    const oracle::ExecutionReport* e = executed(r, backend);
    ASSERT_NE(e, nullptr) << backend;
    RULE_TRUE("MMA-25", e->rigour == 'M' && e->equal.value_or(false) && e->cases > 0) << backend;
  }
  RULE_EQ("MMA-25", 'B', executed(r, "simt")->rigour);
  // f32 products have no instruction, but their tiles are copied asynchronously.
  const oracle::Report copies = check(product("f32", 16), {"simt-sm_80"}).report;
  RULE_TRUE("ASYNC-4", copies.verdict == oracle::Verdict::legal) << copies.claim;
  RULE_TRUE("ASYNC-4", executed(copies, "simt-sm_80") != nullptr && executed(copies, "simt-sm_80")->cases > 0);
  RULE_EQ("MMA-25", 'B', executed(copies, "simt-sm_80")->rigour);  // no instruction: to the bit
  // A program with neither is not run.
  const oracle::Report none =
      check(
          "program p { input A: f32[8]  output C: f32[8]  for i in 0..8 { C[i] = A[i] + 1.0 } }\n"
          "schedule s { retype i axis=workgroup }\n",
          {"simt", "simt-sm_80"})
          .report;
  RULE_TRUE("MMA-25", std::any_of(none.omissions.begin(), none.omissions.end(), [](const std::string& s) {
              return s.find("simt-sm_80") != std::string::npos && s.find("not run") != std::string::npos;
            }));
  RULE_TRUE("MMA-25", none.verdict == oracle::Verdict::legal);
}

// On a GPU of the generation it is compared; elsewhere it is named, and the verdict stays.
TEST(TileBackends, OnAGpuOfTheGenerationOrLeftOut) {
  const auto here = device_compilers();
  const auto is_here = [&](const std::string& name) {
    return std::any_of(here.begin(), here.end(), [&](const CompilerSpec& c) { return c.name == name; });
  };
  const oracle::Report r = check(product("f16", 32), {"interp", "cuda-sm_80", "cuda-sm_90"}).report;
  RULE_TRUE("CUDA-32", r.verdict == oracle::Verdict::legal) << r.claim;
  for (const std::string backend : {"cuda-sm_80", "cuda-sm_90"}) {
    const oracle::ExecutionReport* e = executed(r, backend);
    const bool compared = e != nullptr && e->cases > 0 && e->rigour == 'M' && e->equal.value_or(false);
    const bool named = std::any_of(r.omissions.begin(), r.omissions.end(), [&](const std::string& s) {
      return s.find(backend) == 0 && (s.find("there is no device") != std::string::npos ||
                                      s.find("no device is of the generation") != std::string::npos ||
                                      (!is_here(backend) && s.find("not installed") != std::string::npos));
    });
    RULE_TRUE("CUDA-32", compared != named) << backend;
  }
}

TEST(TileBackends, TheProbeFindsWhatTheModelSays) {
  for (const char* unit : {"80", "90"}) {
    std::FILE* const probe = popen((std::string(ASSAY_BINARY_DIR "/tests/tile_probe ") + unit).c_str(), "r");
    ASSERT_NE(probe, nullptr);
    std::string said;
    for (int c = std::fgetc(probe); c != EOF; c = std::fgetc(probe)) said += static_cast<char>(c);
    RULE_EQ("MMA-30", 0, pclose(probe));
    RULE_TRUE("MMA-30", said.find("tile_probe: as the model says") != std::string::npos) << said;
    const std::string bits = std::string("c ") + (unit[0] == '8' ? "24, a term 24" : "25, a term 25");
    RULE_TRUE("MMA-30", said.find(bits) != std::string::npos && said.find("DIFFERS") == std::string::npos) << said;
    RULE_TRUE("MMA-30", said.find(unit[0] == '8' ? "(0, 1) 8" : "(0, 1) 0") != std::string::npos) << said;
  }
}

}  // namespace
}  // namespace assay::codegen::test
