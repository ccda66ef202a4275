// The algebra of index values against plain evaluation, and the parts of trees that rest on it (IDX-1, IDX-2).
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "ir/common_divisor.hpp"
#include "ir/traverse.hpp"
#include "random_program.hpp"
#include "tests/support/rules.hpp"
#include "text_support.hpp"

namespace assay::test {
namespace {

using Values = std::map<Symbol, std::int64_t>;
using Meaning = std::function<std::int64_t(const Values&)>;

// An index value and what it must evaluate to, built side by side.
struct Pair {
  Index index;
  Meaning meaning;
};

class Pairs {
 public:
  explicit Pairs(std::uint64_t seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }

  Pair make(int depth) {
    if (depth == 0 || below(6) == 0) {
      if (below(3) == 0) {
        const std::int64_t c = below(21) - 10;
        return {Index(c), [c](const Values&) { return c; }};
      }
      const Symbol s = symbols[below(3)];
      return {Index::symbol(s), [s](const Values& v) { return v.at(s); }};
    }
    const Pair a = make(depth - 1);
    const Pair b = make(depth - 1);
    const std::int64_t c = 1 + below(9);
    const auto unary = [&](const Index& i, auto f) {
      return Pair{i, [m = a.meaning, c, f](const Values& v) { return f(m(v), c); }};
    };
    const auto binary = [&](const Index& i, auto f) {
      return Pair{i, [m = a.meaning, n = b.meaning, f](const Values& v) { return f(m(v), n(v)); }};
    };
    switch (below(8)) {
      case 0: return binary(a.index + b.index, [](auto x, auto y) { return x + y; });
      case 1: return binary(a.index - b.index, [](auto x, auto y) { return x - y; });
      case 2: return unary(a.index * (c - 5), [](auto x, auto k) { return x * (k - 5); });
      case 3: return unary(floordiv(a.index, c), [](auto x, auto k) { return floor_div(x, k); });
      case 4: return unary(floormod(a.index, c), [](auto x, auto k) { return floor_mod(x, k); });
      case 5: return unary(ceildiv(a.index, c), [](auto x, auto k) { return -floor_div(-x, k); });
      case 6: return binary(min({a.index, b.index}), [](auto x, auto y) { return std::min(x, y); });
      default: return binary(max({a.index, b.index}), [](auto x, auto y) { return std::max(x, y); });
    }
  }
  Values values() {
    Values v;
    for (const char* s : symbols) v[s] = below(61) - 30;
    return v;
  }

 private:
  static constexpr const char* symbols[] = {"i", "j", "n"};
  std::mt19937_64 engine_;
};

std::optional<std::int64_t> evaluate(const Index& i, const Values& values) {
  return i.evaluate([&](const Symbol& s) { return std::optional<std::int64_t>(values.at(s)); });
}

// The least int64 has no magnitude of its type.
TEST(IndexAlgebra, CoefficientsAtTheEdge) {
  const Index i = Index::symbol("i");
  EXPECT_EQ(std::int64_t{1} << 62, common_divisor(INT64_MIN, 0));
  EXPECT_EQ(std::int64_t{1} << 62, common_divisor(INT64_MIN, INT64_MIN));
  EXPECT_EQ(4, common_divisor(INT64_MIN, -12));
  EXPECT_EQ(6, common_divisor(-6, 0));
  const Index e = i * INT64_MIN;
  EXPECT_EQ((std::optional<std::int64_t>{INT64_MIN / 8}),
            floordiv(e, 8).evaluate([](const Symbol&) { return std::optional<std::int64_t>(1); }));
}

TEST(IndexAlgebra, CanonicalFormsKeepTheValue) {
  int wrong = 0;
  int wrong_after_substitution = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Pairs pairs(seed);
    const Pair p = pairs.make(5);
    const Pair q = pairs.make(2);
    const Index substituted = p.index.substitute({{"i", q.index}});
    for (int k = 0; k < 8; ++k) {
      Values v = pairs.values();
      if (evaluate(p.index, v) != p.meaning(v)) ++wrong;
      Values w = v;
      w["i"] = q.meaning(v);
      if (evaluate(substituted, v) != p.meaning(w)) ++wrong_after_substitution;
    }
  }
  RULE_EQ("IDX-1", 0, wrong);
  RULE_EQ("IDX-1", 0, wrong_after_substitution);
}

TEST(IndexAlgebra, EqualValuesOfSumsLookEqual) {
  int different = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Pairs pairs(seed);
    const Index a = pairs.make(3).index;
    const Index b = pairs.make(3).index;
    const Index c = pairs.make(3).index;
    const bool same = a + b == b + a && (a + b) + c == a + (b + c) && a - a == Index(0) && a - b == a + b * -1 &&
                      (a + b) * 3 == a * 3 + b * 3 && min({a, b}) == min({b, a}) &&
                      min({a, min({b, c})}) == min({min({a, b}), c}) && max({a, b, a}) == max({a, b}) &&
                      min({a + 2, b + 2}).evaluate([](const Symbol&) { return 5; }) ==
                          (min({a, b}) + 2).evaluate([](const Symbol&) { return 5; });
    if (!same) ++different;
  }
  RULE_EQ("IDX-1", 0, different);
}

