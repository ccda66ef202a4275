// Faults: each with its statement, iteration and cell, and with what must not be one beside it.
#include "exec_support.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using Values = std::vector<double>;

TEST(ExecFault, OutOfBoundsPerDimension) {
  // [0, 3] is inside the storage of a 4 x 3 buffer and outside its second dimension.
  const TensorMap a{{"A", tensor(Type::f32, {4, 3}, Values(12, 1.0))}};
  const char* read = R"(program p { input A: f32[4, 3]  output C: f32[1]
    C[0] = 0.0
    for i in 0..2 {
      for j in 0..4 {
        C[0] += A[i, j]
      }
    } })";
  const auto o = run_text(read, a);
  RULE_EQ("RUN-1", std::string("RUN-1 statement 3 line 5 i=0 j=3 A[0, 3]"), describe(o));
  EXPECT_EQ(17, o.fault->access.column);  // the load inside the statement
  RULE_EQ("RUN-1", std::string("RUN-1 statement 1 line 1 i=-1 C[1, -1]"),
          describe(run_text("program p { output C: f32[4, 4]  for i in -1..4 { C[1, i] = 0.0 } }")));
  RULE_EQ("RUN-1", std::string("RUN-1 statement 0 line 1 C[0]"),
          describe(run_text("program p { output C: f32[0]  C[0] = 0.0 }")));
}

