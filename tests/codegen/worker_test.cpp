// Compilation and the worker process: what it promises when things go wrong.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <thread>

#include "support.hpp"
#include "tests/support/files.hpp"

namespace assay::codegen::test {
namespace {
using assay::test::TemporaryDirectory;
using assay::test::write_file;

using Status = KernelOutcome::Status;
using std::chrono::milliseconds;

std::unique_ptr<Kernel> build(std::string_view text) {
  KernelOutcome error;
  auto kernel = compile(parse(text), available_compilers().front(), error);
  EXPECT_TRUE(kernel) << error.message;
  return kernel;
}

/// Processes that descend from `of`, dead or alive, `of` not counted.
int descendants(pid_t of = ::getpid()) {
  std::multimap<int, int> below;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string status = (entry.path() / "stat").string();
    FILE* f = std::fopen(status.c_str(), "r");
    if (f == nullptr) continue;
    int pid = 0, parent = 0;
    char state = 0, comm[64];
    if (std::fscanf(f, "%d %63s %c %d", &pid, comm, &state, &parent) == 4) below.emplace(parent, pid);
    std::fclose(f);
  }
  std::vector<int> open{static_cast<int>(of)};
  for (std::size_t next = 0; next < open.size(); ++next) {
    const auto [first, last] = below.equal_range(open[next]);
    for (auto at = first; at != last; ++at) open.push_back(at->second);
  }
  return static_cast<int>(open.size()) - 1;
}

/// Waits for a number of descendants; what there were last.
int settle(int wanted, pid_t of = ::getpid()) {
  int now = descendants(of);
  for (int tries = 0; tries < 500 && now != wanted; ++tries) {
    std::this_thread::sleep_for(milliseconds(20));
    now = descendants(of);
  }
  return now;
}

TEST(Entry, ChecksTheEnvironmentBeforeItWrites) {
  const Library unit(c_text(parse("program p { inout C: f32[2] zero C }")));
  float c[2] = {3, 4};
  const auto call = [&] { return unit.call({}, {c}); };
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    const int result = call();
    std::fesetround(FE_TONEAREST);
    RULE_EQ("CGEN-3", 1, result);
  }
#if defined(__x86_64__)
  const unsigned control = __builtin_ia32_stmxcsr();
  for (const unsigned bits :
       {0x8000U, 0x0040U, 0x8040U, 0x2000U, 0x4000U, 0x6000U}) {  // flush, zero inputs, both; rounding of SSE alone
    __builtin_ia32_ldmxcsr(control | bits);
    const int result = call();
    __builtin_ia32_ldmxcsr(control);
    RULE_EQ("CGEN-3", bits >= 0x2000U && bits < 0x8000U ? 1 : 2, result);
  }
#endif
  RULE_EQ("CGEN-3", 3.0F, c[0]);
  RULE_EQ("CGEN-3", 0, call());
  RULE_EQ("CGEN-3", 0.0F, c[0]);
}

TEST(Entry, RefusesOverlappingBuffers) {
  const Library unit(
      c_text(parse("program p { param n in 0..9 input A: f32[n] output C: f32[n, 2] for i in 0..n { C[i, 0] = A[i]  "
                   "C[i, 1] = A[i] } }")));
  float memory[32] = {};
  memory[7] = 5;
  RULE_EQ("CGEN-4", 3, unit.call({4}, {memory + 4, memory}));
  RULE_EQ("CGEN-4", 3, unit.call({4}, {memory + 7, memory}));
  RULE_EQ("CGEN-4", 3, unit.call({4}, {memory + 8, memory + 11}));
  RULE_EQ("CGEN-4", 0.0F, memory[0]);
  RULE_EQ("CGEN-4", 0, unit.call({4}, {memory + 8, memory}));
  RULE_EQ("CGEN-4", 0, unit.call({4}, {memory + 8, memory + 12}));
  RULE_EQ("CGEN-4", 0, unit.call({0}, {memory + 4, memory + 4}));
}

TEST(Worker, CrashesExitsAndHangsAreOutcomes) {
  const auto crash = build("program p { input A: i32[2] output C: i32[1] C[0] = A[A[0]] }");
  const auto outcome = crash->run({}, {{"A", tensor(Type::i32, {2000000000, 1})}}, milliseconds(5000));
  RULE_TRUE("CGEN-20", outcome.status == Status::crashed);
  RULE_EQ("CGEN-20", std::string("SIGSEGV"), outcome.message);
  RULE_TRUE("CGEN-20", crash->run({}, {{"A", tensor(Type::i32, {1, 7})}}, milliseconds(5000)).status == Status::ok);

  const auto hang = build("program p { inout C: u64[1] for i in 0..1000000000000 { C[0] = C[0] * C[0] + u64(i) } }");
  const auto before = std::chrono::steady_clock::now();
  const auto late = hang->run({}, {{"C", tensor(Type::u64, {3})}}, milliseconds(200));
  RULE_TRUE("CGEN-20", late.status == Status::timed_out) << late.message;
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
  // The worker and one host for each of the two kernels; no run is left.
  RULE_EQ("CGEN-24", 3, settle(3));
}

