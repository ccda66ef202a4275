// privatize: what it makes, what it refuses (PVT-…), and that its obligations follow from what it made.
#include "moves.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"

namespace assay::test {
namespace {

// Statements as the printer writes them, with the private buffer declared.
std::string expected(const std::string& statements, const std::string& declarations = {}) {
  return printed(statements, declarations);
}

TEST(Privatize, KeepsOneCellInAVariable) {
  const Moved m = moved(nest("for i in 0..8 { for k in 0..9 { A[i] += Y[i, k] } }"), "privatize A over=k -> acc");
  RULE_EQ("PVT-7", expected("for i in 0..8 { var acc: f32 = A[i] for k in 0..9 { acc = acc + Y[i, k] } A[i] = acc }"),
          m.text);
  EXPECT_EQ("", m.code);
  const Moved named = moved(nest("for i in 0..8 { for k in 0..9 { A[i] += Y[i, k] } }"), "privatize A over=k");
  RULE_TRUE("PVT-9", named.text.find("A_acc") != std::string::npos) << named.text;
}

TEST(Privatize, KeepsATileInABuffer) {
  const Moved m = moved(nest("for i in 0..4 { for k in 0..9 { for j in 0..5 { B[i, 2 * j + 1] += Y[k, j] } } }"),
                        "privatize B over=k -> acc");
  RULE_EQ("PVT-7",
          expected("for i in 0..4 { for j.1 in 0..5 { acc[j.1] = B[i, 2 * j.1 + 1] } for k in 0..9 { for j in 0..5 "
                   "{ acc[j] += Y[k, j] } } for j.2 in 0..5 { B[i, 2 * j.2 + 1] = acc[j.2] } }",
                   "local acc: f32[5]"),
          m.text);
  EXPECT_EQ("", m.code);
  RULE_TRUE("PVT-6", m.after->find_buffer("acc")->dims == std::vector<Index>{Index(5)});
  // As many cells as the outer loop can need.
  const Moved triangle = moved(nest("for i in 0..4 { for k in 0..9 { for j in i..6 { B[i, j] += Y[k, j] } } }"),
                               "privatize B over=k -> acc");
  RULE_TRUE("PVT-6", triangle.after->find_buffer("acc")->dims == std::vector<Index>{Index(6)}) << triangle.text;
  EXPECT_EQ("", triangle.code);
  const Moved symbolic = moved(nest("for k in 0..9 { for j in 0..n { A[j] += Y[k, j] } }", "param n in 1..60"),
                               "privatize A over=k -> acc");
  RULE_TRUE("PVT-6", symbolic.after->find_buffer("acc")->dims == std::vector<Index>{Index::symbol("n")});
  EXPECT_EQ("", symbolic.code);
}

TEST(Privatize, CopiesUnderTheConditionsThatTheLoopDoesNotChange) {
  // Neither the loop nor data: around the copies too. The other one stays on the update.
  const Moved m = moved(nest("for i in 0..70 { for k in 0..9 { if i < 64 { if k < 5 { A[i] += X[k] } } } }"),
                        "privatize A over=k -> acc");
  RULE_EQ("PVT-8",
          expected("for i in 0..70 { var acc: f32 if i < 64 { acc = A[i] } for k in 0..9 { if i < 64 { if k < 5 { "
                   "acc = acc + X[k] } } } if i < 64 { A[i] = acc } }"),
          m.text);
  EXPECT_EQ("", m.code);
  const Moved data =
      moved(nest("for i in 0..8 { for k in 0..9 { if flag[k] > 0 { A[i] += X[k] } } }"), "privatize A over=k -> acc");
  RULE_EQ("PVT-8",
          expected("for i in 0..8 { var acc: f32 = A[i] for k in 0..9 { if flag[k] > 0 { acc = acc + X[k] } } A[i] "
                   "= acc }"),
          data.text);
  EXPECT_EQ("", data.code);
  // A condition on the tile's own cell goes along with the copies.
  const Moved edge =
      moved(nest("for k in 0..9 { for j in 0..70 { if j < 64 { A[j] += X[k] } } }"), "privatize A over=k -> acc");
  RULE_TRUE("PVT-8", edge.text.find("if j.1 < 64 {\n    acc[j.1] = A[j.1]") != std::string::npos) << edge.text;
  EXPECT_EQ("", edge.code);
  // Not shared by all uses: the copies are not under it, and reach outside of the buffer.
  const Moved two =
      moved(nest("for i in 0..8 { for k in 0..9 { if i < 4 { A[i + 60] += X[k] } if i < 3 { A[i + 60] *= 2.0 } } }"),
            "privatize A over=k -> acc");
  RULE_EQ("PVT-8", std::string("BND-1"), two.code);
}

TEST(Privatize, AccumulatesInAWiderType) {
  const std::string head = "input A: f16[6, 9] input v: f16[9] inout y: f16[6] ";
  const auto wide = [&](const std::string& statements, const std::string& type) {
    return moved(program("program p { " + head + statements + " }"),
                 "privatize y over=k precision=" + type + " -> acc");
  };
  const auto shows = [](const Moved& m, const std::string& part) { return m.text.find(part) != std::string::npos; };
  const Moved sum = wide("for i in 0..6 { for k in 0..9 { y[i] += A[i, k] * v[k] } }", "f32");
  EXPECT_EQ("", sum.code);
  RULE_TRUE("PVT-10", shows(sum, "var acc: f32 = f32(y[i])")) << sum.text;
  RULE_TRUE("PVT-12", shows(sum, "acc = acc + f32(A[i, k] * v[k])")) << sum.text;
  RULE_TRUE("PVT-12", shows(sum, "y[i] = f16(acc)")) << sum.text;
  const Moved chain = wide("for i in 0..6 { for k in 0..9 { y[i] = y[i] - v[k] - A[i, k] } }", "f64");
  EXPECT_EQ("", chain.code);
  RULE_TRUE("PVT-12", shows(chain, "acc = acc - f64(v[k]) - f64(A[i, k])")) << chain.text;
  const Moved fused = wide("for i in 0..6 { for k in 0..9 { y[i] = fma(A[i, k], v[k], y[i]) } }", "f32");
  EXPECT_EQ("", fused.code);
  RULE_TRUE("PVT-12", shows(fused, "acc = fma(f32(A[i, k]), f32(v[k]), acc)")) << fused.text;
  // Other statements see and store rounded values.
  const Moved mixed = wide("for i in 0..6 { for k in 0..9 { y[i] += v[k] y[i] = y[i] * 0.5 + v[k] } }", "f32");
  EXPECT_EQ("", mixed.code);
  RULE_TRUE("PVT-12", shows(mixed, "acc = f32(f16(acc) * 0.5 + v[k])")) << mixed.text;
  const auto code = [&](const std::string& statements, const std::string& type) { return wide(statements, type).code; };
  for (const char* type : {"bf16"}) RULE_EQ("PVT-10", "PVT-10", code("for k in 0..9 { y[0] += v[k] }", type));
  RULE_EQ("PVT-11", "PVT-11", code("for k in 0..9 { y[0] = v[k] - y[0] }", "f32"));
}

TEST(Privatize, ProductsOfTheWiderType) {
  const std::string head = "input A: f16[6, 9] input v: f16[9] inout y: f16[6] inout z: f32[1] ";
  const auto wide = [&](const std::string& statements, const std::string& l) {
    return moved(program("program p { " + head + statements + " }"), l);
  };
  const std::string line_text = "privatize y over=k precision=f32 products -> acc";
  const auto term = [&](const std::string& update) {
    const Moved m = wide("for i in 0..6 { for k in 0..9 { " + update + " } }", line_text);
    EXPECT_EQ("", m.code) << m.text;
    const auto at = m.text.find("acc = ", m.text.find("for k"));
    return m.text.substr(at, m.text.find('\n', at) - at);
  };
  RULE_EQ("PVT-14", "acc = acc + f32(A[i, k]) * f32(v[k])", term("y[i] += A[i, k] * v[k]"));
  RULE_EQ("PVT-14", "acc = acc + f32(A[i, k]) * (f32(v[k]) * f32(v[0]))", term("y[i] += A[i, k] * (v[k] * v[0])"));
  RULE_EQ("PVT-14", "acc = max(acc, f32(A[i, k]) * f32(v[k]))", term("y[i] = max(y[i], A[i, k] * v[k])"));
  RULE_EQ("PVT-14", "acc = acc + f32(A[i, k] + v[k])", term("y[i] += A[i, k] + v[k]"));
  const auto error = [&](const std::string& l) {
    const Step s = step(program("program p { " + head + " for k in 0..9 { y[0] += v[k] * v[0] z[0] += 1.0 } }"), l);
    return s.error ? s.code : "no error";
  };
  RULE_EQ("PVT-18", "PVT-18", error("privatize y over=k products"));
  RULE_EQ("PVT-18", "PVT-18", error("privatize y over=k precision=f16 products"));
  RULE_EQ("PVT-18", "PVT-18", error("privatize z over=k precision=f64 products"));
}

// The threads of a group have one tile: loops of threads that move the cell are axes of it.
TEST(Privatize, SharesATile) {
  const Moved outer = moved(nest("for i in 0..4 { for w in 0..8 @workgroup { for k in 0..9 { B[i, w] += Y[k, w] } } }"),
                            "privatize B over=k shared -> acc");
  RULE_EQ("PVT-15",
          expected("for i in 0..4 { for w in 0..8 @workgroup { acc[w] = B[i, w] barrier for k in 0..9 { acc[w] += Y[k, "
                   "w] } barrier B[i, w] = acc[w] } }",
                   "shared acc: f32[8]"),
          outer.text);
  RULE_EQ("PVT-19", "", outer.code);
  const Moved inner = moved(nest("for i in 0..4 { for k in 0..9 { for w in 0..8 @workgroup { B[i, w] += Y[k, w] } } }"),
                            "privatize B over=k shared -> acc");
  RULE_EQ(
      "PVT-15",
      expected("for i in 0..4 { for w.1 in 0..8 @workgroup { acc[w.1] = B[i, w.1] } barrier for k in 0..9 { for w in "
               "0..8 @workgroup { acc[w] += Y[k, w] } } barrier for w.2 in 0..8 @workgroup { B[i, w.2] = acc[w.2] } }",
               "shared acc: f32[8]"),
      inner.text);
  RULE_EQ("PVT-15", "", inner.code);
  const Moved one = moved(nest("for w in 0..8 @workgroup { for k in 0..9 { if w == 0 { A[0] += X[k] } } }"),
                          "privatize A over=k shared -> acc");
  RULE_TRUE("PVT-16", one.text.find("if w == 0 {\n    acc[] = A[0]") != std::string::npos) << one.text;
  RULE_EQ("PVT-16", "", one.code);
  // All threads add to one cell: that they must not is proved, not looked at.
  RULE_EQ("PVT-16", "RACE-2",
          moved(nest("for w in 0..8 @workgroup { for k in 0..9 { A[0] += X[k] } }"), "privatize A over=k shared").code);
  RULE_EQ("PVT-17", "PVT-17",
          moved(nest("for i in 0..8 { for k in 0..9 { A[i] += X[k] } }"), "privatize A over=k shared").code);
}

TEST(Privatize, ATeamAddsUpInOneTile) {
  const std::string product =
      "for l in 0..32 @tile { for i in 0..4 { for j in 0..6 { for k in 0..5 { B[4*g + i, j] += Y[4*g + i, 5*o + k] * "
      "Y[5*o + k, j] } } } }";
  const Moved m =
      moved(nest("for g in 0..3 @grid { for o in 0..2 { " + product + " } }"), "privatize B over=o shared -> acc");
  RULE_EQ(
      "PVT-16",
      expected("for g in 0..3 @grid { for l.1 in 0..32 @workgroup { if l.1 == 0 { for i.1 in 0..4 { for j.1 in 0..6 "
               "{ acc[i.1, j.1] = B[i.1 + 4*g, j.1] } } } } barrier for o in 0..2 { for l in 0..32 @tile { for i in "
               "0..4 { for j in 0..6 { for k in 0..5 { acc[i, j] += Y[4*g + i, 5*o + k] * Y[5*o + k, j] } } } } } "
               "barrier for l.2 in 0..32 @workgroup { if l.2 == 0 { for i.2 in 0..4 { for j.2 in 0..6 { B[i.2 + 4*g, "
               "j.2] = acc[i.2, j.2] } } } } }",
               "shared acc: f32[4, 6]"),
      m.text);
  RULE_EQ("PVT-16", "", m.code);
  // The lanes are threads of the launch, so other stores are left to one of them.
  const Moved beside =
      moved(nest("for o in 0..2 { for l in 0..4 @tile { for i in 0..4 { for j in 0..6 { for k in 0..5 { "
                 "B[i, j] += Y[i, 5*o + k] * Y[5*o + k, j] } } } } } for q in 0..4 { A[q] = B[q, 0] }"),
            "privatize B over=o shared -> acc");
  RULE_TRUE("PVT-20", beside.text.find("if l.3 == 0 {\n    for q in 0..4 {") != std::string::npos) << beside.text;
  RULE_EQ("PVT-20", "", beside.code);
  // Several products side by side, each by a team of its own: their loop of threads is around the lanes in the copies too.
  const Moved teams = moved(
      nest("for o in 0..2 { for g in 0..3 @workgroup { for l in 0..32 @tile { for i in 0..4 { for j in 0..6 { for k in "
           "0..5 { B[4*g + i, j] += Y[4*g + i, 5*o + k] * Y[5*o + k, j] } } } } } }"),
      "privatize B over=o shared -> acc");
  RULE_TRUE("PVT-16", teams.text.find("for g.1 in 0..3 @workgroup {\n  for l.1 in 0..32 @workgroup {\n    if l.1 == 0 "
                                      "{\n      for i.1 in 0..4 {") != std::string::npos)
      << teams.text;
  RULE_EQ("PVT-16", "", teams.code);
}

TEST(Privatize, AWiderSumNeedsALicence) {
  const auto validated = [](const std::string& update, const std::string& type) {
    const Program p =
        number_statements(program("program p { input v: f16[9] inout y: f16[1] for k in 0..9 { " + update + " } }"));
    const auto query = make_portfolio_query();
    const StepResult r = apply_line(p, line("privatize y over=k precision=" + type), *query);
    EXPECT_TRUE(r.has_value());
    return validate(p, r->program, *query);
  };
  const Validation sum = validated("y[0] += v[k]", "f32");
  RULE_TRUE("PVT-13", sum.licence == Licence::rounds && !sum.reordered_before.empty() && !sum.reordered_after.empty());
  RULE_TRUE("PRF-40", sum.licence == Licence::rounds);
  RULE_TRUE("PVT-13", validated("y[0] = max(v[k], y[0])", "f32").licence == Licence::exact);
  const Validation product = validated("y[0] = max(v[k] * v[0], y[0])", "f32 products");
  RULE_TRUE("PVT-14", product.licence == Licence::rounds && !product.reordered_before.empty());
  RULE_TRUE("PVT-13", validated("y[0] += v[k]", "f16").licence == Licence::exact);
}

TEST(Privatize, RefusesWhatHasNoSingleCell) {
  const auto code = [](const std::string& statements, const std::string& l = "privatize A over=k -> acc") {
    return moved(nest(statements, "input ids: i32[9] in 0..9"), l).code;
  };
  RULE_EQ("PVT-1", std::string("PVT-1"),
          code("for i in 0..8 { for k in 0..9 { A[0] += X[k] } }", "privatize A over=i,k"));
  RULE_EQ("PVT-1", std::string("PVT-1"), code("for k in 0..9 @grid { A[0] += X[k] }"));
  RULE_EQ("PVT-2", std::string("PVT-2"), code("for i in 0..8 { for k in 0..9 { B[i, k] = A[i] } }"));
  RULE_EQ("PVT-2", std::string("PVT-2"), code("for k in 0..9 { B[0, k] = 1.0 } A[0] = 1.0"));
  RULE_EQ("PVT-3", std::string("PVT-3"), code("for k in 0..9 { A[0] += X[k] A[1] = 1.0 }"));
  RULE_EQ("PVT-3", std::string("PVT-3"), code("for k in 0..9 { A[ids[k]] += X[k] }"));
  RULE_EQ("PVT-3", std::string("PVT-3"), code("for k in 0..9 { A[0] += X[k] zero A }"));
  RULE_EQ("PVT-4", std::string("PVT-4"), code("for k in 0..9 { A[k] += X[k] }"));
  RULE_EQ("PVT-5", std::string("PVT-5"), code("for k in 0..9 { for j in k..9 { A[j] += X[k] } }"));
  RULE_EQ("PVT-5", std::string("PVT-5"), code("for k in 0..9 { for j in 0..9 @grid { A[j] += X[k] } }"));
  RULE_TRUE("PVT-6", moved(nest("for i in 0..n { for k in 0..9 { for j in 0..i { A[j] += X[k] } } }",
                                "param n in 0..9223372036854775807"),
                           "privatize A over=k -> acc")
                             .code == "PVT-6");
}

TEST(Privatize, TheCopiesAreJudgedToo) {
  // A loop that may not run: the cell is read and written back all the same.
  const Moved idle =
      moved(program("program p { param m in 0..4 input X: f32[4] output y: f32[3] for i in 0..3 { for k in 0..m { "
                    "y[i] = X[k] } if m < 1 { y[i] = 0.0 } } }"),
            "privatize y over=k -> acc");
  EXPECT_EQ("DEF-1", idle.code);
  // Groups that accumulate into one cell were wrong before; of a cell per group nothing is wrong.
  const Moved grid = moved(nest("for i in 0..8 @grid { for k in 0..9 { A[i] += X[k] } }"), "privatize A over=k -> acc");
  EXPECT_EQ("", grid.code);
}

}  // namespace
}  // namespace assay::test
