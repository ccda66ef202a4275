// The text of generated units: refusals, names, literals, helpers.
#include <fmt/format.h>

#include <bit>

#include "ir/literal.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

std::string refusal(std::string_view text) {
  const auto unit = emit_c(parse(text));
  return unit ? "" : unit.error().front().code + ": " + unit.error().front().message;
}

TEST(Emit, RefusesWhatItDoesNotCover) {
  RULE_EQ("CGEN-1", std::string("CGEN-1: generated C does not cover @workgroup loops"),
          refusal("program p { output C: f32[4] for i in 0..4 @workgroup { C[i] = 1.0 } }"));
  RULE_EQ("CGEN-1", std::string(),
          refusal("program p { inout C: f32[1] input A: f32[4] for i in 0..4 @reduce { C[0] += A[i] } }"));
  RULE_TRUE("CGEN-1", contains(refusal("program p { output C: f32[4] shared S: f32[4] C[0] = 1.0 }"), "shared"));
  RULE_TRUE("CGEN-1",
            !refusal("program p { output C: f32[4] for i in 0..4 @workgroup { C[i] = 1.0 barrier } }").empty());
  Program nested;
  nested.name = "nested";
  nested.body = {make_loop("i", 0, 4, 1, Axis::vectorized, {make_loop("j", 0, 4, 1, Axis::grid, {})})};
  RULE_TRUE("CGEN-1", !emit_c(nested));
}

TEST(Emit, SignatureAndBuffersInOrder) {
  const Program p = parse(R"(program p {
    param n in 1..9  param m in 1..9
    input A: f32[n]  local r: f32[2]  const K: f32[2] = {1.0, 2.0}
    temp T: f32[n]  output C: f32[n, m]
    for i in 0..n { r[0] = A[i]  T[i] = r[0] * K[1]  for j in 0..m { C[i, j] = T[i] } } })");
  const Library unit(c_text(p));
  float a[3] = {1, 2, 3}, t[3] = {}, c[6] = {};
  RULE_EQ("CGEN-2", 0, unit.call({3, 2}, {a, t, c}));
  RULE_EQ("CGEN-2", 6.0F, c[5]);
  RULE_EQ("CGEN-2", 4.0F, t[1]);
}

TEST(Emit, NamesOfCAndOfHeadersAreAvoided) {
  const std::vector<std::string> awkward{
      "int",   "double",  "NAN",          "INFINITY",   "memset", "free",  "int64_t", "_x",         "__LINE__",
      "round", "add_i32", "index_min",    "restrict",   "bytes",  "state", "buffers", "parameters", "lanes",
      "i_1",   "main",    "NULL",         "narrow",     "bool",   "value", "cell",    "lane",       "assay_kernel",
      "abort", "errno",   "f16_from_f64", "trip_count", "linux",  "asm",   "erf",     "signbit",    "FE_TONEAREST"};
  std::string text = "program p { output C: f32[100]  zero C ";
  std::vector<double> expected(100, 0.0);
  int n = 0;
  for (const std::string& name : awkward) {
    if (name == "bool" || name == "min") continue;  // words of the language
    // As a loop symbol and as a variable; i and i.1 beside i_1.
    text += fmt::format("for i in {0}..{1} {{ for {2} in i..{1} {{ C[{2}] = f32({2}) }} }}\n", n, n + 1, name);
    text += fmt::format("if true {{ var {0}: f32 = {1}.5  for l in 0..1 @vectorized {{ C[{1}] = {0} + C[{1}] }} }}\n",
                        name, n);
    expected[static_cast<std::size_t>(n)] = n + (n + 0.5);
    ++n;
  }
  RULE_EQ("CGEN-5", expected, run_text(text + "}", "C"));
  // As buffers and parameters.
  text =
      "program p { param long in 1..3 param NULL in 1..3 input memcpy: f32[long] const round: f32[2] = {3.0, 4.0} "
      "local free: f32[1] output NAN: f32[long]\n"
      "for i in 0..long { free[0] = memcpy[i] * round[1]  NAN[i] = max(free[0], 1.0) } }";
  RULE_EQ("CGEN-5", (std::vector<double>{8, 20}),
          run_text(text, "NAN", {{"memcpy", tensor(Type::f32, {2, 5})}}, {{"long", 2}, {"NULL", 1}}));
}

