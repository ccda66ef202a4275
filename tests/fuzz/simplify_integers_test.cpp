// `simplify` on random integer expressions of every type: whatever it writes is proved, and runs the same.
// ASSAY_PROPERTY_CASES makes the test small, ASSAY_PROPERTY_SEED takes another seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fuzz/targets/paired_runs.hpp"
#include "interp/random.hpp"
#include "ir/text/source.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"
#include "property_run.hpp"
#include "tests/support/rules.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {
namespace {

constexpr Type types[] = {Type::i8, Type::i16, Type::i32, Type::i64, Type::u8, Type::u16, Type::u32, Type::u64};

// What a 64-bit type holds, as digits.
std::string print_integer(Int128 v) {
  return v < 0 ? fmt::format("-{}", static_cast<std::uint64_t>(-v)) : fmt::format("{}", static_cast<std::uint64_t>(v));
}

class Expressions {
 public:
  explicit Expressions(interp::Random& random) : random_(random) {}

  std::string of(Type t, int depth) {
    const std::string type(assay::name(t));
    const auto part = [&] { return of(t, depth - 1); };
    if (depth == 0 || one_in(6)) return leaf(t);
    switch (random_.below(9)) {
      case 0:
      case 1: return "(" + part() + pick({" + ", " - ", " * "}) + part() + ")";
      case 2: return "(-" + part() + ")";
      case 3: return pick({"abs(", "relu("}) + part() + ")";
      case 4: return pick({"max(", "min("}) + part() + ", " + part() + ")";
      case 5:
        return pick({"floordiv(", "floormod(", "ceildiv(", "truncdiv(", "truncmod(", "eucdiv(", "eucmod("}) + part() +
               ", " + divisor(t) + ")";
      case 6: return "(" + condition(depth - 1) + " ? " + part() + " : " + part() + ")";
      case 7: return "select(" + condition(depth - 1) + ", " + part() + ", " + part() + ")";
      default: return type + "(" + of(some_type(), depth - 1) + ")";
    }
  }

 private:
  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
  Type some_type() { return types[random_.below(std::size(types))]; }
  std::string pick(std::initializer_list<const char*> list) { return list.begin()[random_.below(list.size())]; }

  std::string literal(Type t) {
    const IntRange r = int_range(t);
    const Int128 at[] = {0, 0, 1, 1, 2, 3, -1, r.lo, r.lo + 1, r.hi, r.hi - 1, r.hi / 2 + 1};
    const Int128 v = std::max(at[random_.below(std::size(at))], r.lo);
    return fmt::format("{}(({}))", assay::name(t), print_integer(v));
  }
  std::string divisor(Type t) {
    std::string d = pick({"1", "2", "3", "7"});
    if (is_signed_int(t) && one_in(2)) d = "-" + d;
    return fmt::format("{}(({}))", assay::name(t), d);
  }
  std::string leaf(Type t) {
    switch (random_.below(5)) {
      case 0: return fmt::format("{}(i)", assay::name(t));
      case 1: return fmt::format("{}(floordiv(i, 4))", assay::name(t));
      case 2: return fmt::format("x_{}[{}]", assay::name(t), pick({"i", "0", "floormod(i, 4)"}));
      default: return literal(t);
    }
  }
  std::string condition(int depth) {
    if (one_in(3)) return pick({"i < 9", "i < 2", "i >= 4", "i == 0 || i < 8", "i > 1 && i < 7"});
    const Type t = some_type();
    return "(" + of(t, depth > 0 ? depth - 1 : 0) + pick({" < ", " <= ", " > ", " >= ", " == ", " != "}) +
           of(t, depth > 0 ? depth - 1 : 0) + ")";
  }

  interp::Random& random_;
};

TEST(SimplifyIntegers, what_it_writes_is_proved) {
  const char* cases = std::getenv("ASSAY_PROPERTY_CASES");
  const char* seed = std::getenv("ASSAY_PROPERTY_SEED");
  const int wanted = cases ? std::max(50, std::atoi(cases)) : 400;
  const auto query = make_portfolio_query();
  std::string inputs;
  for (const Type t : types) inputs += fmt::format("input x_{0}: {0}[4] ", assay::name(t));
  ScheduleLine line;
  line.op = line.text = "simplify";
  int simplified = 0, judged = 0, same = 0;
  for (std::uint64_t k = 0; simplified < wanted && k < 20U * static_cast<unsigned>(wanted); ++k) {
    interp::Random random(interp::seed_for("simplify-integers", (seed ? std::strtoull(seed, nullptr, 10) : 1) + k));
    const Type t = types[random.below(std::size(types))];
    const std::string value = Expressions(random).of(t, 3);
    const std::string text =
        fmt::format("program p {{ {}output Y: {}[4] for i in 0..4 {{ Y[i] = {} }} }}", inputs, assay::name(t), value);
    const auto source = parse_source(text, "p.air");
    ASSERT_TRUE(source) << text;
    const Program before = number_statements(source->programs.at(0));
    ASSERT_TRUE(check_well_formed(before).empty()) << text;
    const auto after = apply_line(before, line, *query);
    if (!after) continue;
    ++simplified;
    bool proved = true;
    for (const Obligation& o : validate(before, after->program, *query).obligations) {
      if (o.status == Obligation::Status::proved) continue;
      proved = false;
      ADD_FAILURE() << o.code << " " << o.reason << "\n" << value << "\n" << print(after->program);
    }
    judged += proved ? 1 : 0;
    const bool equal = !runs_differ(before, after->program);
    EXPECT_TRUE(equal) << value << "\n" << print(after->program);
    same += equal ? 1 : 0;
  }
  fmt::print("{} of {} simplified expressions proved, {} run the same\n", judged, simplified, same);
  EXPECT_EQ(wanted, simplified);
  RULE_EQ("PRF-75", simplified, judged);
  RULE_EQ("SIMP-2", simplified, same);
}

}  // namespace
}  // namespace assay::fuzz