TEST(Worker, AModuleThatEndsItsProcessFailsAlone) {
  // A header forced into the unit ends the process in which the module is loaded.
  const TemporaryDirectory directory;
  write_file(directory.file("quit.h"),
             "void _exit(int);\n__attribute__((constructor)) static void quit(void) { _exit(7); }\n");
  CompilerSpec odd = available_compilers().front();
  odd.flags += " -include " + directory.file("quit.h");
  KernelOutcome error;
  RULE_TRUE("CGEN-20", !compile(parse("program p { output C: f32[1] zero C }"), odd, error));
  RULE_TRUE("CGEN-20", error.status == Status::crashed);
  RULE_EQ("CGEN-20", std::string("exited with status 7 before it was done"), error.message);
  const auto next = build("program p { output C: f32[1] zero C }");
  RULE_TRUE("CGEN-20", next->run({}, {}, milliseconds(5000)).status == Status::ok);
}

TEST(Worker, OutputsStartAsCD) {
  const auto kernel = build(
      "program p { output C: u8[4] temp T: u8[4] output D: u8[4] C[1] = 1 for i in 0..4 { D[i] = T[i]  T[i] = 5 } }");
  for (int round = 0; round < 2; ++round) {
    const auto out = kernel->run({}, {}, milliseconds(5000));
    ASSERT_EQ(out.status, Status::ok) << out.message;
    RULE_EQ("CGEN-21", (std::vector<unsigned char>{0xCD, 1, 0xCD, 0xCD}), out.outputs.at("C").bytes);
    RULE_EQ("CGEN-21", std::vector<unsigned char>(4, 0xCD), out.outputs.at("D").bytes);
  }
}

TEST(Worker, AccessesBeyondTheEndCrash) {
  for (const std::string store : {"C[i] = 1", "T[i] = 1.0", "D[0] = A[i]"}) {
    const auto kernel = build(
        "program p { param n in 0..99999 input A: u16[3] output C: u8[5] output D: u16[1] temp T: f64[1000] zero C "
        "zero D zero T for i in n..n + 1 { " +
        store + " } }");
    const std::int64_t size = store[0] == 'C' ? 5 : store[0] == 'T' ? 1000 : 3;
    const TensorMap inputs{{"A", tensor(Type::u16, {1, 2, 3})}};
    RULE_TRUE("CGEN-22", kernel->run({{"n", size - 1}}, inputs, milliseconds(5000)).status == Status::ok) << store;
    RULE_TRUE("CGEN-22", kernel->run({{"n", size}}, inputs, milliseconds(5000)).status == Status::crashed) << store;
  }
  // A faulty program that writes to an input, which well-formedness would refuse.
  Program p = parse("program p { input A: f32[4] output C: f32[4] for i in 0..4 { C[i] = A[i] } }");
  p.buffers[0].kind = BufferKind::inout;
  KernelOutcome error;
  p.body.push_back(make_zero("A"));
  EXPECT_EQ(compile_and_run(p, {}, {{"A", tensor(Type::f32, {1, 2, 3, 4})}}).status, Status::ok);
}

TEST(Worker, WhatIsMissingIsNamed) {
  KernelOutcome error;
  const Program p =
      parse("program p { param n in 1..9 input A: f32[n] output C: f32[n] for i in 0..n { C[i] = A[i] } }");
  RULE_TRUE("CGEN-23", !compile(p, {"c", "no-such-compiler", "-O2"}, error) && error.status == Status::unavailable);
  RULE_TRUE("CGEN-23", !compile(p, {"c", "gcc", "-O2 -DINFINITY= -include /no/such/file"}, error) &&
                           error.status == Status::compile_error);
  RULE_TRUE("CGEN-23", error.message.find("/no/such/file") != std::string::npos) << error.message;
  RULE_TRUE("CGEN-23", !compile(parse("program p { output C: f32[4] for i in 0..4 @workgroup { C[i] = 1.0 } }"),
                                available_compilers().front(), error) &&
                           error.status == Status::unavailable);
  const auto kernel = compile(p, available_compilers().front(), error);
  ASSERT_TRUE(kernel);
  RULE_TRUE("CGEN-23", kernel->run({}, {}, milliseconds(1000)).status == Status::environment);
  RULE_TRUE("CGEN-23", kernel->run({{"n", 3}}, {}, milliseconds(1000)).status == Status::environment);
  RULE_TRUE("CGEN-23", kernel->run({{"n", 3}}, {{"A", tensor(Type::f32, {1, 2})}}, milliseconds(1000)).status ==
                           Status::environment);
  RULE_TRUE("CGEN-23",
            kernel->run({{"n", 2}}, {{"A", tensor(Type::f32, {1, 2})}}, milliseconds(1000)).status == Status::ok);
  const auto huge = build("program p { param n in 1..1000000000000 output C: f32[n, n] C[0, 0] = 1.0 }");
  RULE_TRUE("CGEN-23", huge->run({{"n", 900000000000}}, {}, milliseconds(1000)).status == Status::environment);
}

