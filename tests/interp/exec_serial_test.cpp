// Serial execution: order, loops, choices, scopes, buffers, budget.
#include "exec_support.hpp"
#include "ir/traverse.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using Values = std::vector<double>;
using interp::Status;

TEST(ExecSerial, StatementsAndLaunchesRunInTextOrder) {
  const auto o = run_text(R"(program p { output A: i32[3]  temp T: i32[1]
    A[0] = 1  A[0] = A[0] + 1  A[1] = A[0] * 10
    T[0] = 5
    launch
    A[2] = A[1] + T[0]
  })");
  RULE_EQ("EXEC-1", (Values{2, 20, 25}), output(o, "A"));
}

TEST(ExecSerial, LoopsAreHalfOpenAndAscend) {
  const auto o = run_text(R"(program p { output A: i32[12]  output n: i32[1]
    zero A  zero n
    for i in 2..9 step 3 { n[0] = n[0] * 10 + i32(i)  A[i] = 1 }
    for i in 5..5 { A[11] = 7 }
    for i in 6..-4 { A[11] = 7 }
  })");
  RULE_EQ("EXEC-2", (Values{258}), output(o, "n"));
  RULE_EQ("EXEC-2", (Values{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0}), output(o, "A"));
}

TEST(ExecSerial, ALoopMayEndAtTheLargestInteger) {
  const auto o = run_text(R"(program p { output n: i64[2]
    zero n
    for i in 9223372036854775800..9223372036854775807 step 5 { n[0] += 1 }
    for i in -9223372036854775807..9223372036854775807 step 9223372036854775807 { n[1] += 1 }
  })");
  RULE_EQ("EXEC-2", (Values{2, 2}), output(o, "n"));
}

TEST(ExecSerial, BoundsAreEvaluatedOnEntryFromOuterSymbolsAndParameters) {
  interp::Options options;
  options.parameters = {{"n", 5}};
  const auto o = run_text(R"(program p { param n in 1..9  output A: i32[n, n]
    zero A
    for i in 0..n { for j in max(0, i - 1)..min(n, i + 2) { A[i, j] = 1 } }
  })",
                          {}, options);
  RULE_EQ("EXEC-2", (Values{1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1}),
          output(o, "A"));
}

TEST(ExecSerial, UnrolledIsSerial) {
  const auto o =
      run_text(R"(program p { output A: i32[1]  zero A  for i in 1..5 @unrolled { A[0] = A[0] * 10 + i32(i) } })");
  RULE_EQ("EXEC-3", (Values{1234}), output(o, "A"));
}

TEST(ExecSerial, WhatIsNotChosenIsNotEvaluated) {
  const auto o = run_text(R"(program p { input z: i32[1]  output A: i32[6]
    A[0] = z[0] == 0 ? 1 : floordiv(1, z[0])
    A[1] = z[0] != 0 && floordiv(1, z[0]) == 1 ? 1 : 2
    A[2] = z[0] == 0 || floordiv(1, z[0]) == 1 ? 1 : 2
    if z[0] == 0 { A[3] = 3 } else { A[3] = z[7] }
    A[4] = z[0] == 0 ? 4 : scope s: i32 { s = z[9] }
    if z[0] != 0 { A[9] = 1 }
    A[5] = 6
  })",
                          {{"z", row(Type::i32, {0})}});
  RULE_EQ("EXEC-4", (Values{1, 2, 1, 3, 4, 6}), output(o, "A"));
}

TEST(ExecSerial, SelectEvaluatesBothArms) {
  const char* text = R"(program p { input z: i32[1]  output A: i32[1]
    A[0] = select(z[0] == 0, 1, floordiv(1, z[0])) })";
  RULE_EQ("EXEC-4", std::string("RUN-3 statement 0 line 2"), describe(run_text(text, {{"z", row(Type::i32, {0})}})));
  RULE_EQ("EXEC-4", (Values{1}), output(run_text(text, {{"z", row(Type::i32, {1})}}), "A"));
}

