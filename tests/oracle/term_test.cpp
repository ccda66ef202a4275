// What the proofs think an integer index or condition means, against what the interpreter's arithmetic computes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "interp/numerics.hpp"
#include "proofs/isl/query.hpp"
#include "proofs/validate/instance.hpp"
#include "proofs/validate/table.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

using Point = std::map<Symbol, std::int64_t>;

// Integer division by zero sets a flag, as in a run.
Scalar evaluate(const Expr& e, const Point& at, numerics::Flags& flags) {
  const auto of = [&](std::size_t i) { return evaluate(e->args[i], at, flags); };
  switch (e->op) {
    case Op::literal: return e->literal;
    case Op::index: {
      const auto v = e->index.evaluate([&](const Symbol& s) -> std::optional<std::int64_t> { return at.at(s); });
      return {Type::index, static_cast<std::uint64_t>(v.value())};
    }
    case Op::convert: return numerics::convert(e->type, of(0), flags);
    case Op::choice: return of(of(0).bits != 0 ? 1 : 2);
    default: break;
  }
  Scalar operands[3];
  for (std::size_t i = 0; i < e->args.size(); ++i) operands[i] = of(i);
  return numerics::apply(e->op, operands, flags);
}

const Type types[] = {Type::i8, Type::u8, Type::i16, Type::u16, Type::i32, Type::u32, Type::i64, Type::u64};

Expr random_integer(Type t, int depth);

Expr random_comparison(Type t, int depth) {
  const Op ops[] = {Op::eq, Op::ne, Op::lt, Op::le, Op::gt, Op::ge};
  return make_op(ops[*rc::gen::inRange(0, 6)], {random_integer(t, depth), random_integer(t, depth)});
}

Expr random_integer(Type t, int depth) {
  const auto below = [&] { return random_integer(t, depth - 1); };
  switch (depth == 0 ? *rc::gen::inRange(0, 3) : *rc::gen::inRange(0, 10)) {
    case 0: return make_literal(wrap_int(t, *rc::gen::inRange(-6, 7)));
    case 1:
      return make_convert(t, make_index(Index::symbol("i") * *rc::gen::element(1, 3, -5) + *rc::gen::inRange(-4, 40)));
    case 2: return make_convert(t, make_index(Index::symbol(*rc::gen::element<std::string>("i", "j", "n"))));
    case 3: return make_op(Op::neg, {below()});
    case 4: return make_convert(t, random_integer(types[*rc::gen::inRange(0, 8)], depth - 1));
    case 5: return make_op(Op::choice, {random_comparison(t, depth - 1), below(), below()});
    case 6: return make_op(*rc::gen::element(Op::max, Op::min), {below(), below()});
    case 7:
      return make_op(*rc::gen::element(Op::floordiv, Op::floormod, Op::ceildiv, Op::truncdiv, Op::truncmod, Op::eucdiv,
                                       Op::eucmod),
                     {below(), below()});
    default: return make_op(*rc::gen::element(Op::add, Op::sub, Op::mul), {below(), below()});
  }
}

struct Setting {
  Program program =
      test::program("program p { param n in 1..6 output O: f32[1] for i in -7..90 { for j in 0..n { O[0] = 0.0 } } }");
  derive::View view{program};
  const Node& node = view.extraction.nodes.front();
  derive::Instance instance{&view, &node, {{"i", Index::symbol("i")}, {"j", Index::symbol("j")}}, {}};
  Point point() const {
    const std::int64_t n = *rc::gen::inRange(1, 6);
    return {{"n", n}, {"i", *rc::gen::inRange(-7, 90)}, {"j", *rc::gen::inRange<std::int64_t>(0, n)}};
  }
};

Formula at(const Formula& f, const Point& p) {
  std::map<Symbol, Index> constants;
  for (const auto& [s, v] : p) constants.emplace(s, Index(v));
  return f.substitute(constants);
}

RC_GTEST_PROP(Term, has_the_interpreters_value_and_no_other, ()) {
  const Setting setting;
  const Expr e = random_integer(types[*rc::gen::inRange(0, 8)], 3);
  const derive::Term term = derive::integer_term(setting.instance, e, "");
  const auto isl = make_isl_query();
  for (int k = 0; k < 4; ++k) {
    const Point point = setting.point();
    numerics::Flags flags;
    const Int128 v = int_value(evaluate(e, point, flags));
    if (flags.divide_by_zero || v > INT64_MAX) continue;
    const Formula value = Formula::eq(term.value, Index(static_cast<std::int64_t>(v)));
    const Answer with = isl->solve(at(term.facts & value, point));
    RC_ASSERT(test::record_rule("PRF-26", with.kind != Answer::Kind::empty));
    if (!term.exact || !term.pure) continue;
    const Answer without = isl->solve(at(term.facts & !value, point));
    RC_ASSERT(test::record_rule("PRF-26", without.kind != Answer::Kind::solution));
  }
}

RC_GTEST_PROP(Term, decides_conditions_as_the_interpreter_does, ()) {
  const Setting setting;
  const Type t = types[*rc::gen::inRange(0, 8)];
  const Expr e = make_op(*rc::gen::element(Op::land, Op::lor),
                         {random_comparison(t, 2), make_op(Op::lnot, {random_comparison(t, 1)})});
  const auto yes = derive::decided_condition(setting.instance, e, true);
  const auto no = derive::decided_condition(setting.instance, e, false);
  RC_ASSERT(yes.has_value() == no.has_value());
  RC_PRE(yes.has_value());
  const auto isl = make_isl_query();
  for (int k = 0; k < 4; ++k) {
    const Point point = setting.point();
    numerics::Flags flags;
    const bool holds = evaluate(e, point, flags).bits != 0;
    if (flags.divide_by_zero) continue;
    RC_ASSERT(test::record_rule("PRF-33", isl->solve(at(holds ? *yes : *no, point)).kind != Answer::Kind::empty));
    RC_ASSERT(test::record_rule("PRF-33", isl->solve(at(holds ? *no : *yes, point)).kind != Answer::Kind::solution));
  }
}

RC_GTEST_PROP(Term, a_table_says_each_element_and_no_other, ()) {
  const Type t = types[*rc::gen::inRange(0, 8)];
  const int rows = *rc::gen::inRange(1, 4), columns = *rc::gen::inRange(1, 12);
  Buffer table{"P", BufferKind::constant, t, {Index(rows), Index(columns)}};
  int last = 0, step = 0;
  for (int k = 0; k < rows * columns; ++k) {
    if (*rc::gen::inRange(0, 3) == 0) step = *rc::gen::inRange(-2, 3);
    if (*rc::gen::inRange(0, 4) == 0) last = *rc::gen::inRange(-9, 10);
    table.data.push_back(wrap_int(t, last += step));
  }
  const auto fact = derive::table_fact(table, {Index::symbol("i"), Index::symbol("j")}, Index::symbol("v"));
  RC_PRE(fact.has_value());
  const auto isl = make_isl_query();
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const Int128 v = int_value(table.data[static_cast<std::size_t>(i * columns + j)]);
      const Formula here = at(*fact, {{"i", i}, {"j", j}});
      const Formula value = Formula::eq(Index::symbol("v"), Index(static_cast<std::int64_t>(v)));
      RC_ASSERT(test::record_rule("PRF-119", isl->solve(here & value).kind == Answer::Kind::solution));
      RC_ASSERT(test::record_rule("PRF-119", isl->solve(here & !value).kind == Answer::Kind::empty));
    }
  }
}

}  // namespace
}  // namespace assay
