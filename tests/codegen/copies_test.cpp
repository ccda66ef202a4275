// Asynchronous copies: which stores may be one, what they leave when they land as late or as early as they may, planted faults,
// and nvcc.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/device/device.hpp"
#include "device_support.hpp"
#include "fuzz/generators/random_threads.hpp"
#include "interp/random.hpp"
#include "ir/text/source.hpp"
#include "nvcc_support.hpp"
#include "oracle/judges.hpp"
#include "proofs/validate/async.hpp"
#include "support.hpp"
#include "tests/support/files.hpp"

namespace assay::codegen::test {
namespace {

/// The copies of a program: proved ones, and all that have the form.
struct Copies {
  CopyPieces proved{}, all{};  // element by element
};
Copies copies_of(const Program& p) {
  const std::unique_ptr<Query> query = oracle::Judges{}.query(default_query_budget);
  Copies out;
  for (const AsyncCopy& c : async_copies(p, *query)) {
    out.all.emplace(c.statement, 1);
    if (c.completion.status == Obligation::Status::proved) out.proved.emplace(c.statement, 1);
  }
  return out;
}

/// What is wrong with a run; empty when it is as the interpreter says.
std::string wrong(Kernel& kernel, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const KernelOutcome out = kernel.run(c.parameters, c.inputs, std::chrono::seconds(20));
    if (out.status != KernelOutcome::Status::ok) return out.message;
    if (!same_outputs(c.expected, out.outputs)) return "it differs";
  }
  return {};
}

std::string wrong(const Program& p, const CopyPieces& copies) {
  const std::vector<Compiled> compiled = compile_batch({&p}, *sm_80_compiler(), {copies});
  return compiled[0].kernel ? wrong(*compiled[0].kernel, right_cases(p)) : compiled[0].error.message;
}

constexpr std::string_view pipeline =
    "program pipeline { input A: f32[8, 16]  output C: f32[8, 16]  shared T: f32[2, 16]\n"
    "  for t in 0..16 @workgroup { T[0, t] = A[0, t]\n"
    "    for k in 0..8 { barrier  if k < 7 { T[floormod(k + 1, 2), t] = A[k + 1, t] }\n"
    "      C[k, t] = T[floormod(k, 2), 15 - t] + 1.0 }\n    barrier } }";

std::string copy_and(const char* type, const char* more, const char* target = "T[t] = A[t]") {
  return fmt::format(
      "program p {{ inout A: {0}[16]  input B: {0}[4, 16]  output C: {0}[16]  shared T: {0}[16]\n"
      "  for t in 0..16 @workgroup {{ {2}  {1} }} }}",
      type, more, target);
}

TEST(Copies, AreStoresThatOnlyMoveAnElement) {
  const auto count = [](const std::string& text) { return copies_of(parse(text)).all.size(); };
  const char* after = "barrier  C[t] = T[15 - t]";
  for (const char* type : {"f32", "f64", "i32", "u64", "u32x4", "f16", "i8"})
    RULE_EQ("ASYNC-1", std::size_t{1}, count(copy_and(type, after)));
  RULE_EQ("ASYNC-1", std::size_t{0}, count(copy_and("f32", after, "T[t] = A[t] * 1.0")));
  RULE_EQ("ASYNC-1", std::size_t{0},
          count("program p { input A: i32[4]  output C: f32[4]  shared T: f32[4]  for t in 0..4 "
                "@workgroup { T[t] = f32(A[t])  barrier  C[t] = T[3 - t] } }"));
}

TEST(Copies, MayNotMeetTheirThreadBeforeABarrier) {
  const auto may = [](std::string_view text) {
    const Copies c = copies_of(parse(text));
    EXPECT_FALSE(c.all.empty()) << text;
    return c.proved == c.all;
  };
  RULE_TRUE("ASYNC-2", may(pipeline));
  RULE_TRUE("ASYNC-2", may(copy_and("f32", "barrier  C[t] = T[15 - t]")));
  RULE_TRUE("ASYNC-2", !may(copy_and("f32", "C[t] = T[t]")));                            // its own cell, read at once
  RULE_TRUE("ASYNC-2", !may(copy_and("f32", "T[t] = 1.0  barrier  C[t] = T[15 - t]")));  // stored to behind
  RULE_TRUE("ASYNC-2", !may(copy_and("f32", "barrier  C[t] = T[t]", "T[t] = 1.0  T[t] = A[t]")));  // and before
  RULE_TRUE("ASYNC-2", !may(copy_and("f32", "A[t] = 2.0  barrier  C[t] = T[15 - t]")));            // the source changes
  RULE_TRUE("ASYNC-2", !may(copy_and("f32", "barrier  C[t] = T[15 - t]", "for k in 0..4 { T[t] = B[k, t] }")));
  RULE_TRUE("ASYNC-2", may(copy_and("f32", "C[t] = 0.0",
                                    "for k in 0..4 { T[t] = B[k, t]  barrier  A[t] = A[t] + T[15 - t]  barrier }")));
  // One slot in place of two: the copy for the next iteration lands where this one reads.
  std::string one_slot(pipeline);
  one_slot.replace(one_slot.find("15 - t"), 6, "t");
  for (std::size_t at = one_slot.find("floormod(k + 1, 2)"); at != std::string::npos; at = std::string::npos)
    one_slot.replace(at, 18, "floormod(k, 2)");
  const Copies slots = copies_of(parse(one_slot));
  RULE_TRUE("ASYNC-2", slots.proved.size() < slots.all.size());
  // Races leave no copies at all.
  RULE_TRUE("ASYNC-2", copies_of(parse(copy_and("f32", "C[t] = T[15 - t]"))).all.empty());
  // A tile product reads for all of its lanes.
  const std::string tile =
      "program p {{ input A: f32[16, 16]  input B: f32[16, 8]  inout C: f32[16, 8]  shared T: f32[16, 16]"
      "  for l in 0..32 @workgroup {{ for i in 0..16 {{ if l < 16 {{ T[i, l] = A[i, l] }} }} }} {}"
      "  for lane in 0..32 @tile {{ for i in 0..16 {{ for j in 0..8 {{ for k in 0..16 {{ C[i, j] += T[i, k] * B[k, j] "
      "}} }} }} }} }}";
  RULE_TRUE("ASYNC-2", may(fmt::format(fmt::runtime(tile), "barrier")));
}

TEST(Copies, WaitInFrontOfEveryBarrier) {
  const Program p = parse(pipeline);
  const std::string text = emit_device_batch({&p}, Dialect::simt, TileUnit::sm_80, {copies_of(p).proved}).text;
  const std::string kernel = text.substr(text.find("__global__ void assay_kernel"));
  std::size_t barriers = 0, waits = 0, copies = 0;
  for (std::size_t at = kernel.find("__syncthreads"); at != std::string::npos;
       at = kernel.find("__syncthreads", at + 1))
    ++barriers;
  for (std::size_t at = kernel.find("assay_copies_wait(0);\n"); at != std::string::npos;
       at = kernel.find("assay_copies_wait(0);\n", at + 1))
    ++waits;
  for (std::size_t at = kernel.find("assay_copy_async_4(&"); at != std::string::npos;
       at = kernel.find("assay_copy_async_4(&", at + 1))
    ++copies;
  RULE_TRUE("ASYNC-3", barriers == waits && barriers == 2 && copies == 2) << kernel;
}

TEST(Copies, LandLateOrEarlyAndLeaveTheSame) {
  if (sm_80_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  RULE_EQ("ASYNC-4", std::string(), wrong(parse(pipeline), copies_of(parse(pipeline)).proved));
  // A copy that ASYNC-2 forbids lands too late for its own thread.
  for (const std::string& text :
       {copy_and("f32", "C[t] = T[t]"), copy_and("f64", "A[t] = 2.0  barrier  C[t] = T[15 - t]"),
        copy_and("i32", "barrier  C[t] = T[15 - t]", "for k in 0..4 { T[t] = B[k, t] + 0  T[t] = A[t]  T[t] = 7 }")}) {
    const Program p = parse(text);
    RULE_TRUE("ASYNC-5", !wrong(p, copies_of(p).all).empty()) << text;
  }
}

TEST(Copies, PlantedFaultsAreFound) {
  if (sm_80_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  const Program p = parse(pipeline);
  const std::string text = emit_device_batch({&p}, Dialect::simt, TileUnit::sm_80, {copies_of(p).proved}).text;
  const std::vector<Case> cases = right_cases(p);
  const std::pair<std::string, std::string> faults[] = {{"assay_copies_wait(0);\n", "\n"},
                                                        {"assay_copies_wait(0);\n", "assay_copies_wait(1);\n"},
                                                        {"assay_copies_commit();\n", "\n"},
                                                        {"__syncthreads();\n", "\n"},
                                                        {"(k + 1", "(k + 2"}};
  for (const auto& [right, other] : faults) {
    std::string changed = text;
    const std::size_t at = changed.find(right, changed.find("__global__ void assay_kernel"));
    ASSERT_NE(at, std::string::npos) << right << text;
    changed.replace(at, right.size(), other);
    KernelOutcome error;
    const auto kernel = compile_text(changed, p, *sm_80_compiler(), error);
    ASSERT_TRUE(kernel != nullptr) << error.message;
    RULE_TRUE("ASYNC-5", !wrong(*kernel, cases).empty()) << right << " -> " << other;
  }
}

TEST(Copies, LeaveRandomProgramsAsTheyAre) {
  if (sm_80_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  interp::Random random(20261204);
  int proved = 0, refused = 0, shown = 0, pieces = 0;
  std::vector<Program> programs;
  std::vector<CopyPieces> copies;
  for (int n = 0; n < 4000 && proved < 40; ++n) {
    const auto file = parse_source(fuzz::random_threads(random), "random.air");
    ASSERT_TRUE(file);
    const Program& p = file->programs.front();
    const Copies found = copies_of(p);
    if (found.all.empty() || right_cases(p, {{"n", 3}}).empty()) continue;
    refused += static_cast<int>(found.all.size() - found.proved.size());
    if (found.proved.empty()) continue;
    proved += static_cast<int>(found.proved.size());
    programs.push_back(p);
    const std::unique_ptr<Query> query = oracle::Judges{}.query(default_query_budget);
    copies.push_back(proved_copies(p, *query));
    for (const auto& [statement, elements] : copies.back()) pieces += elements > 1 ? 1 : 0;
  }
  std::vector<const Program*> pointers;
  for (const Program& p : programs) pointers.push_back(&p);
  const std::vector<Compiled> compiled = compile_batch(pointers, *sm_80_compiler(), copies);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (!compiled[i].kernel) continue;
    RULE_TRUE("ASYNC-4", wrong(*compiled[i].kernel, right_cases(programs[i], {{"n", 3}})).empty())
        << print(programs[i]);
    ++shown;
  }
  std::printf("asynchronous copies: %d proved in %d random programs, %d of them of several elements, %d refused\n",
              proved, shown, pieces, refused);
  EXPECT_GT(shown, 5);
}

TEST(Copies, CompileByNvcc) {
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not here";
  const Program p = parse(pipeline), wide = parse(copy_and("u32x4", "barrier  C[t] = T[15 - t]"));
  const assay::test::TemporaryDirectory directory;
  assay::test::write_file(directory.file("unit.cu"), emit_device_batch({&p, &wide}, Dialect::cuda, TileUnit::sm_80,
                                                                       {copies_of(p).proved, copies_of(wide).proved})
                                                         .device_text);
  RULE_EQ("ASYNC-6", std::string(), compiled(directory, "-ptx -arch=compute_80 -o unit.ptx"));
  const std::string ptx = content(directory.file("unit.ptx"));
  for (const char* part : {"cp.async.ca.shared.global", ", 16;", "cp.async.commit_group;", "cp.async.wait_group 0;"})
    RULE_TRUE("ASYNC-6", ptx.find(part) != std::string::npos) << part;
  for (const char* arch : {"80", "90"})
    RULE_EQ("ASYNC-6", std::string(),
            compiled(directory, fmt::format("-cubin -gencode arch=compute_{0},code=sm_{0} -o unit.cubin", arch)));
}

}  // namespace
}  // namespace assay::codegen::test