TEST(IndexAlgebra, OverflowIsKept) {
  const Index n = Index::symbol("n");
  const Index big = n * INT64_MAX;
  RULE_TRUE("IDX-1", (big + n).overflowed() && (big + big).overflowed() && (big * 2).overflowed() && !big.overflowed());
  RULE_TRUE("IDX-1", ((big + big) - big).overflowed() && floordiv(big + big, 2).overflowed() &&
                         min({big + big, Index(0)}).overflowed());
  RULE_TRUE("IDX-1", (Index(INT64_MAX) + 1).overflowed() && (Index(INT64_MIN) - 1).overflowed() &&
                         (Index(INT64_MIN) * -1).overflowed());
  RULE_TRUE("IDX-1", min({min({n + INT64_MAX, Index::symbol("m")}) + 1, Index(3)}).overflowed());
  RULE_TRUE("IDX-2", !(big + big).evaluate([](const Symbol&) { return 0; }));
}

// What a transform does to copy a body: fresh binders, equal otherwise.
TEST(Trees, RefreshedBindersAreFresh) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Program p = random_program(seed, 80);
    NameSupply names(p.bound_names());
    Program twice = p;
    for (const Stmt& s : refresh_binders(p.body, names)) twice.body.push_back(s);
    const auto faults = check_well_formed(twice);
    ASSERT_TRUE(faults.empty()) << faults[0].message << "\n" << print(twice);
    Program copy = p;
    copy.body.assign(twice.body.begin() + static_cast<std::ptrdiff_t>(p.body.size()), twice.body.end());
    ASSERT_EQ(p.body.size(), copy.body.size());
    std::set<Symbol> outer;
    for (const Parameter& x : p.parameters) outer.insert(x.name);
    for (const Buffer& x : p.buffers) outer.insert(x.name);
    const std::set<Symbol> before = p.bound_names();
    const std::set<Symbol> after = copy.bound_names();
    EXPECT_EQ(before.size(), after.size());
    for (const Symbol& s : before) EXPECT_EQ(outer.count(s), after.count(s)) << s;
  }
}

TEST(Trees, NamesThatAreFree) {
  NameSupply names({"i", "i.2", "j.7"});
  EXPECT_EQ("i.1", names.fresh("i"));
  EXPECT_EQ("i.3", names.fresh("i"));
  EXPECT_EQ("i.4", names.fresh("i.2"));
  EXPECT_EQ("j", names.fresh("j"));
  EXPECT_EQ("j.1", names.fresh("j.7"));
  EXPECT_EQ("k.5", names.fresh("k.5"));
  EXPECT_EQ("k", stem("k.5"));
}

TEST(Trees, StatementsAreNumberedInPreorder) {
  const Program p = number_statements(program_of(
      around("for i in 0..4 { B[i] = scope x: f32 { x = 1 } } if n < 2 { zero B } else { zero A } B[0] = 1")));
  std::vector<int> seen;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    seen.push_back(s->provenance->statement);
    return true;
  };
  visit(p.body, v);
  EXPECT_EQ((std::vector<int>{0, 1, 2, 3, 4, 5, 6}), seen);
  EXPECT_EQ(Index::symbol("i"), p.body[0]->body[0]->provenance->to_source.at("i"));
  EXPECT_TRUE(p.body[1]->provenance->to_source.empty());
}

TEST(Index, RemaindersOfRemaindersAreTakenTogether) {
  const Index t = Index::symbol("t");
  RULE_TRUE("IDX-1", floormod(floormod(floormod(t, 4), 8), 4) == floormod(t, 4));
  RULE_TRUE("IDX-1", floormod(floormod(floormod(t, 12) + t, 24), 6) == floormod(t * 2, 6));
}

}  // namespace
}  // namespace assay::test
