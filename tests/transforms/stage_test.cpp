// stage: the tile, where it is filled, its edges, and what it refuses (STG-…).
#include <fmt/format.h>

#include "moves.hpp"

namespace assay::test {
namespace {

TEST(Stage, FillsTheTileWhereTheOuterLoopsMoveIt) {
  const Moved m = moved(nest("for i in 0..8 { for k in 0..9 { B[i, 0] += Y[i, k] * X[k] } }"), "stage Y over=k -> Ys");
  RULE_EQ("STG-8",
          printed("for i in 0..8 { for k.1 in 0..9 { Ys[k.1] = Y[i, k.1] } for k in 0..9 { B[i, 0] += Ys[k] * X[k] } }",
                  "local Ys: f32[9]"),
          m.text);
  EXPECT_EQ("", m.code);
  // Nothing moves the tile: before the first statement that reads it.
  const Moved root = moved(nest("A[0] = 1.0 for i in 0..8 { for k in 0..9 { B[i, 0] += X[k] } }"), "stage X over=k");
  RULE_EQ(
      "STG-8",
      printed("A[0] = 1.0 for k.1 in 0..9 { X_t[k.1] = X[k.1] } for i in 0..8 { for k in 0..9 { B[i, 0] += X_t[k] } }",
              "local X_t: f32[9]"),
      root.text);
  RULE_TRUE("STG-10", root.after && root.after->find_buffer("X_t"));
  EXPECT_EQ("", root.code);
}

TEST(Stage, OrdersAndPacksTheAxes) {
  const Program matmul = nest("for k in 0..10 { for j in 0..6 { B[0, j] += Y[k, 3 * j] } }");
  const Moved kj = moved(matmul, "stage Y over=k,j -> Ys");
  const Moved jk = moved(matmul, "stage Y over=j,k -> Ys");
  RULE_TRUE("STG-7", kj.after->find_buffer("Ys")->dims == (std::vector<Index>{Index(10), Index(6)})) << kj.text;
  RULE_TRUE("STG-7", jk.after->find_buffer("Ys")->dims == (std::vector<Index>{Index(6), Index(10)})) << jk.text;
  EXPECT_EQ("", kj.code + jk.code);
  // Two loops in one axis keep gaps; a reversed one is packed forwards.
  const Moved window =
      moved(nest("for o in 0..5 { for w in 0..3 { A[o] += X[2 * o + w] } }"), "stage X over=o,w -> Xs");
  RULE_TRUE("STG-7", window.after->find_buffer("Xs")->dims == std::vector<Index>{Index(11)}) << window.text;
  const Moved reversed = moved(nest("for o in 0..5 { A[o] += X[40 - 3 * o] }"), "stage X over=o -> Xs");
  RULE_EQ("STG-7",
          printed("for o.1 in 0..5 { Xs[o.1] = X[40 - 3 * o.1] } for o in 0..5 { A[o] += Xs[o] }", "local Xs: f32[5]"),
          reversed.text);
  EXPECT_EQ("", window.code + reversed.code);
}

TEST(Stage, GuardsTheEdgesBelowAndAbove) {
  const Moved m =
      moved(nest("for p in 0..6 { for q in 0..3 { if p + q - 1 >= 0 && p + q - 1 < 64 { A[p] += X[p + q - 1] } } }"),
            "stage X over=p,q -> Xs");
  RULE_TRUE("STG-9", m.text.find("if 0 <= p.1 + q.1 - 1 {\n      Xs[p.1 + q.1] = X[p.1 + q.1 - 1]\n    } else {\n      "
                                 "Xs[p.1 + q.1] = 0.0") != std::string::npos)
      << m.text;
  EXPECT_EQ("", m.code);
  // Also in an axis that the tile does not run through.
  const Moved row =
      moved(nest("for i in 0..66 { for k in 0..4 { if i < 64 { A[i] += Y[i, k] } } }"), "stage Y over=k -> Ys");
  RULE_TRUE("STG-9", row.text.find("if i < 64 {\n      Ys[k.1] = Y[i, k.1]") != std::string::npos ||
                         row.text.find("if i < 64") < row.text.find("Ys[k.1] = Y[i, k.1]"))
      << row.text;
  EXPECT_EQ("", row.code);
}

// Whatever the type, idle cells of an edge are the zero of it.
TEST(Stage, TheFringeIsOfTheTilesType) {
  struct {
    const char *type, *zero;
  } cases[] = {{"bool", "false"}, {"u32x4", "u32x4(0, 0, 0, 0)"}, {"u16", "0"}, {"f8e4m3fn", "0.0"}};
  for (const auto& c : cases) {
    const std::string text = fmt::format(
        "program p {{ param n in 1..20 input X: {0}[n] output Y: {0}[n] "
        "for io in 0..ceildiv(n, 4) {{ for ii in 0..4 {{ if 4 * io + ii < n {{ Y[4 * io + ii] = X[4 * io + ii] }} }} "
        "}} }}",
        c.type);
    for (const char* key : {"", " hoisted"}) {
      const Moved m = moved(program(text), std::string("stage X over=ii") + key);
      RULE_TRUE("STG-9", m.code == std::string()) << c.type << m.text;
      RULE_TRUE("STG-9", m.text.find(fmt::format("] = {}\n", c.zero)) != std::string::npos) << m.text;
    }
  }
}

TEST(Stage, WidensExactlyOrNotAtAll) {
  const std::string text =
      "program p { input H: f16[9] input F: f32[9] input I: i8[9] inout B: f16[9] inout C: f32[9] inout J: i8[9] "
      "for k in 0..9 { B[k] += H[k] C[k] += F[k] J[k] += I[k] } }";
  const Moved wide = moved(program(text), "stage H over=k precision=f32 -> Hs");
  RULE_TRUE("STG-1", wide.text.find("Hs[k.1] = f32(H[k.1])") != std::string::npos &&
                         wide.text.find("B[k] += f16(Hs[k])") != std::string::npos)
      << wide.text;
  EXPECT_EQ("", wide.code);
  // What the program converts to that type anyway is read as it is; to another type it is not.
  const std::string sums =
      "program p { input H: f16[9] output Y: f32[9] output Z: f64[9] for k in 0..9 { Y[k] = f32(H[k]) Z[k] = f64(H[k]) "
      "} }";
  const Moved direct = moved(program(sums), "stage H over=k precision=f32 -> Hs");
  RULE_TRUE("STG-1", direct.text.find("Y[k] = Hs[k]") != std::string::npos &&
                         direct.text.find("Z[k] = f64(f16(Hs[k]))") != std::string::npos)
      << direct.text;
  RULE_EQ("PRF-102", std::string(), direct.code);
  EXPECT_EQ("", moved(program(text), "stage I over=k precision=i32 -> Is").code);
  EXPECT_EQ("", moved(program(text), "stage F over=k precision=f64 -> Fs").code);
  for (const char* l : {"stage F over=k precision=i32", "stage H over=k precision=i64"})
    RULE_EQ("STG-1", std::string("STG-1"), moved(program(text), l).code);
  // Integers in a float type that holds them all, and in one that does not.
  const auto in_floats = [](const char* type, const char* key) {
    return moved(
        program(fmt::format("program p {{ input I: {0}[9] inout J: {0}[9] for k in 0..9 {{ J[k] += I[k] }} }}", type)),
        fmt::format("stage I over=k precision={}", key));
  };
  for (const char* type : {"i8", "u8", "i16", "u16"})
    RULE_TRUE("STG-1", in_floats(type, "f32").code == std::string()) << type;
  for (const char* type : {"i8", "u16", "i32", "u32"})
    RULE_TRUE("STG-1", in_floats(type, "f64").code == std::string()) << type;
  for (const char* type : {"i32", "u32", "i64", "u64"})
    RULE_TRUE("STG-1", in_floats(type, "f32").code == std::string("STG-1")) << type;
  for (const char* type : {"i64", "u64"})
    RULE_TRUE("STG-1", in_floats(type, "f64").code == std::string("STG-1")) << type;
}

TEST(Stage, RefusesWhatIsNoTile) {
  const auto code = [](const std::string& statements, const std::string& l) {
    return moved(nest(statements, "input ids: i32[9] in 0..9 param n in 1..9"), l).code;
  };
  const std::string plain = "for i in 0..8 { for k in 0..9 { A[i] += X[k] } }";
  for (const char* key :
       {"cooperative=32", "swizzle=b128", "hoisted shared", "hoisted pad_stride=4", "hoisted cooperative=2"}) {
    const Moved m = moved(nest(plain), std::string("stage X over=k ") + key);
    RULE_TRUE("STG-2", m.code == "STG-2" && m.error) << key;
  }
  RULE_EQ("STG-26", std::string("STG-26"), code(plain, "stage X over=k pad_stride=1"));
  RULE_EQ("STG-26", std::string("STG-26"), code(plain, "stage X over=k pad_stride=4"));
  for (const char* key : {"pipeline=2", "shared pipeline=3", "shared pipeline=0"})
    RULE_EQ("STG-27", std::string("STG-27"), code(plain, std::string("stage X over=k ") + key));
  RULE_EQ("STG-3", std::string("STG-3"),
          code("for i in 0..8 { A[i] = X[0] } for k in 0..9 { A[k] = 1.0 }", "stage X over=k"));
  RULE_EQ("STG-4", std::string("STG-4"), code("for k in 0..8 { A[k] = X[k] + X[k + 1] }", "stage X over=k"));
  RULE_EQ("STG-4", std::string("STG-4"), code("for k in 0..8 { A[k] = X[ids[k]] }", "stage X over=k"));
  RULE_EQ("STG-5", std::string("STG-5"), code(plain, "stage X over=i"));
  RULE_EQ("STG-5", std::string("STG-5"), code(plain, "stage X over=k,k"));
  RULE_EQ("STG-6", std::string("STG-6"), code("for k in 0..8 @grid { A[k] = X[k] }", "stage X over=k"));
  RULE_EQ("STG-6", std::string("STG-6"),
          code("for i in 0..8 { for j in i..9 { A[i] += Y[i, j] } }", "stage Y over=j,i"));
  EXPECT_EQ("", code("for i in 0..8 { for j in i..9 { A[i] += Y[i, j] } }", "stage Y over=i,j"));
  RULE_EQ(
      "STG-11", std::string("STG-11"),
      code("for i in 0..8 { A[i] = scope s: f32 { s = 0.0 for q in 0..4 { s = s + Y[i, q] } } }", "stage Y over=i"));
  // A read under other loops stays.
  const Moved other =
      moved(nest("for k in 0..9 { A[k] = X[k] } for q in 0..9 { A[q] += X[q + 1] }"), "stage X over=k -> Xs");
  RULE_TRUE("STG-3", other.text.find("A[q] += X[q + 1]") != std::string::npos && other.code.empty()) << other.text;
  RULE_EQ("STG-7", std::string("STG-7"),
          moved(nest("for i in 0..n { for k in i..2 * i { A[0] += X[k] } }", "param n in 0..9223372036854775807"),
                "stage X over=k")
              .code);
}

TEST(Stage, AChangingSourceIsRefuted) {
  EXPECT_EQ("FLOW-1", moved(nest("for i in 0..4 { for k in 0..3 { X2[k + 1] = X2[k] } }", "inout X2: f32[9]"),
                            "stage X2 over=k -> Xs")
                          .code);
  // Nothing moves the tile, so it is filled once, and the loop writes the source later; filled in each iteration it is fresh.
  const std::string text = "for i in 0..4 { for k in 0..3 { A[k] = B[0, k] } B[0, i] = 1.0 }";
  EXPECT_EQ("FLOW-1", moved(nest(text), "stage B over=k -> Bs").code);
  const std::string fresh = "for i in 0..4 { for k in 0..3 { A[k] = B[i, k] } B[i, 0] = 1.0 }";
  EXPECT_EQ("", moved(nest(fresh), "stage B over=k -> Bs").code);
}

}  // namespace
}  // namespace assay::test
