// Swizzled buffers in compiled code: at the cells of LAY-1, and with the bits of the interpreter.
#include <fmt/format.h>

#include <cstring>
#include <random>

#include "interp/inputs.hpp"
#include "interp/interpreter.hpp"
#include "ir/text/source.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

// What is stored through indices and read back by position: the address itself, seen from outside. A temp is the caller's.
TEST(Layouts, ElementsLieWhereTheRuleSays) {
  for (const auto& [type, width, word, unit] :
       {std::tuple{"i32", 4, "elem", 1}, {"i32", 4, "b128", 4}, {"i16", 2, "b128", 8}, {"i64", 8, "b128", 2}}) {
    const int columns = 8 * unit, rows = 11;
    const std::string text = fmt::format(
        "program p {{ output Y: i32[1] temp T: {0}[{1}, {2}] swizzle {3} Y[0] = 0 for i in 0..{1} {{ for j in 0..{2} "
        "{{ "
        "T[i, j] = {0}({2} * i + j) }} }} }}",
        type, rows, columns, word);
    const Library kernel(c_text(parse(text)));
    std::vector<unsigned char> cells(static_cast<std::size_t>(rows * columns * width));
    int y = 1;
    ASSERT_EQ(0, kernel.call({}, {&y, cells.data()}));
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        const int at = i * columns + ((j / unit) ^ (i % 8)) * unit + j % unit;
        std::int64_t found = 0;
        std::memcpy(&found, cells.data() + at * width, static_cast<std::size_t>(width));
        ASSERT_TRUE(::assay::test::record_rule("CGEN-50", found == i * columns + j)) << word << ' ' << i << ' ' << j;
        ASSERT_TRUE(::assay::test::record_rule("LAY-1", found == i * columns + j));
      }
    }
  }
}

TEST(Layouts, NoVectorCodeTouchesThem) {
  const auto text = [](const std::string& swizzle) {
    return c_text(
        parse("program p { input A: f32[4, 16] output C: f32[4, 16] local T: f32[4, 16] " + swizzle +
              " for i in 0..4 { for j in 0..16 @vectorized { T[i, j] = A[i, j] } for j in 0..16 @vectorized { C[i, "
              "j] = T[i, j] + 1.0 } } }"));
  };
  RULE_TRUE("CGEN-50", text("").find("vector_size") != std::string::npos);
  RULE_TRUE("CGEN-50", text("swizzle elem").find("vector_size") == std::string::npos);
  RULE_TRUE("CGEN-7", text("").find("swizzled") == std::string::npos);
}

// Programs that send values through swizzled buffers at random places.
TEST(Layouts, AgreeWithTheInterpreter) {
  std::mt19937_64 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
  for (int k = 0; k < 12; ++k) {
    const std::string kind = below(2) == 0 ? "local" : "temp", word = below(2) == 0 ? "elem" : "b128";
    const int columns = 8 << below(3), rows = 1 + below(8), step = 2 * below(columns) + 1;
    const std::string axis = below(2) == 0 ? "" : " @vectorized";
    const Program p = parse(fmt::format(
        "program p {{ param n in 1..9 input X: f32[8, {0}] output Y: f32[8, {0}] {1} T: f32[n, {0}] swizzle {2} zero Y "
        "for i in 0..n {{ for j in 0..{0}{3} {{ T[i, j] = X[floormod(i, 8), j] }} }} "
        "for i in 0..n {{ for j in 0..{0} {{ Y[floormod(i, 8), floormod({4} * j + i, {0})] += T[n - 1 - i, j] }} }} }}",
        columns, kind, word, axis, step));
    const ParameterMap parameters{{"n", rows}};
    const TensorMap inputs =
        interp::generate_inputs(p, parameters, interp::InputKind::special, static_cast<std::uint64_t>(k));
    interp::Options options;
    options.parameters = parameters;
    const interp::Outcome expected = interp::run(p, inputs, options);
    ASSERT_EQ(interp::Status::ok, expected.status);
    const KernelOutcome seen = compile_and_run(p, parameters, inputs);
    ASSERT_EQ(KernelOutcome::Status::ok, seen.status) << seen.message;
    RULE_TRUE("CGEN-50", same_outputs(expected.outputs, seen.outputs)) << assay::print(p);
  }
}

}  // namespace
}  // namespace assay::codegen::test