TEST(ExecSerial, AStoreEvaluatesIndicesThenValueThenChecksTheCell) {
  // Each text has two faults; the one that comes first in the order is reported.
  const TensorMap zero{{"z", row(Type::i32, {0})}};
  const auto first = [&](const std::string& store) {
    return describe(run_text("program p { input z: i32[1]  output A: i32[4, 4]  temp T: i32[4]\n" + store + "}", zero));
  };
  RULE_EQ("EXEC-5", std::string("RUN-3 statement 0 line 2"), first("A[floordiv(1, z[0]), 0] = T[0]"));
  RULE_EQ("EXEC-5", std::string("RUN-3 statement 0 line 2"), first("A[floordiv(1, z[0]), T[0]] = 0"));
  RULE_EQ("EXEC-5", std::string("RUN-2 statement 0 line 2 T[0]"), first("A[4, 0] = T[0]"));
  RULE_EQ("EXEC-5", std::string("RUN-1 statement 0 line 2 A[4, 0]"), first("A[4, 0] = 1"));
  RULE_EQ("EXEC-5", std::string("RUN-3 statement 0 line 2"), first("A[0, 0] = A[4, floordiv(1, z[0])]"));
}

TEST(ExecSerial, VariablesAreUndefinedAtEachDeclaration) {
  const auto o = run_text(R"(program p { output A: i32[2]
    for i in 0..2 {
      var s: i32
      if i == 0 { s = 1 }
      A[i] = s
    } })");
  RULE_EQ("EXEC-6", std::string("RUN-2 statement 4 line 5 i=1 s"), describe(o));
}

TEST(ExecSerial, ScopesYieldTheLastValue) {
  const char* text = R"(program p { input a: f32[4]  output C: f32[2]
    for i in 0..2 {
      C[i] = 1.0 + scope s: f32 {
        s = 0.0
        for k in 0..2 { var t: f32 = a[2*i + k]  s = s + t * scope u: f32 { u = 2.0  u = u + f32(k) } }
      } * 10.0
    } })";
  RULE_EQ("EXEC-7", (Values{1 + 10 * (1 * 2 + 2 * 3), 1 + 10 * (3 * 2 + 4 * 3)}),
          output(run_text(text, {{"a", row(Type::f32, {1, 2, 3, 4})}}), "C"));
  const auto undefined = run_text(R"(program p { input a: f32[1]  output C: f32[1]
    C[0] = scope s: f32 {
      if a[0] > 0.0 { s = 1.0 }
    } })",
                                  {{"a", row(Type::f32, {0})}});
  RULE_EQ("EXEC-7", std::string("RUN-2 statement 0 line 2 s"), describe(undefined));
}

TEST(ExecSerial, ZeroStoresZeroBits) {
  const auto o = run_text(R"(program p { output A: f32[2, 2]  output b: bool[2]  output s: f32[]
    A[0, 0] = nan  zero A  zero b  zero s })");
  RULE_EQ("EXEC-8", (Values{0, 0, 0, 0}), output(o, "A"));
  RULE_EQ("EXEC-8", (Values{0, 0}), output(o, "b"));
  RULE_EQ("EXEC-8", (Values{0}), output(o, "s"));
  for (std::int64_t i = 0; i < 4; ++i) RULE_EQ("EXEC-8", std::uint64_t{0}, o.outputs.at("A").get(i).bits);
}

TEST(ExecSerial, DefinedOnEntry) {
  const auto o = run_text(
      R"(program p { input a: i32[1]  inout X: i32[2]  const K: i32[2, 2] = {1, 2, 3, -4}  temp T: i32[1]  output C: i32[1]
    X[1] = a[0] + X[0] + K[1, 1]
    T[0] = K[0, 1]
    launch
    C[0] = T[0]
  })",
      {{"a", row(Type::i32, {100})}, {"X", row(Type::i32, {10, 77})}});
  RULE_EQ("EXEC-9", (Values{10, 106}), output(o, "X"));
  RULE_EQ("EXEC-9", (Values{2}), output(o, "C"));
  RULE_EQ("EXEC-9", std::string("RUN-2 statement 0 line 1 T[0]"),
          describe(run_text("program p { temp T: i32[1]  output C: i32[1]  C[0] = T[0] }")));
  RULE_EQ("EXEC-9", std::string("RUN-2 statement 0 line 1 C[0]"),
          describe(run_text("program p { output C: i32[1]  C[0] = C[0] }")));
}