TEST(ExecFault, UndefinedReads) {
  RULE_EQ("RUN-2", std::string("RUN-2 statement 2 line 3 i=1 T[2]"),
          describe(run_text(R"(program p { temp T: f32[4]  output C: f32[4]
    T[0] = 1.0  for i in 0..4 {
      C[i] = T[2*i] } })")));
  // Copying an undefined cell is a read.
  RULE_EQ("RUN-2", std::string("RUN-2 statement 0 line 1 T[0]"),
          describe(run_text("program p { temp T: f32[2]  output C: f32[1]  T[1] = T[0]  zero C }")));
  RULE_EQ("RUN-2", std::string("RUN-2 statement 1 line 1 s"),
          describe(run_text("program p { output C: f32[1]  var s: f32  C[0] = s }")));
  RULE_EQ("RUN-2", std::string("RUN-2 statement 0 line 1 S[0]"),
          describe(run_text("program p { shared S: f32[1]  output C: f32[1]  C[0] = S[0] }")));
  RULE_EQ("RUN-2", std::string("RUN-2 statement 0 line 1 r[0]"),
          describe(run_text("program p { local r: f32[1]  output C: f32[1]  C[0] = r[0] }")));
}

TEST(ExecFault, DivisionByZero) {
  const TensorMap z{{"z", row(Type::i16, {3, 0})}};
  for (const char* f : {"floordiv", "floormod", "ceildiv", "truncdiv", "truncmod", "eucdiv", "eucmod"}) {
    RULE_EQ("RUN-3", std::string("RUN-3 statement 1 line 2 i=1"),
            describe(run_text(std::string(R"(program p { input z: i16[2]  output C: i16[2]
      for i in 0..2 { C[i] = )") + f +
                                  "(7, z[i]) } }",
                              z)));
  }
  RULE_EQ("RUN-3", std::string("ok"),
          describe(run_text("program p { input z: f32[1]  output C: f32[1]  C[0] = 1.0 / z[0] }",
                            {{"z", row(Type::f32, {0})}})));
}

TEST(ExecFault, IndexOverflow) {
  RULE_EQ("RUN-4", std::string("RUN-4 statement 1 line 2 i=4611686018427387904"),
          describe(run_text(R"(program p { output C: i64[1]
    for i in 4611686018427387903..4611686018427387905 { C[0] = i64(2*i) } })")));
  // The value counts, not a partial sum: 4·i − 3·i is i.
  const auto o = run_text(R"(program p { output C: i64[2]
    zero C
    for i in 4611686018427387904..4611686018427387905 {
      for j in i..i + 1 {
        C[0] = i64(4*i - 3*j)
        C[1] = i64(floordiv(4*i - 3*j, 2)) } } })");
  RULE_EQ("RUN-4", (Values{4611686018427387904.0, 2305843009213693952.0}), output(o, "C"));
  // An index value inside one counts as well, and so do bounds.
  RULE_EQ("RUN-4", std::string("RUN-4 statement 1 line 2 i=9223372036854775805"),
          describe(run_text(R"(program p { output C: i64[1]
    for i in 9223372036854775805..9223372036854775806 { C[0] = i64(floordiv(i + 3, 7)) } })")));
  RULE_EQ("RUN-4", std::string("RUN-4 statement 1 line 2 i=9223372036854775806"), describe(run_text(R"(program p {
    for i in 9223372036854775806..9223372036854775807 { for j in 0..i + 2 { } } })")));
  // Sums of three products beyond 128 bits in between.
  Program p;
  p.buffers.push_back({"C", BufferKind::output, Type::i64, {Index(1)}});
  const Index big = Index::symbol("a") * INT64_MAX + Index::symbol("b") * INT64_MAX + Index::symbol("c") * INT64_MAX +
                    Index::symbol("d") * INT64_MIN;
  const auto sum = [&](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    const std::pair<const char*, std::int64_t> values[] = {{"d", d}, {"c", c}, {"b", b}, {"a", a}};
    Block body{make_store("C", {make_index(Index(0))}, make_convert(Type::i64, make_index(big)))};
    for (const auto& [name, v] : values) body = {make_loop(name, Index(v), Index(v) + 1, 1, Axis::serial, body)};
    p.body = body;
    const auto out = run_both(p, {}, {});
    return out.status == interp::Status::ok ? std::to_string(static_cast<std::int64_t>(out.outputs.at("C").get(0).bits))
                                            : describe(out).substr(0, 5);
  };
  constexpr std::int64_t m = INT64_MAX - 1;
  RULE_EQ("RUN-4", std::to_string(-m), sum(m, m, -m, m));  // m·(2^63 − 1) − m·2^63
  RULE_EQ("RUN-4", std::string("RUN-4"), sum(m, m, m, m));
  RULE_EQ("RUN-4", std::string("RUN-4"), sum(m, m, m, -m));
}

TEST(ExecFault, InputRanges) {
  const char* text = R"(program p { input ids: i32[3] in 0..10  output C: i32[2]
    for i in 0..2 {
      C[i] = ids[i] } })";
  RULE_EQ("RUN-5", std::string("ok"),
          describe(run_text(text, {{"ids", row(Type::i32, {0, 9, 77})}})));  // 77 is not loaded
  RULE_EQ("RUN-5", std::string("RUN-5 statement 1 line 3 i=1 ids[1]"),
          describe(run_text(text, {{"ids", row(Type::i32, {0, 10, 0})}})));
  RULE_EQ("RUN-5", std::string("RUN-5 statement 1 line 3 i=0 ids[0]"),
          describe(run_text(text, {{"ids", row(Type::i32, {-1, 10, 0})}})));
  RULE_EQ("RUN-5", std::string("RUN-5 statement -1 line 1 ids"), describe(run_text(text)));
  RULE_EQ("RUN-5", std::string("RUN-5 statement -1 line 1 ids"),
          describe(run_text(text, {{"ids", row(Type::i32, {0, 1})}})));
  RULE_EQ("RUN-5", std::string("RUN-5 statement -1 line 1 ids"),
          describe(run_text(text, {{"ids", row(Type::f32, {0, 1, 2})}})));
  RULE_EQ("RUN-5", std::string("RUN-5 statement -1 line 1 X"), describe(run_text("program p { inout X: f32[2] }")));
  Tensor bools(Type::boolean, {1});
  bools.bytes[0] = 2;
  RULE_EQ("RUN-5", std::string("RUN-5 statement -1 line 1 b"),
          describe(run_text("program p { input b: bool[1] }", {{"b", bools}})));
}

TEST(ExecFault, OutputsLeftUndefined) {
  RULE_EQ("RUN-6", std::string("RUN-6 statement -1 line 2 C[1, 0]"), describe(run_text(R"(program p { temp T: f32[4]
    output C: f32[2, 3]
    output D: f32[1]
    for j in 0..3 { C[0, j] = 1.0  if j > 0 { C[1, j] = 1.0 } } })")));
  const auto o = run_text("program p { output C: f32[2, 0]  temp T: f32[1] }");
  RULE_EQ("RUN-6", std::string("ok"), describe(o));
  RULE_TRUE("RUN-6", o.outputs.at("C").size() == 0);
}

TEST(ExecFault, CannotStart) {
  RULE_EQ("RUN-9", std::string("RUN-9 statement -1 line 1"), describe(run_text("program p { param n in 1..4 }")));
  interp::Options options;
  options.parameters = {{"n", 2}};
  RULE_EQ("RUN-9", std::string("RUN-9 statement -1 line 1 C"),
          describe(run_text("program p { param n in 1..4  output C: f32[n - 3] }", {}, options)));
  RULE_EQ("RUN-9", std::string("RUN-9 statement -1 line 1"),
          describe(run_text("program p { param n in 1..4  require n > 2 }", {}, options)));
  const auto of = [](Block body) {
    Program p;
    p.buffers.push_back({"C", BufferKind::output, Type::i64, {Index(1)}});
    p.buffers.push_back({"A", BufferKind::input, Type::i64, {Index(1)}});
    p.body = std::move(body);
    return describe(run_both(p, {{"A", row(Type::i64, {1})}}, {}));
  };
  const Expr at = make_index(Index(0));
  const Expr one = make_literal({Type::i64, 1});
  const std::string refused = "RUN-9 statement -1 line 0";
  EXPECT_EQ("ok", of({make_store("C", {at}, one)}));
  RULE_EQ("RUN-9", refused, of({make_store("D", {at}, one)}));
  RULE_EQ("RUN-9", refused, of({make_store("A", {at}, one)}));
  RULE_EQ("RUN-9", refused, of({make_store("C", {at, at}, one)}));
  RULE_EQ("RUN-9", refused, of({make_store("C", {at}, make_literal({Type::i32, 1}))}));
  RULE_EQ("RUN-9", refused, of({make_store("C", {at}, make_variable("s", Type::i64))}));
  RULE_EQ("RUN-9", refused, of({make_store("C", {at}, make_op(Op::exp, {one}))}));
  RULE_EQ("RUN-9", refused, of({make_store("C", {make_index(Index::symbol("i"))}, one)}));
  RULE_EQ("RUN-9", refused, of({make_loop("i", 0, 2, 1, Axis::vectorized, {make_loop("g", 0, 2, 1, Axis::grid, {})})}));
  RULE_EQ("RUN-9", refused, of({make_loop("i", 0, 2, 1, Axis::vectorized, {make_barrier()})}));
  RULE_EQ("RUN-9", refused, of({make_loop("i", 0, 2, 0, Axis::serial, {})}));
  RULE_EQ("RUN-9", refused, of({make_loop("i", 0, 2, 1, Axis::serial, {make_launch()})}));
}

// DEV-01 and DEV-03 with their controls, and DEV-02, which flat storage would hide.
TEST(ExecFault, PublicCases) {
  const auto dev01 = [](const char* first, const char* last) {
    return describe(run_text(std::string(R"(program p { input A: f32[5, 2]  output C: f32[5]  temp B: f32[5]
      for io in 0..2 { for ii in 0..4 { )") +
                                 first + R"(
        B[io*4 + ii] = 0.0
        for k in 0..2 { if io*4 + ii < 5 { B[io*4 + ii] += A[io*4 + ii, k] } }
        if io*4 + ii < 5 { C[io*4 + ii] = B[io*4 + ii] } )" +
                                 last + " } } }",
                             {{"A", tensor(Type::f32, {5, 2}, Values(10, 1.0))}}));
  };
  RULE_EQ("RUN-1", std::string("RUN-1 statement 2 line 3 io=1 ii=1 B[5]"), dev01("", ""));
  RULE_EQ("RUN-1", std::string("ok"), dev01("if io*4 + ii < 5 {", "}"));

  const char* dev02 = R"(program p { input A: f32[3, 3]  output s: f32[1]
    zero s
    for mo in 0..2 {
      if floordiv(mo*3 + 2, 2) < 3 && floormod(mo*3 + 2, 2)*2 + 1 < 3 {
        for mi in 0..3 { for ji in 0..2 { s[0] += A[floordiv(mo*3 + mi, 2), floormod(mo*3 + mi, 2)*2 + ji] } }
      } else {
        for mi in 0..3 { for ji in 0..2 { if floormod(mo*3 + mi, 2)*2 + ji < 3 { s[0] += A[floordiv(mo*3 + mi, 2), floormod(mo*3 + mi, 2)*2 + ji] } } }
      } } })";
  RULE_EQ("RUN-1", std::string("RUN-1 statement 5 line 5 mo=0 mi=1 ji=1 A[0, 3]"),
          describe(run_text(dev02, {{"A", tensor(Type::f32, {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})}})));

  const auto dev03 = [](const char* upper) {
    return describe(
        run_text(std::string("program p { inout C: f32[9]  for v in 0..") + upper + " { C[8 + 2*v + 1] = 1.0 } }",
                 {{"C", row(Type::f32, Values(9, 0.0))}}));
  };
  RULE_EQ("RUN-1", std::string("RUN-1 statement 1 line 1 v=0 C[9]"), dev03("1"));
  RULE_EQ("RUN-1", std::string("ok"), dev03("0"));
}

}  // namespace
}  // namespace assay::test