TEST(Emit, LiteralsAreExact) {
  for (const Type t : scalar_types) {
    std::vector<Scalar> values;
    if (t == Type::boolean) {
      values = {bool_scalar(false), bool_scalar(true)};
    } else if (is_float(t)) {
      for (const char* s : {"0.0", "1.0", "0.1", "3.5", "123456.75", "1e-7", "6e4", "0x1.8p3", "1000000.0", "0.015625"})
        if (const auto v = literal_from_float(t, s)) values.push_back(*v);
      if (has_infinity(t)) values.push_back(infinity(t, false));
      const std::uint64_t largest = has_infinity(t) ? infinity(t, false).bits - 1 : canonical_nan(t).bits - 1;
      for (const std::uint64_t bits : {std::uint64_t{1}, largest}) values.push_back({t, bits});
      for (std::size_t i = 0, count = values.size(); i < count; ++i)
        values.push_back({t, values[i].bits | std::uint64_t{1} << (bit_width(t) - 1)});
      values.push_back(canonical_nan(t));
    } else {
      const IntRange range = int_range(t);
      for (const Int128 v : {range.lo, range.lo + 1, Int128{0}, Int128{1}, range.hi / 2 + 1, range.hi})
        values.push_back(wrap_int(t, v));
    }
    Program p;
    p.name = "literals";
    Buffer b;
    b.name = "C";
    b.kind = BufferKind::output;
    b.type = t;
    b.dims = {Index(static_cast<std::int64_t>(2 * values.size()))};
    Buffer table = b;
    table.name = "K";
    table.kind = BufferKind::constant;
    table.dims = {Index(static_cast<std::int64_t>(values.size()))};
    table.data = values;
    p.buffers = {b, table};
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      p.body.push_back(make_store("C", {make_index(at)}, make_literal(values[i])));
      p.body.push_back(make_store("C", {make_index(at + static_cast<std::int64_t>(values.size()))},
                                  make_load("K", t, {make_index(at)})));
    }
    const KernelOutcome out = compile_and_run(p, {}, {});
    ASSERT_EQ(out.status, KernelOutcome::Status::ok) << out.message;
    for (std::size_t i = 0; i < 2 * values.size(); ++i) {
      const Scalar expected = values[i % values.size()], actual = out.outputs.at("C").get(static_cast<std::int64_t>(i));
      RULE_TRUE("CGEN-6", same_value(expected, actual))
          << name(t) << " " << std::hex << expected.bits << " " << actual.bits;
    }
  }
}

TEST(Emit, OnlyTheHelpersInUseAndTheSameTextEachTime) {
  const Program p = parse("program p { inout C: i32[4] for i in 0..4 { C[i] = C[i] + 1 } }");
  const std::string text = c_text(p);
  RULE_TRUE("CGEN-7", contains(text, "add_i32"));
  for (const std::string_view other :
       {"mul_i32", "narrow", "expl", "allocate", "trip_count", "index_floordiv", "extended"})
    RULE_TRUE("CGEN-7", !contains(text, other)) << other;
  RULE_EQ("CGEN-7", text, c_text(p));
}

TEST(Emit, UncomparedOperationsReachObservedBuffers) {
  const auto uncompared = [](const std::string& body) {
    return has_uncompared_operations(
        parse("program p { input A: f64[4] inout C: f64[4] output D: i32[4] temp T: f64[4] temp B: bool[4] zero D " +
              body + " }"));
  };
  RULE_TRUE("CGEN-18", uncompared("C[0] = exp(A[0])"));
  RULE_TRUE("CGEN-18", !uncompared("C[0] = sqrt(A[0]) + recip(A[1])"));
  RULE_TRUE("CGEN-18", !uncompared("T[0] = exp(A[0]) C[0] = A[0]"));
  RULE_TRUE("CGEN-18", uncompared("T[0] = exp(A[0]) C[0] = T[1]"));
  RULE_TRUE("CGEN-18", uncompared("for i in 0..2 { C[i] = T[i] T[i] = pow(A[0], A[1]) }"));
  RULE_TRUE("CGEN-18", uncompared("if sin(A[0]) > 0.0 { D[0] = 1 }"));
  RULE_TRUE("CGEN-18", uncompared("D[i32(tanh(A[0]))] = 1"));
  RULE_TRUE("CGEN-18", uncompared("var s: f64 = A[0]  for i in 0..2 { C[i] = s  s = log(s) }"));
  RULE_TRUE("CGEN-18", uncompared("C[0] = scope x: f64 { x = A[0]  if cos(x) > 0.0 { x = 1.0 } }"));
  RULE_TRUE("CGEN-18", uncompared("B[0] = log2(A[0]) > 1.0  C[0] = B[0] ? 1.0 : 2.0"));
  RULE_TRUE("CGEN-18", !uncompared("var t: f64 = exp2(A[0])  C[0] = A[1]"));
  RULE_TRUE("CGEN-18",
            !has_uncompared_operations(parse("program p { input A: f32[4] inout C: f32[4] C[0] = exp(A[0]) }")));
  RULE_TRUE("CGEN-18",
            has_uncompared_operations(parse("program p { input A: f64[4] inout C: f32[4] C[0] = f32(rsqrt(A[0])) }")));
}

}  // namespace
}  // namespace assay::codegen::test