TEST(ExecSerial, DynamicIndicesAreMathematicalValues) {
  const char* text = R"(program p { input i: u8[2]  input j: i8[2]  input k: u64[1]  input A: f32[300]  output C: f32[3]
    C[0] = A[i[0]]  C[1] = A[i32(j[0]) + 299]
    C[2] = A[k[0]] })";
  Values a(300);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i);
  const TensorMap inputs{{"i", row(Type::u8, {250, 0})},
                         {"j", row(Type::i8, {-3, 0})},
                         {"k", row(Type::u64, {3})},
                         {"A", row(Type::f32, a)}};
  RULE_EQ("EXEC-10", (Values{250, 296, 3}), output(run_text(text, inputs), "C"));
  TensorMap huge = inputs;
  huge["k"].set(0, {Type::u64, ~std::uint64_t{0}});
  RULE_EQ("EXEC-10", std::string("RUN-1 statement 2 line 3 A[9223372036854775807]"), describe(run_text(text, huge)));
  const auto negative =
      run_text("program p { input j: i8[1]  output C: i32[4]  C[j[0]] = 1 }", {{"j", row(Type::i8, {-1})}});
  RULE_EQ("EXEC-10", std::string("RUN-1 statement 0 line 1 C[-1]"), describe(negative));
}

TEST(ExecSerial, IndexOperandsAreMathematicalIntegers) {
  const auto o = run_text(R"(program p { output C: i32[5]
    zero C
    for i in 0..5 {
      if i == 2 { C[i] = 1 }
      if i > 3 { C[i] = 2 }
      if 2*i <= 1 { C[i] = 3 }
      if i != 0 && i < 2 { C[select(i == 1, i + 2, i)] = i32(i < 1 ? i : 7 - i) }
    } })");
  RULE_EQ("EXEC-11", (Values{3, 0, 1, 6, 2}), output(o, "C"));
}

// Operations on index values that the text form does not write are those of mathematical integers as well.
TEST(ExecSerial, EveryOperationOnIndexValues) {
  const auto value = [](Op op, std::int64_t a, std::int64_t b) {
    Program p;
    p.buffers.push_back({"C", BufferKind::output, Type::i64, {Index(1)}});
    std::vector<Expr> operands{make_index(Index(a))};
    if (info(op).arity == 2) operands.push_back(make_index(Index(b)));
    Expr e = make_op(op, operands);
    if (e->type == Type::boolean) e = make_convert(Type::i64, e);
    p.body = {make_store("C", {make_index(Index(0))}, e->type == Type::index ? make_convert(Type::i64, e) : e)};
    const auto o = run_both(p, {}, {});
    return o.status == Status::ok ? std::to_string(static_cast<std::int64_t>(o.outputs.at("C").get(0).bits))
                                  : describe(o).substr(0, 5);
  };
  for (std::int64_t a : {-7, -6, -1, 0, 1, 6, 7}) {
    for (std::int64_t b : {-3, -2, 2, 3}) {
      const std::int64_t fd = floor_div(a * (b < 0 ? -1 : 1), b < 0 ? -b : b);
      const std::int64_t em = floor_mod(a, b < 0 ? -b : b);
      const std::pair<Op, std::int64_t> expected[] = {{Op::add, a + b},
                                                      {Op::sub, a - b},
                                                      {Op::mul, a * b},
                                                      {Op::neg, -a},
                                                      {Op::abs, a < 0 ? -a : a},
                                                      {Op::floordiv, fd},
                                                      {Op::floormod, a - fd * b},
                                                      {Op::ceildiv, -floor_div(-a * (b < 0 ? -1 : 1), b < 0 ? -b : b)},
                                                      {Op::truncdiv, a / b},
                                                      {Op::truncmod, a % b},
                                                      {Op::eucdiv, (a - em) / b},
                                                      {Op::eucmod, em},
                                                      {Op::max, a < b ? b : a},
                                                      {Op::min, a < b ? a : b},
                                                      {Op::eq, a == b},
                                                      {Op::ne, a != b},
                                                      {Op::lt, a < b},
                                                      {Op::le, a <= b},
                                                      {Op::gt, a > b},
                                                      {Op::ge, a >= b}};
      for (const auto& [op, result] : expected) {
        RULE_TRUE("EXEC-11", std::to_string(result) == value(op, a, b))
            << info(op).text << " " << a << " " << b << " is " << value(op, a, b);
      }
    }
  }
  RULE_EQ("EXEC-11", std::string("RUN-3"), value(Op::floordiv, 1, 0));
  RULE_EQ("EXEC-11", std::string("RUN-3"), value(Op::eucmod, 1, 0));
  RULE_EQ("EXEC-11", std::string("RUN-4"), value(Op::mul, INT64_MAX, 2));
  RULE_EQ("EXEC-11", std::string("RUN-4"), value(Op::neg, INT64_MIN, 0));
  RULE_EQ("EXEC-11", std::string("RUN-9"), value(Op::pow, 2, 2));
}

