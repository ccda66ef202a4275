// Random i32 programs: the interpreter and the naive formulation agree, values and faults.
#include <map>

#include "exec_naive.hpp"
#include "exec_support.hpp"
#include "interp/random.hpp"
#include "ir/traverse.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

// Random well-typed programs over small buffers. Most subscripts are kept inside by a remainder, some are not.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Program program() {
    Program p;
    p.buffers = {{"A", BufferKind::input, Type::i32, {Index(6)}},
                 {"C", BufferKind::output, Type::i32, {Index(3)}},
                 {"X", BufferKind::inout, Type::i32, {Index(4), Index(3)}}};
    p.body.push_back(
        make_loop("z", 0, 3, 1, Axis::serial, {make_store("C", {make_index(Index::symbol("z"))}, number())}));
    p.body = block(3 + random_.below(3), 0, false, std::move(p.body));
    return p;
  }

 private:
  std::uint64_t one_in(std::uint64_t n) { return random_.below(n) == 0; }
  Symbol fresh(const char* stem) { return std::string(stem) + std::to_string(next_++); }

  // `lanes`: inside a vectorized loop.
  Block block(std::uint64_t statements, int depth, bool lanes, Block b = {}) {
    const auto variables = variables_;
    const auto symbols = symbols_;
    for (; statements > 0; --statements) b.push_back(statement(depth, lanes));
    variables_ = variables;
    symbols_ = symbols;
    return b;
  }
  Stmt statement(int depth, bool lanes) {
    const std::uint64_t kind = random_.below(depth < 4 ? 10 : 5);
    if (kind == 0) {
      const Symbol name = fresh("s");
      const Expr initial = one_in(6) ? Expr() : value(2);
      variables_.push_back({name, lanes});
      return make_declare(name, Type::i32, initial);
    }
    if (kind == 1) {
      // Assigning a variable from outside the lanes mostly is a fault; do it seldom.
      for (const auto& [name, in_lanes] : variables_) {
        if ((in_lanes == lanes || one_in(12)) && one_in(2)) return make_assign(name, value(3));
      }
    }
    if (kind < 5)
      return one_in(2) ? make_store("X", {subscript(4, lanes), subscript(3, lanes)}, value(3))
                       : make_store("C", {subscript(3, lanes)}, value(3));
    if (kind < 7) {
      const Expr c = condition();
      Block then = block(1 + random_.below(2), depth + 1, lanes);
      return make_branch(c, std::move(then), one_in(2) ? block(1, depth + 1, lanes) : Block{});
    }
    const Symbol symbol = fresh("i");
    Index lo(static_cast<std::int64_t>(random_.below(3)) - 1);
    if (one_in(3)) lo = lo + affine();
    const Index hi = lo + static_cast<std::int64_t>(random_.below(4)) + (one_in(4) ? floormod(affine(), 3) : Index(0));
    constexpr Axis axes[] = {Axis::serial,     Axis::serial,     Axis::unrolled,
                             Axis::vectorized, Axis::vectorized, Axis::grid};
    Axis axis = axes[random_.below(6)];
    if (axis == Axis::grid && (lanes || scope_)) axis = Axis::serial;
    const auto symbols = symbols_;
    symbols_.push_back(symbol);
    Block body = block(1 + random_.below(3), depth + 1, lanes || axis == Axis::vectorized);
    symbols_ = symbols;
    return make_loop(symbol, lo, hi, 1 + static_cast<std::int64_t>(random_.below(2)), axis, std::move(body));
  }
  Index affine() {
    Index e(static_cast<std::int64_t>(random_.below(4)));
    for (const Symbol& s : symbols_) {
      if (one_in(2)) e = e + Index::symbol(s) * (static_cast<std::int64_t>(random_.below(4)) - 1);
    }
    return e;
  }
  // In lanes the innermost symbol alone, mostly: stores of several lanes to one cell are faults.
  Expr subscript(std::int64_t dim, bool lanes) {
    if (one_in(20)) return make_index(affine());
    if (lanes && !one_in(8) && !symbols_.empty())
      return make_index(floormod(Index::symbol(symbols_.back()) + static_cast<std::int64_t>(random_.below(3)), dim));
    if (one_in(8)) return make_op(Op::floormod, {value(1), make_literal(wrap_int(Type::i32, dim))});
    return make_index(floormod(affine(), dim));
  }
  Expr number() { return make_literal(wrap_int(Type::i32, static_cast<Int128>(random_.below(9)) - 3)); }
  Expr condition() {
    switch (random_.below(5)) {
      case 0: return make_op(Op::lt, {make_index(affine()), make_index(affine())});
      case 1: return make_op(Op::land, {make_op(Op::lt, {value(1), value(1)}), make_op(Op::eq, {value(1), number()})});
      case 2: return make_op(Op::lor, {make_op(Op::lt, {value(1), value(1)}), make_op(Op::eq, {value(1), number()})});
      default: return make_op(Op::lt, {value(2), value(1)});
    }
  }
  Expr value(int depth) {
    const std::uint64_t kind = random_.below(depth > 0 ? 14 : 5);
    switch (kind) {
      case 0: return number();
      case 1:
        if (!variables_.empty()) return make_variable(variables_[random_.below(variables_.size())].first, Type::i32);
        return number();
      case 2: return make_load("A", Type::i32, {subscript(6, false)});
      case 3: return make_load("X", Type::i32, {subscript(4, false), subscript(3, false)});
      case 4: return make_convert(Type::i32, make_index(affine()));
      case 5: return make_op(Op::select, {condition(), value(depth - 1), value(depth - 1)});
      case 6: return make_op(Op::choice, {condition(), value(depth - 1), value(depth - 1)});
      case 7:
        return one_in(3) ? make_op(Op::floormod, {value(depth - 1), value(depth - 1)})
                         : make_load("C", Type::i32, {subscript(3, false)});
      case 8: return scope();
      default: {
        constexpr Op ops[] = {Op::add, Op::sub, Op::mul, Op::max, Op::min};
        return make_op(ops[random_.below(5)], {value(depth - 1), value(depth - 1)});
      }
    }
  }
  // A scope sets its variable, and perhaps accumulates into it over a loop.
  Expr scope() {
    if (scope_) return number();
    scope_ = true;
    const Symbol name = fresh("x");
    Block body{make_assign(name, value(1))};
    const auto symbols = symbols_;
    symbols_.push_back(fresh("k"));
    const Index hi(static_cast<std::int64_t>(random_.below(4)));
    Stmt update = make_assign(name, make_op(Op::add, {make_variable(name, Type::i32), value(1)}));
    if (one_in(2)) update = make_branch(condition(), {update});
    body.push_back(make_loop(symbols_.back(), 0, hi, 1, one_in(3) ? Axis::unrolled : Axis::serial, {update}));
    symbols_ = symbols;
    if (one_in(8)) body.erase(body.begin());
    scope_ = false;
    return make_scope(name, Type::i32, std::move(body));
  }

  interp::Random random_;
  int next_ = 0;
  bool scope_ = false;
  std::vector<Symbol> symbols_{};
  std::vector<std::pair<Symbol, bool>> variables_{};
};

TEST(ExecProperty, AgreesWithTheNaiveFormulation) {
  const TensorMap inputs{{"A", row(Type::i32, {0, 1, -2, 3, 0, 7})},
                         {"X", tensor(Type::i32, {4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})}};
  interp::Options options;
  options.detect_races = true;  // must not change anything
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Program p = Generator(seed).program();
    const std::string expected = run_naively(p, inputs);
    const auto outcome = run_both(p, inputs, options);
    RULE_TRUE("EXEC-20", expected == summary(outcome))
        << "seed " << seed << "\n"
        << print(p) << "naive:  " << expected << "\ninterp: " << summary(outcome);
    if (HasFailure()) break;
    ++seen[outcome.status == interp::Status::ok ? "ok" : outcome.fault->code];
    seen["race"] += outcome.race.has_value();
  }
  // Faults of every sort and enough runs to the end, or the generator has gone blind.
  EXPECT_GT(seen["ok"], 600);
  for (const char* code : {"RUN-1", "RUN-2", "RUN-3", "RUN-7"}) EXPECT_GT(seen[code], 30) << code;
  EXPECT_GT(seen["race"], 30);
}

}  // namespace
}  // namespace assay::test
