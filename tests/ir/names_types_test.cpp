// Names, types and index values: NAME-…, TYPE-…, IDX-…, each error at its exact place.
#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "text_support.hpp"

namespace assay::test {
namespace {

TEST(Names, Unknown) {
  RULE_TRUE("NAME-1", has_error(around("B[~j~] = 1"), "NAME-1"));
  RULE_TRUE("NAME-1", has_error(around("~C~[0] = 1"), "NAME-1"));
  RULE_TRUE("NAME-1", has_error(around("~s~ = 1"), "NAME-1"));
  RULE_TRUE("NAME-1", has_error(around("zero ~C~"), "NAME-1"));
  RULE_TRUE("NAME-1", has_error(around("B[0] = ~sqr~(B[1])"), "NAME-1"));
  RULE_TRUE("NAME-1", has_error("program p { input A: f32[~n~] param n in 0..2 }", "NAME-1"));
  RULE_TRUE("NAME-1", has_error(around("var s: f32 = ~s~"), "NAME-1"));
  RULE_TRUE("NAME-1", has_error(around("B[0] = scope x: f32 { x = 1 } + ~x~"), "NAME-1"));
  RULE_EQ("NAME-1", std::string("did you mean `sqrt`?"), help_of(around("B[0] = sqr(B[1])")));
  RULE_EQ("NAME-1", std::string("did you mean `bias`?"),
          help_of("program p { input bias: f32[1] output C: f32[1] C[0] = bais[0] }"));
  RULE_EQ("NAME-1", std::string("the `i` of line 3 is visible only to the end of its block"),
          help_of(around("\nfor i in 0..4 {}\nB[i] = 1")));
}

TEST(Names, GlobalNamesAreTheirOwn) {
  RULE_TRUE("NAME-2", has_error("program p { input A: f32[1]\noutput ~A~: f32[1] }", "NAME-2"));
  RULE_TRUE("NAME-2", has_error("program p { param n in 0..2 input ~n~: f32[1] }", "NAME-2"));
  RULE_TRUE("NAME-2", has_error(around("for ~A~ in 0..4 {}"), "NAME-2"));
  RULE_TRUE("NAME-2", has_error(around("var ~n~: f32"), "NAME-2"));
  RULE_TRUE("NAME-2", has_error(around("B[0] = scope ~B~: f32 { }"), "NAME-2"));
  RULE_EQ("NAME-2", std::string("it is a buffer since line 1"),
          help_of("program p { input A: f32[1]\noutput A: f32[1] }"));
}

TEST(Names, NestedReuse) {
  RULE_TRUE("NAME-3", has_error(around("for i in 0..4 { for ~i~ in 0..4 {} }"), "NAME-3"));
  RULE_TRUE("NAME-3", has_error(around("for i in 0..4 { var ~i~: f32 }"), "NAME-3"));
  RULE_TRUE("NAME-3", has_error(around("var s: f32\nvar ~s~: f32"), "NAME-3"));
  RULE_TRUE("NAME-3", has_error(around("var s: f32\nB[0] = scope ~s~: f32 { }"), "NAME-3"));
  RULE_TRUE("NAME-3", has_error(around("B[0] = scope s: f32 { for ~s~ in 0..4 {} }"), "NAME-3"));
}

TEST(Names, UsedAsWhatTheyAre) {
  RULE_TRUE("NAME-4", has_error(around("B[0] = ~A~"), "NAME-4"));
  RULE_TRUE("NAME-4", has_error(around("var s: f32 = 0 B[0] = ~s~[0]"), "NAME-4"));
  RULE_TRUE("NAME-4", has_error(around("~n~ = 1"), "NAME-4"));
  RULE_TRUE("NAME-4", has_error(around("for i in 0..4 { ~i~ = 1 }"), "NAME-4"));
  RULE_TRUE("NAME-4", has_error(around("~B~ = 1"), "NAME-4"));
  RULE_TRUE("NAME-4", has_error(around("~n~[0] = 1"), "NAME-4"));
  RULE_TRUE("NAME-4", has_error(around("zero ~n~"), "NAME-4"));
  RULE_TRUE("NAME-4", has_error(around("for i in 0..~B~ {}"), "NAME-4"));
}

TEST(Names, DisjointReuseIsRenamed) {
  RULE_EQ("NAME-5", std::string("for i in 0..4 {}\nfor i.1 in 0..4 {\n  B[i.1] = 1.0\n}\nfor i.2 in 0..4 {}"),
          printed("for i in 0..4 {} for i in 0..4 { B[i] = 1 } for i in 0..4 {}"));
  RULE_EQ("NAME-5", std::string("for i.1 in 0..4 {}\nfor i in 0..4 {}\nfor i.2 in 0..4 {\n  B[i.2] = 1.0\n}"),
          printed("for i.1 in 0..4 {} for i in 0..4 {} for i in 0..4 { B[i] = 1 }"));
  RULE_EQ(
      "NAME-5",
      std::string("if n < 1 {\n  var s: f32 = 1.0\n  B[0] = s\n} else {\n  var s.1: f32 = 2.0\n  s.1 = s.1 + 1.0\n}"),
      printed("if n < 1 { var s: f32 = 1 B[0] = s } else { var s: f32 = 2 s = s + 1 }"));
  RULE_EQ("NAME-5", std::string("for i in 0..4 {}\nvar i.1: f32 = 1.0"), printed("for i in 0..4 {} var i: f32 = 1"));
  // A name that the text uses is passed over.
  RULE_EQ("NAME-5", (std::set<Symbol>{"p.1", "i", "i.1"}),
          program_of("program q { inout p.1: f32[1] for i in 0..1 {} for i in 0..1 {} }").bound_names());
  RULE_EQ("NAME-5", (std::set<Symbol>{"i.1", "i", "i.2"}),
          program_of("program q { inout i.1: f32[1] for i in 0..1 {} for i in 0..1 {} }").bound_names());
  // The renamed symbol is no name of the text.
  RULE_TRUE("NAME-5", has_error(around("for i in 0..4 {} for i in 0..4 { B[~i.1~] = 1 }"), "NAME-1"));
}

TEST(Types, OneTypeForBothOperands) {
  RULE_TRUE("TYPE-1", has_error(around("B[0] = ~B[1] + I[1]~"), "TYPE-1"));
  RULE_TRUE("TYPE-1", has_error(around("if ~I[0] < O[0]~ {}"), "TYPE-1"));
  RULE_TRUE("TYPE-1", has_error(around("B[0] = ~true ? B[0] : I[0]~"), "TYPE-1"));
  RULE_TRUE("TYPE-1", has_error(around("B[0] = fma(1, 2, ~max(B[0], I[0])~)"), "TYPE-1"));
  RULE_TRUE("TYPE-1", errors(around("B[0] = B[1] + f32(I[1])")).empty());
}

TEST(Types, LiteralsTakeTheirTypeFromAround) {
  const auto type_of = [](const char* value) {
    return program_of(around(std::string("B[0] = ") + value)).body[0]->value->type;
  };
  RULE_EQ("TYPE-2", Type::f32, type_of("1"));
  RULE_EQ("TYPE-2", Type::f32, type_of("1.5 + 2"));
  RULE_EQ("TYPE-2", std::string("if B[0] < 1.0 {}"), printed("if B[0] < 1 {}"));
  RULE_EQ("TYPE-2", std::string("if 1.0 + 2.0 * 3.0 < B[0] {}"), printed("if 1 + 2 * 3 < B[0] {}"));
  RULE_EQ("TYPE-2", std::string("B[0] = n < 1 ? 1.0 : B[1]"), printed("B[0] = n < 1 ? 1 : B[1]"));
  RULE_EQ("TYPE-2", std::string("B[3] = 0.0"), printed("B[1 + 2] = 0"));
  RULE_EQ("TYPE-2", std::string("B[0] = f32(3)"), printed("B[0] = f32(1 + 2)"));
  RULE_TRUE("TYPE-2", has_error(around("if ~1.0 < 2.0~ {}"), "TYPE-2"));
  RULE_TRUE("TYPE-2", has_error(around("if ~1 < inf~ {}"), "TYPE-2"));
  RULE_TRUE("TYPE-2", has_error(around("B[0] = f32(~1.0 + 2.0~)"), "TYPE-2"));
  RULE_TRUE("TYPE-2", has_error(around("I[0] = i32(~2.5~)"), "TYPE-2"));
  RULE_TRUE("TYPE-2", errors(around("if 1 < 2 {}")).empty());
}

TEST(Types, LiteralsThatDoNotFit) {
  RULE_TRUE("TYPE-3", has_error(around("O[0] = ~300~"), "TYPE-3"));
  RULE_TRUE("TYPE-3", has_error(around("O[0] = O[1] + ~-129~"), "TYPE-3"));
  RULE_TRUE("TYPE-3", has_error("program p { output U: u8[1] U[0] = ~-1~ }", "TYPE-3"));
  RULE_TRUE("TYPE-3", has_error("program p { const K: u64[1] = {~18446744073709551616~} }", "TYPE-3"));
  RULE_TRUE("TYPE-3",
            errors("program p { const K: u64[2] = {18446744073709551615, 0} const L: i64[1] = {-9223372036854775808} }")
                .empty());
  RULE_EQ("TYPE-3", std::string("its values are -128 to 127"), help_of(around("O[0] = 300")));
  RULE_EQ("TYPE-3", std::string("B[0] = 16777216.0"), printed("B[0] = 16777217"));
  RULE_EQ("TYPE-3", std::string("B[0] = 16777220.0"), printed("B[0] = 16777219"));
  RULE_EQ("TYPE-3", std::string("B[0] = inf"), printed("B[0] = 1e39"));
  RULE_EQ("TYPE-3", std::string("B[0] = 3.4028235e38"), printed("B[0] = 340282356779733661637539395458142568447.0"));
}

TEST(Types, FloatLiteralsInIntegerPlaces) {
  RULE_TRUE("TYPE-4", has_error(around("I[0] = ~1.0~"), "TYPE-4"));
  RULE_TRUE("TYPE-4", has_error(around("B[~1.0~] = 1"), "TYPE-4"));
  RULE_TRUE("TYPE-4", has_error(around("if n < ~1.5~ {}"), "TYPE-4"));
  RULE_TRUE("TYPE-4", has_error(around("I[0] = I[1] + (true ? 1 : ~inf~)"), "TYPE-4"));
  RULE_TRUE("TYPE-4", has_error(around("for i in 0..~2.0~ {}"), "TYPE-4"));
}

TEST(Types, Conditions) {
  RULE_TRUE("TYPE-5", has_error(around("if ~B[0]~ {}"), "TYPE-5"));
  RULE_TRUE("TYPE-5", has_error(around("if ~1~ {}"), "TYPE-5"));
  RULE_TRUE("TYPE-5", has_error(around("if n < 1 && ~n~ {}"), "TYPE-5"));
  RULE_TRUE("TYPE-5", has_error(around("if !~I[0]~ {}"), "TYPE-5"));
  RULE_TRUE("TYPE-5", has_error(around("B[0] = ~I[0]~ ? 1 : 2"), "TYPE-5"));
  RULE_TRUE("TYPE-5", has_error(around("B[0] = select(~B[0]~, 1, 2)"), "TYPE-5"));
}

TEST(Types, OperationsExistAtSomeTypes) {
  RULE_TRUE("TYPE-6", has_error(around("I[0] = ~I[1] / 2~"), "TYPE-6"));
  RULE_TRUE("TYPE-6", has_error(around("B[0] = ~floordiv(B[1], 2)~"), "TYPE-6"));
  RULE_TRUE("TYPE-6", has_error(around("I[0] = ~exp(I[1])~"), "TYPE-6"));
  RULE_TRUE("TYPE-6", has_error(around("if ~true < false~ {}"), "TYPE-6"));
  RULE_TRUE("TYPE-6", has_error("program p { output F: bool[1] F[0] = ~F[0] + F[0]~ }", "TYPE-6"));
  RULE_TRUE("TYPE-6", has_error(around("I[0] = ~1 / 2~"), "TYPE-6"));
  RULE_TRUE("TYPE-6", has_error(around("I[0] = ~fma(I[0], I[0], I[0])~"), "TYPE-6"));
  RULE_EQ("TYPE-6",
          std::string("integer division is named: floordiv(a, b), truncdiv(a, b), ceildiv(a, b) or eucdiv(a, b)"),
          help_of(around("I[0] = I[1] / 2")));
  RULE_TRUE(
      "TYPE-6",
      errors(
          around(
              "if true == (n < 1) {} I[0] = relu(abs(-I[1])) + eucmod(I[0], 3) B[0] = sat01(pow(B[0], recip(B[1])))"))
          .empty());
}

TEST(Types, PlacesHaveAType) {
  RULE_TRUE("TYPE-7", has_error(around("I[0] = ~B[0]~"), "TYPE-7"));
  RULE_TRUE("TYPE-7", has_error(around("var s: f16 = ~B[0] + 1~"), "TYPE-7"));
  RULE_TRUE("TYPE-7", has_error(around("var s: f16 = 0\ns = ~B[0]~"), "TYPE-7"));
  RULE_TRUE("TYPE-7", has_error(around("B[0] += ~I[0]~"), "TYPE-7"));
  RULE_TRUE("TYPE-7", has_error(around("var s: bool = ~1~"), "TYPE-7"));
  RULE_TRUE("TYPE-7", has_error(around("B[0] = ~n < 1~"), "TYPE-7"));
}

TEST(Types, FloatsOfEightBits) {
  const auto value = [](const std::string& text) {
    return program_of(around("B[0] = f32(" + text + ")")).body[0]->value->args[0];
  };
  for (const char* type : {"f8e5m2", "f8e4m3fn"})
    RULE_TRUE("TYPE-8", errors("program p { input A: " + std::string(type) + "[4] }").empty());
  RULE_TRUE("TYPE-8", value("f8e5m2(inf)") == make_literal({Type::f8e5m2, 0x7c}));
  RULE_TRUE("TYPE-8", value("f8e5m2(61440.0)") == make_literal({Type::f8e5m2, 0x7c}));
  RULE_TRUE("TYPE-8", value("f8e5m2(61439.9)") == make_literal({Type::f8e5m2, 0x7b}));
  RULE_TRUE("TYPE-8", value("f8e4m3fn(nan)") == make_literal({Type::f8e4m3fn, 0x7f}));
  RULE_TRUE("TYPE-8", value("f8e4m3fn(464.0)") == make_literal({Type::f8e4m3fn, 0x7e}));
  RULE_TRUE("TYPE-8", value("f8e4m3fn((-464))") == make_literal({Type::f8e4m3fn, 0xfe}));
  for (const char* literal : {"inf", "-inf", "464.1", "1e40", "-500.0"})
    RULE_TRUE("TYPE-8", has_error(around("B[0] = f32(f8e4m3fn(~" + std::string(literal) + "~))"), "TYPE-3")) << literal;
  RULE_TRUE("TYPE-8", has_error(around("B[0] = f32(f8e4m3fn((~465~)))"), "TYPE-3"));
}

TEST(Types, BlocksAndTheirFunctions) {
  const auto with_block = [](const std::string& text) { return around("var b: u32x4 = u32x4(1, 2, 3, 4)\n" + text); };
  RULE_TRUE(
      "TYPE-10",
      errors(with_block("b = threefry_light(b, u32x4(word(b, 3), u32(n), 0, 0))  B[0] = uniform(f32, b)\n"
                        "for k in 0..4 { B[k] = uniform_lane(f32, b, u32(k)) } if b == b { O[0] = uniform(i8, b) }"))
          .empty());
  RULE_TRUE("TYPE-10", has_error(with_block("B[0] = uniform(f32, ~n~)"), "IDX-8"));
  RULE_TRUE("TYPE-10", has_error(with_block("B[0] = uniform(f32, ~B[0]~)"), "TYPE-10"));
  RULE_TRUE("TYPE-10", has_error(with_block("B[0] = uniform_lane(f32, b, ~n~)"), "IDX-8"));
  RULE_TRUE("TYPE-10", has_error(with_block("b = u32x4(1, 2, 3, ~I[0]~)"), "TYPE-10"));
  RULE_TRUE("TYPE-10", has_error(with_block("b = u32x4(1, 2, 3, ~-1~)"), "TYPE-3"));
  RULE_TRUE("TYPE-11", has_error(with_block("B[0] = ~f32(b)~"), "TYPE-6"));
  RULE_TRUE("TYPE-11", has_error(with_block("b = ~b + b~"), "TYPE-6"));
  RULE_TRUE("TYPE-11", has_error(with_block("if ~b < b~ {}"), "TYPE-6"));
  RULE_TRUE("TYPE-11", has_error(with_block("b = ~1~"), "TYPE-7"));
  RULE_TRUE("TYPE-11", has_error("program p { const K: u32x4[1] = {~1~} }", "TYPE-7"));
  RULE_TRUE("SYN-16", has_error(with_block("B[0] = uniform(~b~)"), "SYN-3"));
  RULE_TRUE("SYN-16", has_error(with_block("B[0] = ~uniform(f32, b, 1)~"), "SYN-10"));
  RULE_TRUE("SYN-16", has_error(with_block("if ~uniform(bool, b)~ {}"), "TYPE-6"));
  RULE_TRUE("TYPE-12", errors(around("B[0] = f32(f8e5m2_sat(B[1]) )  B[1] = f32(f8e4m3fn_nosat(I[0]))")).empty());
  RULE_TRUE("TYPE-12", has_error(around("B[0] = f32(f8e5m2_sat(~1.5~))"), "TYPE-2"));
  RULE_TRUE("TYPE-12", has_error(around("B[0] = f32(~f8e5m2_sat(n)~)"), "TYPE-6"));
  RULE_TRUE("TYPE-12", has_error(around("B[0] = f32(~f8e5m2_sat(true)~)"), "TYPE-6"));
}

TEST(Types, TypedLiterals) {
  const auto value = [](const char* text) { return program_of(around(std::string("B[0] = ") + text)).body[0]->value; };
  RULE_TRUE("TYPE-9", value("f32(-1.5)") == make_literal({Type::f32, 0xbfc00000}));
  RULE_TRUE("TYPE-9", value("f32((5))") == make_literal({Type::f32, 0x40a00000}));
  RULE_TRUE("TYPE-9", value("f32(5)") == make_convert(Type::f32, make_index(5)));
  RULE_TRUE("TYPE-9", value("f32(f16(1.5))") == make_convert(Type::f32, make_literal({Type::f16, 0x3e00})));
  RULE_TRUE("TYPE-9", value("f32(i8((-3)))") == make_convert(Type::f32, make_literal({Type::i8, 0xfd})));
  RULE_TRUE("TYPE-9", value("f32(i8(300))") == make_convert(Type::f32, make_convert(Type::i8, make_index(300))));
  RULE_TRUE("TYPE-9", has_error(around("B[0] = f32(i8((~300~)))"), "TYPE-3"));
  RULE_EQ("TYPE-9", std::string("if f32(1.0) < 2.0 && i32((1)) < 2 {}"), printed("if f32(1.0) < 2 && i32((1)) < 2 {}"));
}

TEST(IndexValues, AreCanonical) {
  const auto text = [](const std::string& e) {
    return program_of(around("for i in 0..4 { for j in 0..4 { B[" + e + "] = 1 } }"))
        .body[0]
        ->body[0]
        ->body[0]
        ->indices[0];
  };
  RULE_EQ("IDX-1", Op::index, text("i + 2 * (j - i) + 3 - 1")->op);
  RULE_TRUE("IDX-1", text("i + 2*(j - i) + 3 - 1") == text("2*j - i + 2"));
  RULE_TRUE("IDX-1", text("floordiv(4*i + j, 4)") == text("i + floordiv(j, 4)"));
  RULE_TRUE("IDX-1", text("ceildiv(i, 2)") == text("-floordiv(-i, 2)"));
  RULE_TRUE("IDX-1", text("(2 + 1)*i") == text("i*3"));
  RULE_TRUE("IDX-1", text("min(i, i + 1)") == text("i"));
  RULE_TRUE("IDX-1", has_error(around("B[~9223372036854775808~] = 1"), "IDX-1"));
  RULE_TRUE("IDX-1", has_error(around("B[~9223372036854775807 + 1~] = 1"), "IDX-1"));
  RULE_TRUE("IDX-1", has_error(around("B[~n * 4611686018427387904 * 2~] = 1"), "IDX-1"));
}

TEST(IndexValues, OtherArithmeticIsNone) {
  const auto in_loops = [](const std::string& s) { return around("for i in 0..4 { for j in 0..4 { " + s + " } }"); };
  RULE_TRUE("IDX-3", has_error(in_loops("B[~i*j~] = 1"), "IDX-3"));
  RULE_TRUE("IDX-3", has_error(in_loops("B[~i/2~] = 1"), "IDX-3"));
  RULE_TRUE("IDX-3", has_error(in_loops("B[~abs(i)~] = 1"), "IDX-3"));
  RULE_TRUE("IDX-3", has_error(in_loops("B[~truncdiv(i, 2)~] = 1"), "IDX-3"));
  RULE_TRUE("IDX-3", has_error(in_loops("B[~(i < j ? i : j) + 1~] = 1"), "IDX-3"));
  RULE_EQ("IDX-3", std::string("convert the factors, as in `i64(i)*i64(j)`"), help_of(in_loops("B[i*j] = 1")));
  RULE_TRUE("IDX-3", errors(in_loops("B[i64(i)*i64(j)] = 1 B[i < j ? i : 3] = 2 B[select(i < j, i, n)] = f32(i < 2 ? i "
                                     ": j) if (i < 2 ? i : j) < 3 {}"))
                         .empty());
}

TEST(IndexValues, BoundsAndDimensions) {
  RULE_TRUE("IDX-4", has_error(around("for i in 0..~I[0]~ {}"), "IDX-4"));
  RULE_TRUE("IDX-4", has_error(around("var s: i32 = 4\nfor i in ~s~..9 {}"), "IDX-4"));
  RULE_TRUE("IDX-4", has_error(around("for i in 0..~i64(n)~ {}"), "IDX-4"));
  RULE_TRUE("IDX-4", has_error(around("for i in 0..~n < 2 ? 1 : n~ {}"), "IDX-4"));
  RULE_TRUE("IDX-4", has_error("program p { param n in 1..3 input A: f32[~f32(n)~] }", "IDX-4"));
  RULE_TRUE("IDX-4",
            errors(around("for i in max(0, n - 2)..min(8, 2*n) { for j in i..ceildiv(i + 1, 2) step 3 {} }")).empty());
}

TEST(IndexValues, Subscripts) {
  RULE_TRUE("IDX-5", has_error(around("~A[0]~ = 1"), "IDX-5"));
  RULE_TRUE("IDX-5", has_error(around("B[0] = ~B[0, 1]~"), "IDX-5"));
  RULE_TRUE("IDX-5", has_error(around("B[0] = ~B[]~"), "IDX-5"));
  RULE_TRUE("IDX-5", has_error(around("B[~B[0]~] = 1"), "IDX-5"));
  RULE_TRUE("IDX-5", has_error(around("B[~n < 1~] = 1"), "IDX-5"));
  RULE_TRUE("IDX-5", errors("program p { inout A: f32[] inout I: u8[4] A[] = A[] + 1 I[I[I[0]]] = 2 }").empty());
}

TEST(IndexValues, Divisors) {
  RULE_TRUE("IDX-6", has_error(around("B[~floordiv(n, 0)~] = 1"), "IDX-6"));
  RULE_TRUE("IDX-6", has_error(around("B[~floormod(n, -2)~] = 1"), "IDX-6"));
  RULE_TRUE("IDX-6", has_error(around("B[~ceildiv(8, n)~] = 1"), "IDX-6"));
}

TEST(IndexValues, Requirements) {
  const auto with = [](const char* r) {
    return std::string("program p { param n in 1..9 param m in 1..9 inout B: f32[4]\nrequire ") + r + " }";
  };
  RULE_TRUE("IDX-7", errors(with("floormod(n, 4) == 0 && (n < m || !(m <= 2*n - 1))")).empty());
  RULE_TRUE("IDX-7", has_error(with("~B[0] < 1~"), "IDX-7"));
  RULE_TRUE("IDX-7", has_error(with("~i64(n)*i64(m) < 4~"), "IDX-7"));
  RULE_TRUE("IDX-7", has_error(with("~n < m ? true : false~"), "IDX-7"));
  RULE_TRUE("IDX-7", has_error(with("~n~"), "TYPE-5"));
}

TEST(IndexValues, AsData) {
  RULE_TRUE("IDX-8", has_error(around("B[0] = ~n~"), "IDX-8"));
  RULE_TRUE("IDX-8", has_error(around("B[0] = ~B[1] * n~"), "IDX-8"));
  RULE_TRUE("IDX-8", has_error(around("if ~I[0] < n~ {}"), "IDX-8"));
  RULE_TRUE("IDX-8", has_error(around("I[0] = ~n + 1~"), "IDX-8"));
  RULE_TRUE("IDX-8", errors(around("for i in 0..4 { if i < n { B[i] = f32(i) * 2 } }")).empty());
}

}  // namespace
}  // namespace assay::test