TEST(ExecSerial, EveryTypeIsStoredAndLoaded) {
  for (const Type t : scalar_types) {
    const std::string name(assay::name(t));
    const auto o =
        run_text("program p { input a: " + name + "[3]  output C: " + name + "[3]  for i in 0..3 { C[2 - i] = a[i] } }",
                 {{"a", t == Type::boolean ? row(t, {1, 0, 0}) : row(t, {1, 2, 5})}});
    EXPECT_EQ((t == Type::boolean ? Values{0, 0, 1} : Values{5, 2, 1}), output(o, "C")) << name;
  }
}

TEST(ExecSerial, NumbersOfStatementsAreThoseOfTheNumbering) {
  // Statements inside scopes count where the scope stands; the faulting one is found by its provenance.
  const Program numbered = number_statements(program(R"(program p { input z: i32[1]  output C: i32[4]
    for i in 0..2 {
      C[scope a: i32 { a = 0 }] = scope b: i32 { var q: i32 = 1  b = q }
      if i == 1 { C[1] = 5 } else { C[2] = 6 }
      C[3] = floordiv(1, z[0])
    } })"));
  const auto o = run_both(numbered, {{"z", row(Type::i32, {0})}}, {});
  ASSERT_TRUE(o.fault);
  int expected = -1;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->where.line == 5) expected = s->provenance->statement;
    return true;
  };
  visit(numbered.body, v);
  EXPECT_EQ(expected, o.fault->at.statement);
  EXPECT_EQ(8, expected);
}

TEST(ExecSerial, BudgetAndMemoryAreBounded) {
  const char* text = "program p { output A: i32[1]  zero A  for i in 0..1000 { A[0] += 1 } }";
  interp::Options options;
  const auto full = run_text(text);
  RULE_EQ("EXEC-26", (Values{1000}), output(full, "A"));
  options.budget = full.operations;
  RULE_EQ("EXEC-26", std::string("ok"), describe(run_text(text, {}, options)));
  options.budget = full.operations - 1;
  const auto cut = run_text(text, {}, options);
  RULE_EQ("EXEC-26", std::string("budget"), describe(cut));
  RULE_TRUE("EXEC-26", cut.outputs.empty() && !cut.limit.empty());
  // Loops that do nothing, groups that do nothing, and buffers beyond reason end too.
  options.budget = 100000;
  const auto endless = [&](const char* body) {
    return describe(run_text(std::string("program p { ") + body + " }", {}, options));
  };
  RULE_EQ("EXEC-26", std::string("budget"), endless("for i in 0..1000000000000 { }"));
  RULE_EQ("EXEC-26", std::string("budget"), endless("for i in 0..1000000000000 @grid { }"));
  RULE_EQ("EXEC-26", std::string("budget"),
          endless("for i in 0..1000000000000 @grid { for j in 0..1000000000000 @grid { } }"));
  RULE_EQ("EXEC-26", std::string("budget"), endless("for i in 0..1000000000000 @vectorized { }"));
  RULE_EQ("EXEC-26", std::string("budget"), endless("for i in 0..1000000000000 @workgroup { }"));
  RULE_EQ("EXEC-26", std::string("budget"), endless("for i in 0..1000000000000 @workgroup { barrier }"));
  RULE_EQ("EXEC-26", std::string("budget"), endless("for i in 0..1000000000 { for j in 0..i @grid { } }"));
  RULE_EQ("EXEC-26", std::string("budget"), endless("temp T: f32[1000000]  zero T"));
  RULE_EQ("EXEC-26", std::string("budget"), endless("temp T: f32[100000, 100000]  for i in 0..1 { }"));
  const auto memory = run_text("program p { output T: f32[1000000, 1000000]  zero T }");
  RULE_EQ("EXEC-26", std::string("budget"), describe(memory));
  RULE_TRUE("EXEC-26", memory.limit.find("memory") != std::string::npos) << memory.limit;
}

