// Well-formedness (WF-1 … WF-20): of texts, where the parser reports it at a place, and of programs made by hand.
#include <gtest/gtest.h>

#include <bit>

#include "tests/support/rules.hpp"
#include "text_support.hpp"

namespace assay::test {
namespace {

const char* const declarations =
    "program p { param n in 1..9 input A: f32[8] inout B: f32[8, 8] inout C: f32[8] shared S: f32[8]\n";

std::string with(const std::string& statements) { return declarations + statements + " }"; }
bool accepted(const std::string& statements) {
  const bool good = errors(with(statements)).empty();
  if (!good) ADD_FAILURE() << shown(with(statements));
  return good;
}
bool refused(const char* code, const std::string& statements) { return has_error(with(statements), code); }

// The program of `with(statements)` with its body replaced.
Program made(Block body) {
  Program p = program_of(with(""));
  p.body = std::move(body);
  return p;
}
// Whether the first fault of a program has this code.
bool faulty(const char* code, const Program& p) {
  const auto faults = check_well_formed(p);
  if (faults.empty()) {
    ADD_FAILURE() << "no fault in\n" << print(p);
    return false;
  }
  return faults[0].code == code;
}
Expr f32(float v) { return make_literal({Type::f32, static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(v))}); }
Stmt store_c(Expr value, Expr at = make_index(0)) { return make_store("C", {std::move(at)}, std::move(value)); }
Expr load_c(Expr at = make_index(0)) { return make_load("C", Type::f32, {std::move(at)}); }
Stmt loop(const char* symbol, Block body, Axis axis = Axis::serial) {
  return make_loop(symbol, 0, 4, 1, axis, std::move(body));
}

TEST(WellFormed, BindersAreUnique) {
  RULE_TRUE("WF-1", faulty("WF-1", made({loop("i", {}), loop("i", {})})));
  RULE_TRUE("WF-1", faulty("WF-1", made({loop("A", {})})));
  RULE_TRUE("WF-1", faulty("WF-1", made({make_declare("n", Type::f32, {})})));
  RULE_TRUE("WF-1", faulty("WF-1", made({store_c(make_scope("x", Type::f32, {})), loop("x", {})})));
  RULE_TRUE("WF-1", faulty("WF-1", made({loop("for", {})})));
  RULE_TRUE("WF-1", faulty("WF-1", made({loop("i-1", {})})));
  RULE_TRUE("WF-1", faulty("WF-1", made({loop("i.x", {})})));
  Program unnamed = made({});
  unnamed.name = "";
  RULE_TRUE("WF-1", faulty("WF-1", unnamed));
  RULE_TRUE("WF-1", check_well_formed(made({loop("i", {}), loop("i.1", {})})).empty());
}

TEST(WellFormed, NamesAreVisible) {
  RULE_TRUE("WF-2", faulty("WF-2", made({store_c(f32(1), make_index(Index::symbol("i")))})));
  RULE_TRUE("WF-2", faulty("WF-2", made({loop("i", {}), store_c(f32(1), make_index(Index::symbol("i")))})));
  RULE_TRUE("WF-2", faulty("WF-2", made({make_loop("i", 0, Index::symbol("i"), 1, Axis::serial, {})})));
  RULE_TRUE("WF-2", faulty("WF-2", made({store_c(make_variable("s", Type::f32))})));
  RULE_TRUE("WF-2", faulty("WF-2", made({make_assign("s", f32(1))})));
  RULE_TRUE("WF-2", faulty("WF-2", made({make_declare("s", Type::f32, make_variable("s", Type::f32))})));
  RULE_TRUE("WF-2",
            faulty("WF-2", made({make_branch(make_literal(bool_scalar(true)), {make_declare("s", Type::f32, f32(1))},
                                             {store_c(make_variable("s", Type::f32))})})));
  RULE_TRUE("WF-2", faulty("WF-2", made({make_store("X", {}, f32(1))})));
  RULE_TRUE("WF-2", faulty("WF-2", made({make_zero("n")})));
  RULE_TRUE("WF-2", faulty("WF-2", made({store_c(make_load("n", Type::f32, {}))})));
  RULE_TRUE("WF-2", faulty("WF-2", made({store_c(f32(1), make_index(Index::symbol("C")))})));
}

TEST(WellFormed, Types) {
  const Expr i = make_index(Index::symbol("n"));
  RULE_TRUE("WF-3", faulty("WF-3", made({store_c(i)})));
  RULE_TRUE("WF-3", faulty("WF-3", made({store_c(make_literal({Type::f64, 0}))})));
  RULE_TRUE("WF-3", faulty("WF-3", made({store_c(make_op(Op::add, {f32(1), i}))})));
  RULE_TRUE("WF-3", faulty("WF-3", made({make_branch(f32(1), {})})));
  RULE_TRUE("WF-3", faulty("WF-3", made({make_branch(make_op(Op::land, {make_literal(bool_scalar(true)), i}), {})})));
  RULE_TRUE("WF-3", faulty("WF-3", made({store_c(make_op(Op::floordiv, {f32(1), f32(2)}))})));
  RULE_TRUE("WF-3", faulty("WF-3", made({store_c(make_op(Op::fma, {f32(1), f32(2)}))})));
  RULE_TRUE("WF-3", faulty("WF-3", made({store_c(make_op(Op::choice, {i, f32(1), f32(2)}))})));
  RULE_TRUE("WF-3", faulty("WF-3", made({store_c(f32(1), make_op(Op::add, {i, i}))})));
  RULE_TRUE("WF-3", faulty("WF-3", made({store_c({})})));
  RULE_TRUE("WF-3", faulty("WF-3", made({make_declare("s", Type::f32, f32(1)),
                                         store_c(make_convert(Type::f32, make_variable("s", Type::f64)))})));
  RULE_TRUE("WF-3", faulty("WF-3", made({store_c(make_load("A", Type::f64, {make_index(0)}))})));
  RULE_TRUE("WF-3", faulty("WF-3", made({store_c(make_convert(Type::index, f32(1)))})));
  RULE_TRUE("WF-3", faulty("WF-3", made({store_c(make_literal({Type::f32, std::uint64_t{1} << 32}))})));
  RULE_TRUE("WF-3", faulty("WF-3", made({store_c(make_literal({Type::f32, 0xffc00000}))})));
  RULE_TRUE("WF-3", faulty("WF-3", made({make_declare("s", Type::index, {})})));
  RULE_TRUE("WF-3",
            check_well_formed(made({store_c(f32(1), make_op(Op::choice, {make_op(Op::lt, {i, i}), i, i}))})).empty());
}

TEST(WellFormed, Subscripts) {
  RULE_TRUE("WF-4", faulty("WF-4", made({make_store("C", {}, f32(1))})));
  RULE_TRUE("WF-4", faulty("WF-4", made({store_c(make_load("B", Type::f32, {make_index(0)}))})));
  RULE_TRUE("WF-4", faulty("WF-4", made({store_c(f32(1), f32(0))})));
  RULE_TRUE("WF-4", check_well_formed(made({store_c(f32(1), make_convert(Type::u8, f32(0)))})).empty());
}

TEST(WellFormed, InputsAreNotWritten) {
  RULE_TRUE("WF-5", refused("WF-5", "~A[0]~ = 1"));
  RULE_TRUE("WF-5", refused("WF-5", "~zero A~"));
  RULE_TRUE("WF-5", has_error("program p { const K: f32[1] = {1} ~K[0]~ += 1 }", "WF-5"));
}

TEST(WellFormed, ScopesArePure) {
  RULE_TRUE("WF-6", refused("WF-6", "C[0] = scope x: f32 { ~C[1]~ = 1 x = 2 }"));
  RULE_TRUE("WF-6", refused("WF-6", "var s: f32 = 0 C[0] = scope x: f32 { ~s~ = 1 x = 2 }"));
  RULE_TRUE("WF-6", refused("WF-6", "C[0] = scope x: f32 { x = scope y: f32 { y = 1 ~x~ = 2 } }"));
  RULE_TRUE("WF-6", accepted("var s: f32 = 0 C[0] = scope x: f32 { var t: f32 = s for i in 0..3 { t = t + A[i] } if t "
                             "> 0 { x = t } else { x = -t } }"));
}

TEST(WellFormed, ScopesAreSerial) {
  RULE_TRUE("WF-7", refused("WF-7", "C[0] = scope x: f32 { x = 1 ~launch~ }"));
  RULE_TRUE("WF-7", refused("WF-7", "C[0] = scope x: f32 { x = 1 ~zero C~ }"));
  RULE_TRUE("WF-7", refused("WF-7", "C[0] = scope x: f32 { ~for g in 0..4 @grid~ { } x = 1 }"));
  RULE_TRUE("WF-7", refused("WF-7", "for t in 0..4 @workgroup { C[t] = scope x: f32 { x = 1 ~barrier~ } }"));
  RULE_TRUE("WF-7", accepted("C[0] = scope x: f32 { x = 0 for i in 0..4 @unrolled { x = x + A[i] } }"));
}

TEST(WellFormed, Barriers) {
  RULE_TRUE("WF-8", refused("WF-8", "~barrier~"));
  RULE_TRUE("WF-8", refused("WF-8", "for g in 0..4 @grid { ~barrier~ }"));
  RULE_TRUE("WF-8", accepted("for g in 0..4 @workgroup { } barrier"));
  RULE_TRUE("WF-8", refused("WF-8", "for g in 0..4 @workgroup { } launch ~barrier~"));
  RULE_TRUE("WF-8",
            accepted("for g in 0..4 @grid { for t in 0..4 @workgroup { for k in 0..4 { if n < 2 { barrier } } } }"));
}

TEST(WellFormed, Launches) {
  RULE_TRUE("WF-9", refused("WF-9", "for i in 0..4 { ~launch~ }"));
  RULE_TRUE("WF-9", refused("WF-9", "if n < 2 { ~launch~ }"));
  RULE_TRUE("WF-9", accepted("C[0] = 1 launch C[0] = 2"));
}

TEST(WellFormed, Vectorized) {
  RULE_TRUE("WF-10", refused("WF-10", "for t in 0..4 @workgroup { for v in 0..4 @vectorized { ~barrier~ } }"));
  RULE_TRUE("WF-10", refused("WF-10", "for v in 0..4 @vectorized { if n < 2 { ~for g in 0..4 @grid~ {} } }"));
  RULE_TRUE("WF-10",
            accepted("for t in 0..4 @workgroup { for v in 0..4 @vectorized { for k in 0..2 { C[v] = A[k] } } }"));
}

TEST(WellFormed, VariablesOfThreads) {
  RULE_TRUE("WF-11", refused("WF-11", "var s: f32 = 0 for g in 0..4 @grid { ~s~ = 1 }"));
  RULE_TRUE("WF-11",
            refused("WF-11",
                    "for g in 0..4 @grid { var s: f32 = 0 for t in 0..4 @workgroup { for k in 0..2 { ~s~ = 1 } } }"));
  RULE_TRUE("WF-11",
            accepted("var s: f32 = 0 for g in 0..4 @grid { var t: f32 = s for k in 0..4 { t = t + s } C[g] = t }"));
  RULE_TRUE("WF-11", accepted("var s: f32 = 0 for v in 0..4 @vectorized { s = 1 } C[0] = s"));
}

TEST(WellFormed, Reductions) {
  for (const char* good :
       {"C[0] += A[k]", "C[0] = A[k] + C[0]", "C[0] max= A[k]", "C[0] *= A[k]", "C[n] min= A[k] * B[0, k]",
        "C[0] = fma(A[k], A[k], C[0])", "if k < n { C[0] += A[k] }", "for j in 0..2 { C[0] += A[k + j] }",
        "C[i64(n)*2] += A[k]", "C[0] += scope x: f32 { x = A[k] x = x * 2 }"}) {
    RULE_TRUE("WF-12", accepted(std::string("for k in 0..4 @reduce { ") + good + " }")) << good;
  }
  RULE_TRUE("WF-12", accepted("var s: f32 = 0 for k in 0..4 @reduce { s = s + A[k] } C[0] = s"));
  RULE_TRUE("WF-12", refused("WF-12", "for k in 0..4 @reduce { ~C[k]~ += A[k] }"));
  RULE_TRUE("WF-12", refused("WF-12", "for k in 0..4 @reduce { for j in 0..4 { ~C[j]~ += A[k] } }"));
  RULE_TRUE("WF-12", refused("WF-12", "~for k in 0..4 @reduce~ { C[0] += A[k] C[1] += A[k] }"));
  RULE_TRUE("WF-12", refused("WF-12", "~for k in 0..4 @reduce~ { }"));
  RULE_TRUE("WF-12", refused("WF-12", "for k in 0..4 @reduce { ~C[0]~ = A[k] }"));
  RULE_TRUE("WF-12", refused("WF-12", "for k in 0..4 @reduce { ~C[0]~ = C[0] - A[k] }"));
  RULE_TRUE("WF-12", refused("WF-12", "for k in 0..4 @reduce { ~C[0]~ += A[k] * C[1] }"));
  RULE_TRUE("WF-12", refused("WF-12", "for k in 0..4 @reduce { if C[0] < 1 { ~C[0]~ += A[k] } }"));
  RULE_TRUE("WF-12", refused("WF-12", "for k in 0..4 @reduce { ~if k < 2~ { C[0] += A[k] } else { C[0] += 1 } }"));
  RULE_TRUE("WF-12", refused("WF-12", "for k in 0..4 @reduce { ~C[0]~ = C[1] + A[k] }"));
  RULE_TRUE("WF-12", refused("WF-12", "var s: f32 = 0 for k in 0..4 @reduce { ~s~ = s + s }"));
}

TEST(WellFormed, WorkgroupSlots) {
  const std::string three = "for a in 0..2 @workgroup { for b in 0..2 @workgroup { for c in 0..2 @workgroup { ";
  RULE_TRUE("WF-13", accepted(three + "C[0] = 1 } } }"));
  RULE_TRUE("WF-13", refused("WF-13", three + "~for d in 0..2 @workgroup~ { for e in 0..2 @workgroup { } } } } }"));
  RULE_TRUE("WF-13", refused("WF-13", three + "~for d in 0..2 @reduce~ { C[0] += A[d] } } } }"));
  RULE_TRUE(
      "WF-13",
      accepted("for a in 0..2 @grid { for b in 0..2 @grid { for c in 0..2 @grid { for d in 0..2 @grid { } } } }"));
}

TEST(WellFormed, Steps) {
  RULE_TRUE("WF-14", refused("WF-14", "for i in 0..4 step ~0~ {}"));
  RULE_TRUE("WF-14", refused("WF-14", "for i in 0..4 step ~-~1 {}"));
  RULE_TRUE("WF-14", faulty("WF-14", made({make_loop("i", 0, 4, 0, Axis::serial, {})})));
}

TEST(WellFormed, ConstantData) {
  const auto declared = [](const std::string& d) { return "program p { param n in 1..3\n" + d + " }"; };
  RULE_TRUE("WF-15", has_error(declared("~const K: f32[3]~ = {1, 2}"), "WF-15"));
  RULE_TRUE("WF-15", has_error(declared("~const K: f32[3]~"), "WF-15"));
  RULE_TRUE("WF-15", has_error(declared("~const K: f32[n]~ = {1}"), "WF-15"));
  RULE_TRUE("WF-15", has_error(declared("~input K: f32[2]~ = {1, 2}"), "WF-15"));
  RULE_TRUE("WF-15", errors(declared("const K: i8[2, 2] = {1, -2, 3, -128} const L: bool[] = {true} const E: f32[0, 3] "
                                     "const M: f16[2] = {-inf, nan}"))
                         .empty());
  Program p = program_of(declared("const K: f32[1] = {1}"));
  p.buffers[0].data[0].type = Type::f64;
  RULE_TRUE("WF-15", faulty("WF-15", p));
}

TEST(WellFormed, ValueRanges) {
  const auto declared = [](const std::string& d) { return "program p {\n" + d + " }"; };
  RULE_TRUE("WF-16", has_error(declared("~inout I: i32[4]~ in 0..4"), "WF-16"));
  RULE_TRUE("WF-16", has_error(declared("~input I: f32[4]~ in 0..4"), "WF-16"));
  RULE_TRUE("WF-16", has_error(declared("~input I: i32[4]~ in 4..4"), "WF-16"));
  RULE_TRUE("WF-16", has_error(declared("~input I: i8[4]~ in 0..129"), "WF-16"));
  RULE_TRUE("WF-16", has_error(declared("~input I: u8[4]~ in -1..4"), "WF-16"));
  RULE_TRUE("WF-16",
            errors(declared("input I: i8[4] in -128..128 input U: u64[4] in 0..18446744073709551616")).empty());
}

TEST(WellFormed, Dimensions) {
  RULE_TRUE("WF-17", has_error("program p {\n~input A: f32[-1]~ }", "WF-17"));
  RULE_TRUE("WF-17", has_error("program p {\n~input A: f32[4294967296, 4294967296]~ }", "WF-17"));
  RULE_TRUE(
      "WF-17",
      errors("program p { param n in 0..4 input A: f32[0, 9223372036854775807, 4] input E: f32[n, 2*n + 1] }").empty());
  Program p = made({});
  p.buffers[0].dims[0] = Index::symbol("i");
  RULE_TRUE("WF-17", faulty("WF-17", p));
}

TEST(WellFormed, ParameterRanges) {
  RULE_TRUE("WF-18", has_error("program p { ~param n in 3..3~ }", "WF-18"));
  RULE_TRUE("WF-18", has_error("program p { ~param n in 3..-3~ }", "WF-18"));
  RULE_TRUE("WF-18", errors("program p { param n in -5..-4 }").empty());
}

TEST(WellFormed, IndexValuesHaveNotOverflowed) {
  const Index overflowed = Index::symbol("n") * INT64_MAX * 3;
  RULE_TRUE("WF-19", faulty("WF-19", made({store_c(f32(1), make_index(overflowed))})));
  RULE_TRUE("WF-19", faulty("WF-19", made({make_loop("i", overflowed, 4, 1, Axis::serial, {})})));
  RULE_TRUE(
      "WF-19",
      faulty("WF-19", made({store_c(f32(1), make_index(floordiv(Index::symbol("n") + INT64_MIN, 3) * INT64_MIN))})));
}

TEST(WellFormed, RequirementsHaveTheirForm) {
  Program p = made({});
  p.requirements = {make_op(Op::lt, {load_c(), f32(1)})};
  RULE_TRUE("WF-20", faulty("WF-20", p));
  p.requirements = {Expr()};
  RULE_TRUE("WF-20", faulty("WF-20", p));
  p.requirements = {make_op(Op::lt, {make_index(Index::symbol("n")), make_index(3)})};
  RULE_TRUE("WF-20", check_well_formed(p).empty());
}

}  // namespace
}  // namespace assay::test
