// What places in the text decide about barriers (PLL-13 to PLL-17) against formulas alone and against enumeration: on all small
// programs of a store, a load, barriers, serial loops and conditions, and on random ones. And the barriers that nothing needs
// against proofs of the whole program without each of them (BAR-10).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "fuzz/generators/random_phases.hpp"
#include "fuzz/generators/random_threads.hpp"
#include "fuzz/judges/thread_races.hpp"
#include "ir/traverse.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/races.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"

namespace assay::fuzz {
namespace {

using Status = Obligation::Status;

struct Count {
  int programs = 0, ordered = 0, racy = 0, needless = 0, needed = 0;
};

bool all_proved(const std::vector<Obligation>& list) {
  return std::all_of(list.begin(), list.end(), [](const Obligation& o) { return o.status == Status::proved; });
}

void judge_both_ways(const Program& p, Query& query, bool enumerate, Count& count) {
  const derive::View view(p);
  const auto shorter = derive::thread_obligations(view, query);
  derive::ThreadQuestions formulas;
  formulas.by_text = false;
  const auto longer = derive::thread_obligations(view, query, formulas);
  ASSERT_EQ(longer.size(), shorter.size());
  for (std::size_t k = 0; k < longer.size(); ++k) {
    RULE_EQ("PLL-17", longer[k].claim, shorter[k].claim);
    if (longer[k].status == Status::undecided && shorter[k].status == Status::proved) continue;
    RULE_TRUE("PLL-17", longer[k].status == shorter[k].status) << longer[k].claim;
  }
  ++count.programs;
  const bool ordered = all_proved(shorter);
  ++(ordered ? count.ordered : count.racy);
  if (enumerate) {
    bool found = false;
    for (std::int64_t n = 1; n < 4; ++n) {
      const auto races = find_thread_races(p, {{"n", n}});
      if (races) found |= !races->uniform || races->thread_race;
    }
    RULE_TRUE("PLL-14", !(ordered && found));
    RULE_TRUE("PLL-15", !(ordered && found));
    RULE_TRUE("PLL-16", ordered || found);
  }
  if (!ordered || shorter.empty()) return;
  const std::vector<int> needless = unneeded_barriers(p, query);
  int number = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    const int barrier = number++;
    if (s->kind != StmtKind::barrier) return true;
    int next = 0;
    Program without = p;
    const std::function<Block(const Block&)> copy = [&](const Block& b) {
      Block out;
      for (const Stmt& t : b) {
        if (next++ == barrier) continue;
        out.push_back(with(t, [&](StmtNode& n) {
          n.body = copy(t->body);
          n.other = copy(t->other);
        }));
      }
      return out;
    };
    without.body = copy(p.body);
    const bool hinted = std::find(needless.begin(), needless.end(), barrier) != needless.end();
    ++(hinted ? count.needless : count.needed);
    RULE_TRUE("BAR-10", hinted == threads_are_ordered(without, query)) << "statement " << barrier;
    return true;
  };
  visit(p.body, v);
}

// Every balanced sequence of `length` tokens.
void sequences(int length, const std::function<void(const std::vector<int>&)>& f) {
  std::vector<int> tokens;
  const std::function<void(int)> grow = [&](int open) {
    const int left = length - static_cast<int>(tokens.size());
    if (left == 0) return f(tokens);
    for (int t = 0; t < 6; ++t) {
      if (t == 5 ? open == 0 : (t < 3 ? open > left - 1 : open + 1 > left - 1)) continue;
      tokens.push_back(t);
      grow(open + (t == 5 ? -1 : t < 3 ? 0 : 1));
      tokens.pop_back();
    }
  };
  grow(0);
}

TEST(PhasesProperty, all_small_programs) {
  const auto query = make_portfolio_query();
  Count count;
  for (int length = 2; length <= 5; ++length) {
    sequences(length, [&](const std::vector<int>& tokens) {
      const auto times = [&](int t) { return std::count(tokens.begin(), tokens.end(), t); };
      if (testing::Test::HasFailure() || times(0) == 0 || times(2) == 0) return;
      std::string body;
      int loops = 0;
      for (const int t : tokens) {
        switch (t) {
          case 0: body += "S[t] = A[t]\n"; break;
          case 1: body += "Y[t] = S[n - 1 - t]\n"; break;
          case 2: body += "barrier\n"; break;
          case 3: body += fmt::format("for k{} in 0..2 {{\n", loops++); break;
          case 4: body += "if n > 2 {\n"; break;
          default: body += "}\n";
        }
      }
      const std::string text = "program p { param n in 1..4  input A: f32[n]  inout Y: f32[n]  shared S: f32[n]\n" +
                               std::string("for t in 0..n @workgroup {\n") + body + "} }\n";
      SCOPED_TRACE(text);
      judge_both_ways(test::program(text), *query, true, count);
    });
  }
  fmt::print("programs {}: ordered {}, racy {}; barriers needless {}, needed {}\n", count.programs, count.ordered,
             count.racy, count.needless, count.needed);
  for (const int kind : {count.ordered, count.racy, count.needless, count.needed}) EXPECT_GE(kind, 50);
}

TEST(PhasesProperty, random_programs) {
  const char* cases = std::getenv("ASSAY_PROPERTY_CASES");
  const char* seed = std::getenv("ASSAY_PROPERTY_SEED");
  const int programs = cases ? std::max(50, std::atoi(cases) / 4) : 300;
  interp::Random random(seed ? std::strtoull(seed, nullptr, 10) : 20261201);
  const auto query = make_portfolio_query();
  Count count;
  for (int k = 0; k < programs && !testing::Test::HasFailure(); ++k) {
    const std::string text = k % 3 == 0 ? random_phases(random) : random_threads(random);
    SCOPED_TRACE(text);
    judge_both_ways(number_statements(test::program(text)), *query, false, count);
  }
  fmt::print("programs {}: ordered {}, racy {}; barriers needless {}, needed {}\n", count.programs, count.ordered,
             count.racy, count.needless, count.needed);
  EXPECT_GE(count.ordered * 10, programs);
  EXPECT_GE(count.racy * 10, programs);
}

}  // namespace
}  // namespace assay::fuzz