TEST(Worker, LeavesNothingBehind) {
  // A process of its own: its worker starts with this TMPDIR.
  const TemporaryDirectory own;
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("TMPDIR", own.path().c_str(), 1);
    const Program p = parse("program p { output C: i32[1] C[0] = 1 }");
    int right = 0;
    {
      KernelOutcome error;
      const auto kernel = compile(p, available_compilers().front(), error);
      right += std::filesystem::is_empty(own.path()) ? 1 : 0;
      right += !compile(p, {"c", "gcc", "-include /no/such/file"}, error) ? 1 : 0;
      right += std::filesystem::is_empty(own.path()) ? 1 : 0;
      right += kernel->run({}, {}, milliseconds(5000)).status == Status::ok ? 1 : 0;
      right += settle(2) == 2 ? 1 : 0;  // the worker and the host of the kernel
    }
    right += descendants() == 1 ? 1 : 0;  // the worker
    ::_exit(right);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  RULE_EQ("CGEN-24", 6, WEXITSTATUS(status));
  RULE_TRUE("CGEN-24", std::filesystem::is_empty(own.path()));
}

/// Starts a process that does `work`, kills it once `ready` holds (given its id), and waits until everything that descended
/// from it is gone; false when that takes too long.
bool gone_when_killed(const std::function<void()>& work, const std::function<bool(pid_t)>& ready) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  const pid_t middle = ::fork();
  if (middle == 0) {
    // Also open in all that it starts, under a number that they do not use: end of file below means that all are gone.
    if (::fcntl(ends[1], F_DUPFD, 100) < 0) ::_exit(1);
    work();
    ::_exit(0);
  }
  ::close(ends[1]);
  bool was_ready = false;
  for (int tries = 0; tries < 1000 && !was_ready; ++tries) {
    std::this_thread::sleep_for(milliseconds(20));
    was_ready = ready(middle);
  }
  pollfd end_of_file{ends[0], POLLIN, 0};
  const bool alive = ::poll(&end_of_file, 1, 0) == 0;
  ::kill(middle, SIGKILL);
  ::waitpid(middle, nullptr, 0);
  const bool gone = ::poll(&end_of_file, 1, 20000) == 1;
  ::close(ends[0]);
  return was_ready && alive && gone;
}

TEST(Worker, EndsWithItsParent) {
  // The worker, a host, and a run that would take hours.
  RULE_TRUE("CGEN-24",
            gone_when_killed(
                [] {
                  const auto kernel =
                      build("program p { inout C: u64[1] for i in 0..1000000000000 { C[0] = C[0] * C[0] + u64(i) } }");
                  kernel->run({}, {{"C", tensor(Type::u64, {3})}}, std::chrono::minutes(5));
                },
                [](pid_t middle) { return descendants(middle) == 3; }));
}

TEST(Worker, ACompilationEndsWithItsParent) {
  // A compiler that does not end: a header that is a pipe. The temporary directory goes too.
  const TemporaryDirectory own;
  const std::string pipe = own.file("endless.h");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string temporary = own.file("tmp");
  std::filesystem::create_directory(temporary);
  RULE_TRUE("CGEN-24",
            gone_when_killed(
                [&] {
                  ::setenv("TMPDIR", temporary.c_str(), 1);
                  KernelOutcome error;
                  compile(parse("program p { output C: i32[1] C[0] = 1 }"), {"c", "gcc", "-include " + pipe}, error);
                },
                [&](pid_t middle) { return descendants(middle) >= 4 && !std::filesystem::is_empty(temporary); }));
  RULE_TRUE("CGEN-24", std::filesystem::is_empty(temporary));
}

TEST(Worker, RunsOfSeveralThreadsDoNotDisturbEachOther) {
  const auto kernel = build(
      "program p { input A: i32[1000] output C: i32[1000] for r in 0..200 { for i in 0..1000 { C[i] = A[i] * 3 } } }");
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Tensor a(Type::i32, {1000});
      for (int i = 0; i < 1000; ++i) a.set(i, wrap_int(Type::i32, i + 1000 * t));
      for (int round = 0; round < 10; ++round) {
        const auto out = kernel->run({}, {{"A", a}}, milliseconds(20000));
        if (out.status != Status::ok || signed_value(out.outputs.at("C").get(999)) != 3 * (999 + 1000 * t))
          ++wrong[static_cast<std::size_t>(t)];
      }
    });
  }
  for (auto& thread : threads) thread.join();
  RULE_EQ("CGEN-21", (std::vector<int>{0, 0, 0, 0}), wrong);
}

}  // namespace
}  // namespace assay::codegen::test
