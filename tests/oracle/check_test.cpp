// How `check` and `apply` form their verdicts: with the real judges, and with judges that lie.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "oracle/backends.hpp"
#include "oracle/files.hpp"
#include "oracle/json.hpp"
#include "oracle/screen.hpp"
#include "report_support.hpp"

namespace assay::oracle {
namespace {

using test::check_text;
using test::has_code;
using Status = Obligation::Status;

std::string temporary_folder(const std::string& name) {
  const auto path = std::filesystem::temp_directory_path() / ("assay-" + name + "-" + std::to_string(::getpid()));
  std::filesystem::create_directories(path);
  return path.string();
}

/// A validation of one obligation, whatever the programs are.
std::function<Validation(const Program&, const Program&, Query&)> saying(Status status, bool vacuous = false) {
  return [status, vacuous](const Program&, const Program&, Query&) {
    Validation v;
    v.obligations.push_back(test::obligation("dependence-order", status, "DEP-4"));
    v.obligations.back().vacuous = vacuous;
    return v;
  };
}

// An operation that also drops the last iteration of every outermost loop, and claims that nothing changed.
StepResult losing_the_last_iteration(const Program& before, const ScheduleLine& line, Query& query) {
  StepResult r = apply_line(before, line, query);
  if (!r) return r;
  Program p = r->program;
  for (Stmt& s : p.body) {
    if (s->kind == StmtKind::loop) s = with(s, [](StmtNode& n) { n.hi = n.hi - 1; });
  }
  return Rewrite{p};
}

TEST(Check, ALegalScheduleIsLegal) {
  const CheckResult r = check_text(test::tiled_copy);
  SCOPED_TRACE(to_screen(r.report, {false, false, true}));
  RULE_EQ("CHK-5", Verdict::legal, r.report.verdict);
  EXPECT_EQ(r.report.licence, Licence::exact);
  EXPECT_EQ(r.report.steps.size(), 2U);
  EXPECT_TRUE(r.program.has_value());
  ASSERT_FALSE(r.report.executions.empty());
  RULE_EQ("CHK-11", std::optional<bool>(true), r.report.executions[0].equal);
  EXPECT_GT(r.report.executions[0].cases, 20);
  EXPECT_NE(r.report.claim.find("every n in 1..40"), std::string::npos) << r.report.claim;
}

TEST(Check, CompiledCodeIsComparedWhereThereIsACompiler) {
  const CheckResult r = check_text(test::tiled_copy);
  const auto c = std::find_if(r.report.executions.begin(), r.report.executions.end(),
                              [](const ExecutionReport& e) { return e.backend == "c"; });
  if (codegen::available_compilers().empty()) GTEST_SKIP() << "no C compiler here";
  ASSERT_NE(c, r.report.executions.end());
  RULE_EQ("CHK-12", std::optional<bool>(true), c->equal);
  RULE_EQ("CHK-12", r.report.executions[0].cases, c->cases);
}

TEST(Check, AViolationIsReplayed) {
  const CheckResult r = check_text(test::skew);
  SCOPED_TRACE(to_screen(r.report, {false, false, true}));
  RULE_EQ("CHK-6", Verdict::illegal, r.report.verdict);
  EXPECT_FALSE(r.program.has_value());
  ASSERT_TRUE(r.report.observation.has_value());
  RULE_EQ("CHK-6", Observation::Kind::difference, r.report.observation->kind);
  RULE_EQ("CHK-6", std::string("a"), r.report.observation->buffer);
  RULE_EQ("CHK-6", (std::vector<std::int64_t>{2, 0}), r.report.observation->cell);
  RULE_EQ("CHK-6", std::int64_t{36}, r.report.observation->differing);
  EXPECT_TRUE(has_code(r.report, "DEP-2"));
  const auto& obligations = r.report.steps.at(0).obligations;
  const bool replayed = std::any_of(obligations.begin(), obligations.end(), [](const ObligationReport& o) {
    return o.obligation.status == Status::violated && o.obligation.witness && o.replayed;
  });
  RULE_TRUE("CHK-6", replayed);
  const std::string screen = to_screen(r.report, {});
  EXPECT_NE(screen.find("a[2, 0] is 2.0 before, 1.0 after; 36 of 64 cells differ"), std::string::npos) << screen;
}

TEST(Check, AViolationThatNothingShowsIsUndecided) {
  CheckOptions o;
  o.judges.validate = saying(Status::violated);
  const CheckResult r = check_text(test::tiled_copy, o);
  RULE_EQ("CHK-7", Verdict::undecided, r.report.verdict);
  RULE_EQ("CHK-9", std::size_t{1}, r.report.steps.size());
}

TEST(Check, AnOpenObligationIsDecidedByExecutions) {
  CheckOptions o;
  o.judges.validate = saying(Status::undecided);
  RULE_EQ("CHK-8", Verdict::illegal, check_text(test::skew, o).report.verdict);
  RULE_EQ("CHK-8", Verdict::undecided, check_text(test::tiled_copy, o).report.verdict);
}

// The same terms in another order: no input on which sums are exact tells the two apart, so nothing is refuted.
TEST(Check, RoundingAloneRefutesNothing) {
  const std::string sum =
      "program p { input A: f32[4, 32] inout y: f32[4] for i in 0..4 { for k in 0..32 { y[i] += A[i, k] } } } ";
  for (const Status said : {Status::undecided, Status::violated}) {
    for (const std::string line :
         {"retype k axis=vectorized lanes=8", "split_reduce k blocks=4 target=y", "swap i k"}) {
      CheckOptions o;
      o.judges.validate = saying(said);
      const CheckResult r = check_text(sum + "schedule s { " + line + " }", o);
      SCOPED_TRACE(to_screen(r.report, {false, false, true}));
      RULE_EQ("CHK-3", Verdict::undecided, r.report.verdict);
    }
    // One term lost is seen all the same.
    CheckOptions o;
    o.judges.validate = saying(said);
    o.judges.apply = losing_the_last_iteration;
    RULE_EQ("CHK-3", Verdict::illegal, check_text(sum + "schedule s { swap i k }", o).report.verdict);
  }
}

TEST(Check, AFalseProofIsAContradictionAndKept) {
  CheckOptions o;
  o.judges.validate = test::prove_anything;
  o.keep_folder = temporary_folder("kept");
  const CheckResult r = check_text(test::skew, o);
  RULE_EQ("CHK-11", Verdict::contradiction, r.report.verdict);
  RULE_EQ("CHK-11", 70, exit_status(r.report.verdict));
  ASSERT_FALSE(r.report.kept.empty());
  RULE_TRUE("CHK-11", std::filesystem::exists(r.report.kept));
  // The kept file holds both programs, and they are indeed different.
  const auto kept = load_source(r.report.kept);
  ASSERT_TRUE(kept.has_value());
  ASSERT_EQ(kept->file.programs.size(), 2U);
  EXPECT_EQ(prove(kept->file.programs[0], {}, kept->file.programs[1], {}, {}).verdict, Verdict::different);
  const CheckResult again = check_text(test::skew, o);
  EXPECT_EQ(again.report.kept, r.report.kept);
  std::filesystem::remove_all(o.keep_folder);
}

TEST(Check, ALyingTransformIsCaught) {
  CheckOptions o;
  o.judges.apply = losing_the_last_iteration;
  const CheckResult r = check_text(test::tiled_copy, o);
  SCOPED_TRACE(to_screen(r.report, {false, false, true}));
  RULE_EQ("CHK-6", Verdict::illegal, r.report.verdict);
}

TEST(Check, AFaultySourceIsFaultyBeforeAnyStep) {
  const CheckResult r = check_text(
      "program p { input A: f32[4] output B: f32[5] for i in 0..5 { B[i] = A[i] } }\nschedule s { split i factor=2 "
      "}\n");
  RULE_EQ("CHK-4", Verdict::faulty, r.report.verdict);
  RULE_TRUE("CHK-4", r.report.steps.empty());
}

TEST(Check, AnUndecidedSourceIsUndecidedBeforeAnyStep) {
  const CheckResult r = check_text(
      "program p { inout c: i32[1] output B: f32[4] for t in 0..4 @workgroup { var v: i32 = c[0] if v > 0 { barrier } "
      "B[t] = 1.0 } for i in 0..0 { B[i] = 2.0 } }\nschedule s { split i factor=2 }\n");
  RULE_EQ("CHK-4", Verdict::undecided, r.report.verdict);
  RULE_TRUE("CHK-4", r.report.steps.empty());
  RULE_TRUE("BAR-2", has_code(r.report, "BAR-2"));
}

TEST(Check, WorkStopsAtTheFirstStepThatIsNotLegal) {
  const CheckResult r = check_text(
      "program p { inout x: f32[9] for t in 0..8 { x[t + 1] = x[t] } }\nschedule s {\n split t factor=4 -> o, q\n "
      "retype q axis=vectorized\n split o factor=2\n}\n");
  SCOPED_TRACE(to_screen(r.report, {false, false, true}));
  RULE_EQ("CHK-9", Verdict::illegal, r.report.verdict);
  RULE_EQ("CHK-9", std::size_t{2}, r.report.steps.size());
  RULE_EQ("CHK-9", Verdict::legal, r.report.steps[0].status);
}

TEST(Check, RefusalsAreInapplicableOrErrors) {
  const std::string program =
      "program p { input A: f32[4, 4] output B: f32[4, 4] output C: f32[4] for i in 0..4 { C[i] = 1.0 for j in 0..4 { "
      "B[i, j] = A[i, j] } } }\n";
  CheckResult r = check_text(program + "schedule s { split j factor=2 -> a, b\n swap i a }\n");
  RULE_EQ("CHK-10", Verdict::inapplicable, r.report.verdict);
  EXPECT_EQ(r.report.claim, "step 2; step 1 is legal (exact)");
  r = check_text(program + "schedule s { split j factr=2 }\n");
  RULE_EQ("CHK-10", Verdict::error, r.report.verdict);
  r = check_text(program + "schedule s { split nothing factor=2 }\n");
  RULE_EQ("CHK-10", Verdict::error, r.report.verdict);
}

TEST(Check, LicencesAreCompared) {
  CheckOptions o;
  CheckResult r = check_text(test::sum_swap, o);
  SCOPED_TRACE(to_screen(r.report, {false, false, true}));
  RULE_EQ("LIC-1", Verdict::legal, r.report.verdict);
  RULE_EQ("LIC-1", std::optional<Licence>(Licence::reassociates), r.report.licence);
  EXPECT_EQ(r.report.executions[0].rigour, 'E');
  o.licence = Licence::exact;
  r = check_text(test::sum_swap, o);
  RULE_EQ("LIC-1", Verdict::illegal, r.report.verdict);
  RULE_TRUE("LIC-1", has_code(r.report, "LIC-1"));
  o.licence = Licence::reassociates;
  RULE_EQ("LIC-1", Verdict::legal, check_text(test::sum_swap, o).report.verdict);
}

TEST(Check, OnlyOrderExactCellsAreComparedAcrossAReordering) {
  // Every addition of 0.1 is inexact after the first: no case has an order-exact cell.
  const CheckResult r = check_text(
      "program p { output S: f32[1] zero S for a in 0..6 { for b in 0..5 { S[0] += 0.1 } } }\nschedule s { swap a b "
      "}\n");
  ASSERT_FALSE(r.report.executions.empty());
  RULE_EQ("CHK-3", std::optional<bool>(), r.report.executions[0].equal);
  const std::string screen = to_screen(r.report, {});
  RULE_TRUE("CHK-3", screen.find("not comparable") != std::string::npos) << screen;
  const CheckResult exact = check_text(test::sum_swap);
  RULE_EQ("CHK-3", std::optional<bool>(true), exact.report.executions[0].equal);
  RULE_TRUE("CHK-3", exact.report.executions[0].cells > 0);
}

TEST(Check, TheBudgetIsKeptButSomethingIsInterpreted) {
  const auto text = [](int n) {
    return "program p { output B: f32[1] for i in 0.." + std::to_string(n) +
           " { B[0] = 1.0 } }\nschedule s { split i factor=2 }\n";
  };
  CheckOptions o;
  o.backends = {"interp"};
  o.budgets.interpretation = 1000;
  CheckResult r = check_text(text(1000), o);  // beyond the budget, within a hundred times of it
  SCOPED_TRACE(to_screen(r.report, {false, false, true}));
  RULE_EQ("CHK-2", Verdict::legal, r.report.verdict);
  RULE_EQ("CHK-2", 1, r.report.executions[0].cases);
  r = check_text(text(1000000), o);
  RULE_EQ("CHK-2", Verdict::undecided, r.report.verdict);
  RULE_EQ("CHK-2", 0, r.report.executions[0].cases);
  // Large buffers that are hardly touched count too: few operations, and yet one case is all that the budget holds.
  r = check_text(
      "program p { inout B: f32[2400] for i in 0..4 { B[i] = B[i] + 1.0 } }\nschedule s { split i factor=2 }\n", o);
  RULE_EQ("CHK-2", Verdict::legal, r.report.verdict);
  RULE_EQ("CHK-2", 1, r.report.executions[0].cases);
}

TEST(Check, TheLargestSizeThatFitsIsInterpreted) {
  CheckOptions o;
  o.backends = {"interp"};
  const CheckResult r = check_text(
      "program p { param n in 1..1000000 output B: f32[n] for i in 0..n { B[i] = 1.0 } }\nschedule s { split i "
      "factor=2 }\n",
      o);
  std::int64_t largest = 0;
  for (const ParameterMap& size : r.report.executions.at(0).sizes) largest = std::max(largest, size.at("n"));
  RULE_TRUE("CHK-1", largest > 1000) << largest;
}

TEST(Check, RequiredBackendsMustRun) {
  CheckOptions o;
  o.required = {"cuda"};
  RULE_EQ("CHK-14", Verdict::undecided, check_text(test::tiled_copy, o).report.verdict);
  o.required = {"interp"};
  RULE_EQ("CHK-14", Verdict::legal, check_text(test::tiled_copy, o).report.verdict);
  if (codegen::available_compilers().empty()) return;
  o.required = {"c"};
  RULE_EQ("CHK-14", Verdict::legal, check_text(test::tiled_copy, o).report.verdict);
  o.backends = {"interp"};
  RULE_EQ("CHK-14", Verdict::undecided, check_text(test::tiled_copy, o).report.verdict);
}

TEST(Check, UptoAndOnly) {
  const std::string text =
      "program p { inout x: f32[9] for t in 0..8 { x[t + 1] = x[t] } }\nschedule s {\n split t factor=4 -> o, q\n "
      "retype q axis=vectorized\n}\n";
  CheckOptions o;
  o.upto = 1;
  CheckResult r = check_text(text, o);
  RULE_EQ("CHK-15", Verdict::legal, r.report.verdict);
  RULE_EQ("CHK-15", std::size_t{1}, r.report.steps.size());
  o.upto = std::nullopt;
  o.only = 2;
  r = check_text(text, o);
  RULE_EQ("CHK-15", Verdict::illegal, r.report.verdict);
  RULE_TRUE("CHK-15", !r.report.steps.at(0).judged && r.report.steps.at(1).judged);
  o.only = 3;
  RULE_EQ("CHK-15", Verdict::error, check_text(text, o).report.verdict);
}

TEST(Check, OnlyComparesWithTheProgramBeforeTheStep) {
  // Step 1 reassociates; step 2 alone is exact, and is compared bit by bit.
  const std::string text =
      "program p { input A: f32[6, 5] output S: f32[1] zero S for a in 0..6 { for b in 0..5 { S[0] += A[a, b] } } "
      "}\nschedule s {\n swap a b\n split a factor=2\n}\n";
  CheckOptions o;
  o.only = 2;
  o.licence = Licence::exact;
  const CheckResult r = check_text(text, o);
  SCOPED_TRACE(to_screen(r.report, {false, false, true}));
  RULE_EQ("CHK-15", Verdict::legal, r.report.verdict);
  EXPECT_EQ(r.report.executions.at(0).rigour, 'B');
}

TEST(Check, VacuousStepsAreWarnedAbout) {
  CheckOptions o;
  o.judges.validate = saying(Status::proved, true);
  const CheckResult r = check_text(test::tiled_copy, o);
  RULE_EQ("CHK-16", Verdict::legal, r.report.verdict);
  RULE_TRUE("CHK-16", has_code(r.report, "CHK-16"));
}

TEST(Check, ApplyRunsNothingButWitnesses) {
  CheckOptions o;
  o.execute = false;
  CheckResult r = check_text(test::tiled_copy, o);
  RULE_EQ("CHK-17", Verdict::legal, r.report.verdict);
  RULE_TRUE("CHK-17", r.program.has_value());
  RULE_TRUE("CHK-17", r.report.executions.empty());
  r = check_text(test::skew, o);
  RULE_EQ("CHK-17", Verdict::illegal, r.report.verdict);
  RULE_TRUE("CHK-17", !r.program.has_value());
  o.licence = Licence::exact;
  r = check_text(test::sum_swap, o);
  RULE_EQ("CHK-17", Verdict::illegal, r.report.verdict);
  RULE_TRUE("CHK-17", !r.program.has_value());
}

TEST(Check, FunctionsThatAreNotPromisedAreComparedWithTheirEnclosure) {
  if (codegen::available_compilers().empty()) GTEST_SKIP() << "no C compiler here";
  const auto executed = [](const std::string& value, std::string& screen) {
    const CheckResult r = check_text("program p { input A: f64[8] output B: f64[8] for i in 0..8 { B[i] = " + value +
                                     " } }\nschedule s { split i factor=4 }\n");
    EXPECT_EQ(r.report.verdict, Verdict::legal);
    screen = to_screen(r.report, {});
    for (const ExecutionReport& e : r.report.executions) {
      if (e.backend == "c") return e;
    }
    return ExecutionReport{};
  };
  std::string screen;
  const ExecutionReport inside = executed("exp(A[i]) + sin(A[i])", screen);
  RULE_EQ("CHK-13", 'S', inside.rigour);
  RULE_EQ("CHK-13", std::optional<bool>(true), inside.equal);
  RULE_TRUE("ENC-5", inside.cells > 0);
  RULE_TRUE("CHK-13", screen.find("rigour S") != std::string::npos) << screen;
  RULE_TRUE("CHK-13", screen.find("rigour U") == std::string::npos) << screen;
  const ExecutionReport undecided = executed("exp(A[i]) + (exp(f64(1.5)) < exp(f64(1.5)) ? 1.0 : 2.0)", screen);
  RULE_EQ("CHK-13", 'U', undecided.rigour);
  RULE_EQ("CHK-13", std::optional<bool>(), undecided.equal);
  RULE_TRUE("CHK-13", screen.find("rigour U") != std::string::npos) << screen;
}

TEST(Check, EveryCompilerThatIsHereAndThoseThatAreNamed) {
  const auto ran = [](const CheckResult& r, const std::string& name) {
    const auto& all = r.report.executions;
    return std::any_of(all.begin(), all.end(), [&](const ExecutionReport& e) {
      return e.backend == name && e.cases > 0 && e.equal.value_or(false);
    });
  };
  const auto says = [](const CheckResult& r, const std::string& part) {
    const auto& all = r.report.omissions;
    return std::any_of(all.begin(), all.end(), [&](const std::string& o) { return o.find(part) != std::string::npos; });
  };
  CheckResult r = check_text(test::tiled_copy);
  for (const char* name : {"c", "tcc"}) RULE_EQ("CHK-18", is_backend_built(name), ran(r, name));
  CheckOptions o;
  for (const char* name : {"opencl", "oclgrind", "cuda"}) {
    if (is_backend_built(name)) continue;
    o.backends = {"interp", name};
    r = check_text(test::tiled_copy, o);
    RULE_TRUE("CHK-18", r.report.verdict == Verdict::legal && says(r, std::string(name) + ": not installed"));
  }
  if (is_backend_built("c")) {
    o.backends = {"c-O0"};
    r = check_text(test::tiled_copy, o);
    RULE_TRUE("CHK-18", ran(r, "c-O0") && !ran(r, "c") && !ran(r, "tcc"));
  }
  if (!is_backend_built("tcc")) GTEST_SKIP() << "tcc is not here";
  const std::string power =
      "program p { input A: f32[8] output B: f32[8] for i in 0..8 { B[i] = pow(A[i], 2.0) } }\nschedule s { split i "
      "factor=4 }\n";
  o.backends = {"tcc"};
  r = check_text(power, o);
  RULE_TRUE("CHK-18", r.report.verdict == Verdict::legal && says(r, "tcc: not run: tcc has no __float128"));
  o.required = {"tcc"};
  RULE_EQ("CHK-18", Verdict::undecided, check_text(power, o).report.verdict);
}

TEST(Check, ThreadsRunAsFibers) {
  if (!is_backend_built("simt")) GTEST_SKIP() << "gcc is not here";
  const auto run = [](const CheckOptions& o, const std::string& extent = "8") {
    return check_text("program p { input x: f32[" + extent + "]  output y: f32[" + extent + "]  shared s: f32[" +
                          extent + "]\n for t in 0.." + extent + " @workgroup { s[t] = x[t]  barrier  y[t] = s[" +
                          extent + " - 1 - t] } }\nschedule s { }\n",
                      o)
        .report;
  };
  const auto ran = [](const Report& r, const std::string& name) {
    return std::any_of(r.executions.begin(), r.executions.end(), [&](const ExecutionReport& e) {
      return e.backend == name && e.cases > 0 && e.equal.value_or(false);
    });
  };
  CheckOptions o;
  Report r = run(o);
  RULE_TRUE("BACK-1", r.verdict == Verdict::legal && ran(r, "simt") && !ran(r, "c") && !ran(r, "tcc"));
  o.required = {"simt"};
  RULE_EQ("BACK-1", Verdict::legal, run(o).verdict);
  RULE_EQ("BACK-2", Verdict::undecided, run(o, "1025").verdict);
  o.required.clear();
  r = run(o, "1025");
  RULE_TRUE("BACK-2", r.verdict == Verdict::legal && !ran(r, "simt") && r.omissions.size() == 1 &&
                          r.omissions.front().find("more threads than a device allows") != std::string::npos);
  o.backends = {"c"};
  r = run(o);
  RULE_TRUE("BACK-1", r.verdict == Verdict::legal && !ran(r, "c") && !r.omissions.empty());
  o.backends = {"simt"};
  RULE_TRUE("BACK-1", ran(check_text(test::tiled_copy, o).report, "simt"));
}

TEST(Backends, ThreadsThatDoNotMeetAreAContradiction) {
  if (!is_backend_built("simt")) GTEST_SKIP() << "gcc is not here";
  for (const char* text :
       {"program p { output y: f32[8]  for t in 0..8 @workgroup { if t < 4 { barrier }  y[t] = 1.0 } }",
        "program p { output y: i32[1]  for t in 0..8 @workgroup { y[0] = i32(t) } }"}) {
    const auto m = test::material(text);
    CompiledPair pair(m.program(), m.program(), thread_compilers({}).front(), false);
    pair.run_interpreted({}, {InputChoice::Kind::exact, 0}, {}, {}, {});
    RULE_TRUE("BACK-3", pair.result().contradiction.has_value());
  }
}

TEST(Check, TheSameAnswerTwice) {
  for (const char* text : {test::skew, test::tiled_copy, test::sum_swap}) {
    RULE_EQ("CLI-4", to_json(check_text(text).report), to_json(check_text(text).report));
  }
}

TEST(Backends, ADisagreementWithTheInterpreterIsAContradiction) {
  const auto compilers = codegen::available_compilers();
  if (compilers.empty()) GTEST_SKIP() << "no C compiler here";
  const auto m = test::material(test::tiled_copy);
  CompiledPair pair(m.program(), m.program(), compilers.front(), false);
  const ParameterMap size{{"n", 3}};
  const InputChoice choice{InputChoice::Kind::exact, 0};
  const TensorMap inputs = make_inputs(m.program(), size, choice);
  interp::Options options;
  options.parameters = size;
  const interp::Outcome right = interp::run(m.program(), inputs, options);
  EXPECT_TRUE(pair.run_interpreted(size, choice, inputs, right, right));
  interp::Outcome wrong = right;
  wrong.outputs.at("B").bytes[0] ^= 1U;
  RULE_TRUE("CHK-12", !pair.run_interpreted(size, choice, inputs, right, wrong));
  RULE_TRUE("CHK-12", pair.result().contradiction.has_value());
  RULE_EQ("CHK-12", std::int64_t{1}, pair.result().observation->differing);
}

}  // namespace
}  // namespace assay::oracle
