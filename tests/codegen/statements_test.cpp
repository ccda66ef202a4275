// Statements in compiled code against values worked out by hand.
#include "support.hpp"

namespace assay::codegen::test {
namespace {

using V = std::vector<double>;

TEST(Statements, TileProductsAreTheirNest) {
  RULE_EQ("CGEN-45", (V{2, 2, 2, 2}),
          run_text("program p { const A: f32[2, 2] = {1.0, 1.0, 1.0, 1.0} output C: f32[2, 2] zero C for t in 0..32 "
                   "@tile { for i in "
                   "0..2 { for j in 0..2 { for k in 0..2 { C[i, j] += A[i, k] * A[k, j] } } } } }",
                   "C"));
}

TEST(Statements, LoopsStepAndStopAtTheEnds) {
  RULE_EQ("CGEN-9", (V{1, 0, 0, 1, 0, 0, 1, 0}),
          run_text("program p { output C: i32[8] zero C for i in 0..8 step 3 { C[i] += 1 } }", "C"));
  RULE_EQ("CGEN-9", (V{0, 0, 1, 1, 0}),
          run_text("program p { param n in 1..9 output C: i32[5] zero C for i in max(2, n - 9)..min(n, 5) { C[i] += 1 "
                   "} for i in n..2 { C[0] = 9 } }",
                   "C", {}, {{"n", 4}}));
  // The last iteration is close to the end of the 64-bit range; a naive counter would wrap and never stop.
  RULE_EQ("CGEN-9", (V{3}),
          run_text("program p { param n in 1..9223372036854775807 output C: i32[1] zero C for i in 0..n step "
                   "4000000000000000000 { C[0] += 1 } }",
                   "C", {}, {{"n", 9223372036854775806}}));
  RULE_EQ("CGEN-9", (V{3}),
          run_text("program p { output C: i32[1] zero C for i in 0..9223372036854775807 step 4000000000000000000 { "
                   "C[0] += 1 } }",
                   "C"));
  RULE_EQ("CGEN-9", (V{5}),
          run_text(
              "program p { param n in -9..9 output C: i32[1] zero C for i in -9223372036854775807..9223372036854775807 "
              "step 4000000000000000000 { C[0] += 1 } for i in n..-8 { C[0] = 7 } }",
              "C", {}, {{"n", -8}}));
}

TEST(Statements, IndexArithmetic) {
  V expected;
  for (int i = -7; i < 8; ++i) {
    const int q = i >= 0 ? i / 3 : -((-i + 2) / 3);
    expected.insert(expected.end(),
                    {double(q), double(i - 3 * q), double(i > 0 ? (i + 2) / 3 : -(-i / 3)), double(2 * i - 5)});
  }
  RULE_EQ("CGEN-9", expected,
          run_text(R"(program p { output C: i64[15, 4] for i in -7..8 {
      C[i + 7, 0] = i64(floordiv(i, 3))  C[i + 7, 1] = i64(floormod(i, 3))  C[i + 7, 2] = i64(ceildiv(i, 3))  C[i + 7, 3] = i64(2*i - 5) } })",
                   "C"));
}

TEST(Statements, OperatorsGroupAsTheTreeDoes) {
  const auto apply = [](char op, double x, double y) {
    return op == '+' ? x + y : op == '-' ? x - y : op == '*' ? x * y : x / y;
  };
  const std::string ops = "+-*/";
  std::string text = "program p { input A: f64[3] output C: f64[48] ";
  V expected;
  const double a = 10.1, b = -3.7, c = 0.3;
  const auto add = [&](const std::string& expression, double value) {
    text += "C[" + std::to_string(expected.size()) + "] = " + expression + "\n";
    expected.push_back(value);
  };
  for (const char p : ops) {
    for (const char q : ops) {
      add(std::string("A[0] ") + p + " (A[1] " + q + " A[2])", apply(p, a, apply(q, b, c)));
      add(std::string("(A[0] ") + p + " A[1]) " + q + " A[2]", apply(q, apply(p, a, b), c));
      add(std::string("-(A[0] ") + p + " -A[1]) " + q + " (A[2] > 0.0 ? A[2] : A[0])", apply(q, -apply(p, a, -b), c));
    }
  }
  RULE_EQ("CGEN-16", expected, run_text(text + "}", "C", {{"A", tensor(Type::f64, {a, b, c})}}));
  // Logic and comparisons of truth values.
  text =
      "program p { input A: bool[3] output C: bool[8, 6] for x in 0..8 { var a: bool = floordiv(x, 4) == 1  var b: "
      "bool = floormod(floordiv(x, 2), 2) == 1  var c: bool = floormod(x, 2) == 1\n";
  text +=
      "C[x, 0] = a && (b || c)  C[x, 1] = a && b || c  C[x, 2] = (a == b) == c  C[x, 3] = a != (b && !c)  C[x, 4] = "
      "!(a || b) && c  C[x, 5] = (a ? b : c) == (b ? !c : a) } }";
  expected.clear();
  for (int x = 0; x < 8; ++x) {
    const bool t = x / 4 == 1, u = x / 2 % 2 == 1, v = x % 2 == 1;
    for (const bool value :
         {t && (u || v), (t && u) || v, (t == u) == v, t != (u && !v), !(t || u) && v, (t ? u : v) == (u ? !v : t)})
      expected.push_back(value ? 1 : 0);
  }
  RULE_EQ("CGEN-16", expected, run_text(text, "C", {{"A", Tensor(Type::boolean, {3})}}));
}

