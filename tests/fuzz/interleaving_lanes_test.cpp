// Lanes and blocks of 128 bits in the judge that runs threads in every order: against the interpreter on programs of one thread,
// and in random programs of threads (PLL-60, PLL-64). ASSAY_INTERLEAVING_CASES sets the number of programs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "fuzz/generators/random_program.hpp"
#include "fuzz/judges/interleavings.hpp"
#include "fuzz/targets/thread_property.hpp"
#include "interleaving_size.hpp"
#include "interp/inputs.hpp"
#include "interp/interpreter.hpp"
#include "ir/traverse.hpp"
#include "proofs/portfolio/query.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"

namespace assay::fuzz {
namespace {

bool has_lanes(const Program& p) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    found |= s->kind == StmtKind::loop && s->axis == Axis::vectorized;
    return true;
  };
  visit(p.body, v);
  return found;
}

std::optional<Interleavings> all_orders(const Program& p, const ParameterMap& size = {}) {
  return explore_interleavings(p, size, interp::generate_inputs(p, size, interp::InputKind::exact, 1));
}

TEST(InterleavingLanes, known_programs_end_as_known) {
  const auto ends = [](const std::string& body) {
    const auto found = all_orders(test::program("program p { " + body + " }"));
    if (found && found->endings.size() > 1) return std::string("in several ways");
    return found && found->complete ? found->endings[0].fault : "not explored";
  };
  // All lanes load before one stores; two of them with one target are a fault; each has variables of its own.
  RULE_EQ("PLL-64", "", ends("inout y: i32[5] for l in 0..4 @vectorized { y[l + 1] = y[l] }"));
  RULE_EQ("PLL-64", "RUN-7", ends("inout y: i32[5] for l in 0..4 @vectorized { y[floordiv(l, 2)] = 1 }"));
  RULE_EQ("PLL-64", "RUN-7", ends("inout y: i32[5] var v: i32 = 0 for l in 0..4 @vectorized { v = 1 } y[0] = v"));
  RULE_EQ("PLL-64", "", ends("inout y: i32[5] for l in 0..4 @vectorized { var v: i32 = y[l] y[3 - l] = v }"));
  // The lanes of one thread are not ordered with those of another.
  const std::string shared = "input x: i32[8] output y: i32[8] shared s: i32[8] for t in 0..2 @workgroup { ";
  const std::string fill = "for l in 0..4 @vectorized { s[4*t + l] = x[4*t + l] } ";
  const std::string use = "for m in 0..4 @vectorized { y[4*t + m] = s[7 - m - 4*t] } }";
  RULE_EQ("PLL-64", "", ends(shared + fill + "barrier " + use));
  RULE_EQ("PLL-64", "in several ways", ends(shared + fill + use));
  RULE_EQ("PLL-64", "in several ways",
          ends("inout y: i32[2] for t in 0..2 @workgroup { for l in 0..2 @vectorized { y[l] += 1 } }"));
  // Blocks.
  const std::string blocks =
      "input key: u32x4[1] output y: u32[2] shared s: u32x4[2] for t in 0..2 @workgroup { "
      "s[t] = threefry_light(key[0], u32x4(u32(t), 0, 0, 0)) ";
  RULE_EQ("PLL-64", "", ends(blocks + "barrier y[t] = word(s[1 - t], 3) }"));
  RULE_EQ("PLL-64", "in several ways", ends(blocks + "y[t] = word(s[1 - t], 3) }"));
  // Two stores that differ in their upper words alone.
  RULE_EQ("PLL-64", "in several ways",
          ends("output y: u32[1] shared s: u32x4[1] for t in 0..2 @workgroup { s[0] = u32x4(0, 0, 0, u32(t)) barrier "
               "if t == 0 { y[0] = word(s[0], 3) } }"));
}

TEST(InterleavingLanes, one_thread_ends_as_it_is_interpreted) {
  interp::Random random(interleaving_seed(31));
  int ended = 0, faulty = 0;
  const int wanted = interleaving_cases(600);
  for (int k = 0; ended + faulty < wanted && k < 40 * wanted; ++k) {
    const Program p = random_program(random, {4, false, false, true});
    if (!has_lanes(p)) continue;
    SCOPED_TRACE(print(p));
    for (const ParameterMap& size : small_sizes(p)) {
      const TensorMap inputs = interp::generate_inputs(p, size, interp::InputKind::exact, 1);
      const auto found = explore_interleavings(p, size, inputs);
      if (!found || !found->complete) continue;
      interp::Options options;
      options.parameters = size;
      const interp::Outcome run = interp::run(p, inputs, options);
      ASSERT_EQ(1U, found->endings.size());
      const Ending& end = found->endings[0];
      RULE_EQ("PLL-64", run.fault ? run.fault->code : std::string(), end.fault);
      RULE_TRUE("PLL-64", run.fault || run.outputs == end.outputs);
      ++(run.fault ? faulty : ended);
      break;
    }
    if (testing::Test::HasFailure()) return;
  }
  fmt::print("one thread with lanes: {} end, {} in a fault\n", ended, faulty);
  EXPECT_GE(ended * 5, wanted);
  EXPECT_GE(faulty * 20, wanted);
}

// Four threads of two lanes: in each phase every lane computes its own cell of a tile from cells of any.
std::string phases_of_lanes(interp::Random& random) {
  const auto pick = [&](std::initializer_list<const char*> list) {
    return std::string(*(list.begin() + random.below(list.size())));
  };
  const auto any = [&] {
    return pick({"2*t + l", "2*t + l", "2*t + 1 - l", "7 - 2*t - l", "floormod(2*t + l + 2, 8)"});
  };
  std::string body;
  for (std::uint64_t k = 0, count = 2 + random.below(3); k < count; ++k) {
    const std::string to = pick({"S", "T", "Y"}), from = pick({"S", "T", "X"});
    std::string statement = to + "[2*t + l] = " + from + "[" + any() + "] + " + pick({"1", "X[2*t + l]", "i32(l)"});
    switch (random.below(5)) {
      case 0: statement = "if l < 1 { " + statement + " } else { " + to + "[2*t + l] = 3 }"; break;
      case 1: statement = "for k" + std::to_string(k) + " in 0..l + 1 { " + statement + " }"; break;
      case 2: statement = "var v" + std::to_string(k) + ": i32 = " + from + "[" + any() + "] " + statement; break;
      case 3: statement = "if X[t] > 0 { " + statement + " }"; break;
      default: break;
    }
    body += "for l in 0..2 @vectorized { " + statement + " }\n" + (random.below(5) != 0 ? "barrier\n" : "");
  }
  return "program p { input X: i32[8] inout Y: i32[8] inout S: i32[8] inout T: i32[8] for t in 0..4 @workgroup {\n" +
         body + "} }";
}

TEST(InterleavingLanes, threads_with_lanes) {
  const auto query = make_portfolio_query();
  interp::Random random(interleaving_seed(32));
  ThreadPropertyCounts c;
  for (int k = 0; k < interleaving_cases(200); ++k) {
    const Program p = number_statements(test::program(phases_of_lanes(random)));
    SCOPED_TRACE(print(p));
    judge_threads(p, *query, c);
  }
  fmt::print("threads with lanes: {}", summary(c));
  for (std::size_t k = 0; k < c.failures.size() && k < 3; ++k) ADD_FAILURE() << c.failures[k];
  RULE_TRUE("PLL-60", c.failures.empty());
  EXPECT_GE(c.equal * 5, c.programs);
  EXPECT_GE(c.differing * 20, c.programs);
}

}  // namespace
}  // namespace assay::fuzz