TEST(ExecSerial, Parameters) {
  const Program p = program(R"(program p { param n in 3..100  param m in 0..50
    require floormod(n, 4) == 0   require m > n && m != 9 || n > 90   output A: f32[n, m] })");
  const auto smallest = interp::smallest_parameters(p);
  ASSERT_TRUE(smallest);
  RULE_EQ("EXEC-27", (ParameterMap{{"n", 4}, {"m", 5}}), *smallest);
  EXPECT_EQ((std::vector<std::int64_t>{4, 5}), *interp::shape(p.buffers[0], *smallest));
  RULE_TRUE("EXEC-27", interp::admissible(p, {{"n", 92}, {"m", 0}}));
  RULE_TRUE("EXEC-27", !interp::admissible(p, {{"n", 8}, {"m", 9}}));
  RULE_TRUE("EXEC-27", !interp::admissible(p, {{"n", 100}, {"m", 0}}));
  RULE_TRUE("EXEC-27", !interp::admissible(p, {{"n", 8}}));
  using Found = std::optional<ParameterMap>;
  const auto search = [](const char* text) { return interp::smallest_parameters(program(text)); };
  RULE_EQ("EXEC-27", Found(), search("program p { param n in 0..9  require n > 10 }"));
  RULE_EQ(
      "EXEC-27", Found({{"a", 1000}, {"b", 7}}),
      search(
          "program p { param a in 0..100000  param b in -5..1000  require a > 999  require b == floormod(a, 9) + 6 }"));
  RULE_EQ("EXEC-27", Found(ParameterMap{}), search("program p { output A: f32[1]  zero A }"));
}

TEST(ExecSerial, ShapesThatDoNotFit) {
  const auto dims = [](std::vector<Index> d) {
    Buffer b;
    b.dims = std::move(d);
    return interp::shape(b, {{"n", 3}});
  };
  EXPECT_EQ((std::vector<std::int64_t>{3, 0}), *dims({Index::symbol("n"), Index(0)}));
  EXPECT_FALSE(dims({Index::symbol("n") - 4}));
  EXPECT_FALSE(dims({Index::symbol("m")}));
  EXPECT_FALSE(dims({Index(std::int64_t{1} << 40), Index(std::int64_t{1} << 40)}));
}

// The nest of a tile product, once, whatever the number of lanes.
TEST(ExecSerial, TileProductsAreTheirNest) {
  const auto o = run_text(
      R"(program p { input A: i32[2, 3]  input B: i32[3, 2]  output C: i32[2, 2]
    zero C
    for t in 0..32 @tile { for i in 0..2 { for j in 0..2 { for k in 0..3 { if k < 2 { C[i, j] += A[i, k] * B[k, j] } } } } } })",
      {{"A", tensor(Type::i32, {2, 3}, {1, 2, 9, 3, 4, 9})}, {"B", tensor(Type::i32, {3, 2}, {10, 20, 30, 40, 7, 7})}});
  RULE_EQ("EXEC-60", (Values{70, 100, 150, 220}), output(o, "C"));
}

}  // namespace
}  // namespace assay::test