TEST(Statements, ConstantOffsetsAreNotComputedInInt) {
  // Row 40000 of 60000 columns lies beyond 2^31 cells; the guard keeps the access from running, the text must still be right.
  const std::string text =
      c_text(parse("program p { param n in 0..2 input A: u8[50000, 60000] output C: u8[1] C[0] = 0 if n > 0 { C[0] = "
                   "A[40000, 59999] } }"));
  RULE_TRUE("CGEN-15", text.find("INT64_C(2400059999)") != std::string::npos);
  RULE_TRUE("CGEN-15", text.find("INT64_C(3000000000)") != std::string::npos);
}

TEST(Statements, GuardsProtect) {
  const TensorMap inputs{{"A", tensor(Type::i32, {0, 3})}};
  // Division by zero and far accesses in what is not evaluated.
  RULE_EQ("CGEN-8", (V{7, 2, 1, 0, 5}),
          run_text(R"(program p { input A: i32[2] output C: i32[5]
      C[0] = A[0] == 0 ? 7 : floordiv(1, A[0])
      if A[0] != 0 { C[1] = floordiv(1, A[0]) } else { C[1] = 2 }
      C[2] = A[0] == 0 || floordiv(1, A[0]) == 1 ? 1 : 0
      C[3] = A[0] != 0 && A[A[1] * 1000000] == 1 ? 1 : 0
      C[4] = A[1] == 3 ? 5 : scope x: i32 { x = A[A[1] * 1000000]  for k in 0..3 { x = x + floordiv(1, A[0]) } } })",
                   "C", inputs));
  const KernelOutcome both = compile_and_run(
      parse("program p { input A: i32[2] output C: i32[1] C[0] = select(A[0] == 0, 1, floordiv(1, A[0])) }"), {},
      inputs);
  RULE_TRUE("CGEN-8", both.status == KernelOutcome::Status::crashed);
  RULE_EQ("CGEN-19", std::string("SIGABRT"), both.message);
}

TEST(Statements, EveryIntegerDivisionByZeroAborts) {
  std::string text =
      "program p { param n in 0..99 input A: i8[2] input B: u64[2] output C: i8[1] output D: u64[1] zero C zero D ";
  int n = 0;
  for (const std::string op : {"floordiv", "floormod", "ceildiv", "truncdiv", "truncmod", "eucdiv", "eucmod"}) {
    text += "if n == " + std::to_string(n++) + " { C[0] = " + op + "(A[0], A[1]) } ";
    text += "if n == " + std::to_string(n++) + " { D[0] = " + op + "(B[0], B[1]) } ";
  }
  KernelOutcome error;
  const auto kernel = compile(parse(text + "}"), available_compilers().front(), error);
  ASSERT_TRUE(kernel) << error.message;
  for (int which = 0; which <= n; ++which) {
    const auto out = kernel->run({{"n", which}}, {{"A", tensor(Type::i8, {5, 0})}, {"B", tensor(Type::u64, {5, 0})}},
                                 std::chrono::seconds(10));
    const bool aborted = out.status == KernelOutcome::Status::crashed && out.message == "SIGABRT";
    RULE_EQ("CGEN-19", which < n, aborted);
  }
}

TEST(Statements, ScopesAreEvaluatedInPlace) {
  RULE_EQ("CGEN-10", (V{1, 3, 6, 10}),
          run_text(R"(program p { output C: f32[4]
      for i in 0..4 { C[i] = scope x: f32 { x = 0.0  for k in 0..i + 1 { x = x + scope y: f32 { y = f32(k)  y = y + 1.0 } } } } })",
                   "C"));
  // The scope reads what the program has stored so far, each time anew.
  RULE_EQ("CGEN-10", (V{1, 2, 4, 8}),
          run_text(R"(program p { output C: f32[4] zero C
      for i in 0..4 { C[i] = scope s: f32 { s = 1.0  for k in 0..i { s = s + C[k] } } } })",
                   "C"));
}

TEST(Statements, ZeroRankZeroAndEmptyBuffers) {
  const std::string text =
      "program p { param n in 0..4 inout S: f32[] output C: f64[n, 3] output D: f16[2] zero C zero D S[] = S[] * 2.0 "
      "D[1] = -0.0 zero D }";
  Tensor s(Type::f32, {});
  s.set(0, Scalar{Type::f32, 0x40400000});
  const KernelOutcome none = compile_and_run(parse(text), {{"n", 0}}, {{"S", s}});
  ASSERT_EQ(none.status, KernelOutcome::Status::ok) << none.message;
  RULE_EQ("CGEN-15", (V{6}), numbers(none.outputs.at("S")));
  RULE_EQ("CGEN-15", std::int64_t{0}, none.outputs.at("C").size());
  RULE_EQ("CGEN-15", std::vector<unsigned char>(4, 0), none.outputs.at("D").bytes);
  const KernelOutcome some = compile_and_run(parse(text), {{"n", 2}}, {{"S", s}});
  RULE_EQ("CGEN-15", std::vector<unsigned char>(48, 0), some.outputs.at("C").bytes);
}

TEST(Statements, DynamicIndicesOfEveryIntegerType) {
  std::string declarations, statements;
  TensorMap inputs;
  V expected;
  for (const std::string type : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"}) {
    declarations += "input " + type + "s: " + type + "[3] ";
    statements += "C[" + std::to_string(expected.size() / 3) + ", " + type + "s[i]] = i32(i) ";
    Tensor ids(*parse_type(type), {3});
    for (int i = 0; i < 3; ++i) ids.set(i, wrap_int(*parse_type(type), 2 - i));
    inputs.emplace(type + "s", ids);
    expected.insert(expected.end(), {2, 1, 0});
  }
  RULE_EQ("CGEN-16", expected,
          run_text("program p { " + declarations + "output C: i32[8, 3] for i in 0..3 { " + statements + "} }", "C",
                   inputs));
}

}  // namespace
}  // namespace assay::codegen::test
