// Random programs of threads, random ones with one fault planted, and random schedules that create threads, judged by running their
// threads in every order. ASSAY_INTERLEAVING_CASES sets the number of programs, ASSAY_PROPERTY_SEED the seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "fuzz/generators/random_conditions.hpp"
#include "fuzz/generators/random_phases.hpp"
#include "fuzz/generators/random_thread_schedule.hpp"
#include "fuzz/generators/random_threads.hpp"
#include "fuzz/judges/interleavings.hpp"
#include "fuzz/mutants/thread_faults.hpp"
#include "fuzz/targets/thread_property.hpp"
#include "interleaving_size.hpp"
#include "interp/inputs.hpp"
#include "interp/interpreter.hpp"
#include "ir/traverse.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {
namespace {

void report(const char* what, const ThreadPropertyCounts& c) {
  fmt::print("{}: {}", what, summary(c));
  for (std::size_t k = 0; k < c.failures.size() && k < 3; ++k) ADD_FAILURE() << c.failures[k];
  if (std::getenv("ASSAY_PLANTED_NOTES") == nullptr) return;
  for (const std::string& note : c.notes) fmt::print("--- {}\n", note);
}

Interleavings all_orders(const std::string& text, const ParameterMap& size = {}) {
  const Program p = test::program(text);
  const auto found = explore_interleavings(p, size, interp::generate_inputs(p, size, interp::InputKind::exact, 1));
  if (found) return *found;
  ADD_FAILURE() << "not explored: " << text;
  return {};
}

// Known outcomes: the judge itself can tell right from wrong.
TEST(Interleavings, known_programs_end_as_known) {
  const auto ends = [](const std::string& text) {
    const Interleavings i = all_orders(text);
    return std::make_pair(i.complete, i.differs());
  };
  const auto one = std::make_pair(true, false);
  RULE_EQ("PLL-62", one,
          ends("program p { input x: i32[4] output y: i32[4] shared s: i32[4] for t in 0..4 @workgroup { s[t] = x[t] "
               "barrier y[t] = s[3 - t] } }"));
  // Equal values in any order, from states that are all looked at.
  RULE_EQ("PLL-62", one, ends("program p { inout y: i32[1] for t in 0..5 @workgroup { y[0] = 7 } }"));
  RULE_EQ("PLL-62", one, ends("program p { input x: i32[6] inout y: i32[1] for t in 0..6 @reduce { y[0] += x[t] } }"));
  const auto different = [](const std::string& text) { return all_orders(text).differs(); };
  // A lost update, a group's too; a value that only one order in many leaves.
  RULE_TRUE("PLL-62", different("program p { inout y: i32[1] for t in 0..2 @workgroup { y[0] += 1 } }"));
  RULE_TRUE("PLL-62", different("program p { inout y: i32[1] for t in 0..2 @grid { y[0] += 1 } }"));
  RULE_TRUE(
      "PLL-62",
      different(
          "program p { inout y: i32[3] for t in 0..2 @workgroup { if t == 0 { y[0] = 1 y[1] = 1 } else { if y[1] == "
          "1 { if y[0] == 0 { y[2] = 1 } } } } }") == false);
  RULE_TRUE(
      "PLL-62",
      different("program p { inout y: i32[3] for t in 0..3 @workgroup { if t == 0 { y[0] = 99 } else { if t == 1 { "
                "if y[0] == 99 { y[1] = 99 } } else { if y[1] == 99 { y[2] = 99 } } } } }"));
  // Undefined in some orders, and a barrier that only some reach.
  RULE_TRUE("PLL-62",
            different("program p { output y: i32[2] shared s: i32[2] for t in 0..2 @workgroup { s[t] = 1 y[t] = "
                      "s[floormod(t + 1, 2)] } }"));
  RULE_TRUE("PLL-62",
            different("program p { inout y: i32[2] for t in 0..2 @workgroup { if t == 0 { barrier } y[t] = 1 } }"));
  // A tile product may be computed by any lane as soon as that one comes.
  const std::string tile =
      "program p { input A: i32[2, 2] inout C: i32[2, 2] inout S: i32[2, 2] for t in 0..2 @workgroup { for k in 0..2 { "
      "S[t, k] = "
      "A[t, k] }BARRIER } for l in 0..2 @tile { for i in 0..2 { for j in 0..2 { for k in 0..2 { C[i, j] += S[i, k] * "
      "S[k, j] } } "
      "} } }";
  std::string with = tile, without = tile;
  with.replace(with.find("BARRIER"), 7, " barrier");
  without.replace(without.find("BARRIER"), 7, "");
  RULE_EQ("PLL-62", one, ends(with));
  RULE_TRUE("PLL-62", different(without));
}

// A barrier between any two statements of a thread, and at the end of every loop around them; not inside conditions. What races
// all the same are single statements.
Block with_barriers(const Block& b, bool threads, bool condition) {
  Block out;
  for (const Stmt& s : b) {
    const bool loop = s->kind == StmtKind::loop;
    const bool closed = loop && (s->axis == Axis::tile || s->axis == Axis::reduce);
    const bool inside = threads || (loop && s->axis == Axis::workgroup);
    if (s->kind == StmtKind::barrier || closed) {
      out.push_back(s);
      if (closed && threads && !condition) out.push_back(make_barrier());
      continue;
    }
    out.push_back(with(s, [&](StmtNode& n) {
      n.body = with_barriers(s->body, inside, condition || !loop);
      n.other = with_barriers(s->other, inside, true);
    }));
    if (threads && !condition) out.push_back(make_barrier());
  }
  return out;
}

Program without_some_barriers(const Program& p, interp::Random& random) {
  Program out = p;
  const std::uint64_t kept = 1 + random.below(4);  // of five
  out.body = rewrite(p.body, {}, [&](const Stmt& s) -> Block {
    return s->kind == StmtKind::barrier && random.below(5) >= kept ? Block{} : Block{s};
  });
  return out;
}

// Random programs in which barriers are everywhere, and the same with one fault, or without many of the barriers.
TEST(Interleavings, barriers_everywhere_and_faults_among_them) {
  const auto query = make_portfolio_query();
  interp::Random random(interleaving_seed(4));
  ThreadPropertyCounts right, planted;
  while (planted.programs < interleaving_cases(400)) {
    std::string text = random_threads(random);
    for (std::size_t at = 0; (at = text.find("  shared ", at)) != std::string::npos;) text.replace(at, 9, "  inout ");
    Program p = test::program(text);
    p.body = with_barriers(p.body, false, false);
    ASSERT_TRUE(check_well_formed(p).empty()) << print(p);
    p = number_statements(p);
    const int clean = right.clean;
    judge_threads(p, *query, right);
    if (right.clean == clean) continue;
    const std::vector<ThreadFault> faults = thread_faults(p);
    for (int k = 0; k < 8 && !faults.empty(); ++k) {
      const ThreadFault& f = faults[random.below(faults.size())];
      SCOPED_TRACE(f.name);
      judge_threads(number_statements(k % 2 == 0 ? f.program : without_some_barriers(p, random)), *query, planted);
    }
  }
  report("barriers everywhere", right);
  report("with a fault planted", planted);
  RULE_TRUE("PLL-60", right.failures.empty() && planted.failures.empty());
  RULE_TRUE("PLL-61", planted.unseen * 50 <= planted.refuted) << planted.unseen << " of " << planted.refuted;
  EXPECT_GE(right.equal * 10, right.programs);
  EXPECT_GE(planted.equal * 10, planted.programs);
  EXPECT_GE(planted.differing * 40, planted.programs);
}

// Conditions on data, loaded indices, both arms, private copies.
TEST(Interleavings, conditions_on_data) {
  const auto query = make_portfolio_query();
  interp::Random random(interleaving_seed(5));
  ThreadPropertyCounts c;
  for (int k = 0; k < interleaving_cases(400); ++k) {
    const Program p = number_statements(test::program(random_conditions(random, 4 + k % 7)));
    ASSERT_TRUE(check_well_formed(p).empty()) << print(p);
    judge_threads(p, *query, c);
  }
  report("conditions on data", c);
  RULE_TRUE("PLL-60", c.failures.empty());
  RULE_TRUE("PLL-61", c.unseen * 50 <= c.refuted) << c.unseen << " of " << c.refuted;
  EXPECT_GE(c.equal * 20, c.programs);
  EXPECT_GE(c.differing * 10, c.programs);
}

TEST(Interleavings, random_programs) {
  const auto query = make_portfolio_query();
  interp::Random random(interleaving_seed(1));
  ThreadPropertyCounts c;
  for (int k = 0; k < interleaving_cases(300); ++k) {
    std::string text = random_threads(random);
    // With the tiles in device memory nothing is undefined, and more programs are right.
    for (std::size_t at = 0; k % 2 == 0 && (at = text.find("  shared ", at)) != std::string::npos;)
      text.replace(at, 9, "  inout ");
    judge_threads(number_statements(test::program(text)), *query, c);
  }
  report("random programs", c);
  RULE_TRUE("PLL-60", c.failures.empty());
  RULE_TRUE("PLL-61", c.unseen * 50 <= c.refuted) << c.unseen << " of " << c.refuted;
  EXPECT_GE(c.differing * 10, c.programs);
}

TEST(Interleavings, right_programs_and_faults_in_them) {
  const auto query = make_portfolio_query();
  interp::Random random(interleaving_seed(2));
  ThreadPropertyCounts right, planted;
  while (planted.programs < interleaving_cases(600)) {
    const Program p = number_statements(test::program(random_phases(random)));
    judge_threads(p, *query, right);
    const std::vector<ThreadFault> faults = thread_faults(p);
    for (int k = 0; k < 12 && !faults.empty(); ++k) {
      const ThreadFault& f = faults[random.below(faults.size())];
      SCOPED_TRACE(f.name);
      judge_threads(number_statements(f.program), *query, planted);
    }
  }
  report("right programs", right);
  report("with a fault planted", planted);
  RULE_TRUE("PLL-60", right.failures.empty() && planted.failures.empty());
  RULE_TRUE("PLL-61", planted.unseen * 50 <= planted.refuted) << planted.unseen << " of " << planted.refuted;
  EXPECT_GE(right.equal * 2, right.programs);
  EXPECT_GE(planted.differing * 4, planted.programs);
}

bool has_threads(const Program& p) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    found |= s->kind == StmtKind::loop && s->axis != Axis::serial && s->axis != Axis::unrolled && s->axis != Axis::tile;
    return true;
  };
  visit(p.body, v);
  return found;
}

// Schedules of proved steps: every order of accesses of the last program ends in what the first one leaves in canonical execution.
TEST(Interleavings, schedules_that_create_threads) {
  const auto query = make_portfolio_query();
  interp::Random random(interleaving_seed(3));
  std::map<std::string, int> proved, dropped;
  int schedules = 0, complete = 0, refused = 0, undecided = 0;
  const int wanted = interleaving_cases(80);
  for (int tries = 0; schedules < wanted && tries < 20 * wanted; ++tries) {
    const std::string text = random_kernel(random);
    const Program source = number_statements(test::program(text));
    Program current = source;
    std::string lines;
    constexpr int most = 24;
    for (int k = 0; k < most; ++k) {
      const ScheduleLine line = random_thread_line(random, current, static_cast<double>(k) / most, k);
      auto next = apply_line(current, line, *query);
      if (!next) {
        ++refused;
        continue;
      }
      const std::string& op = line.op;
      bool holds = true, violated = false;
      for (const Obligation& o : validate(current, next->program, *query).obligations) {
        holds &= o.status == Obligation::Status::proved;
        violated |= o.status == Obligation::Status::violated;
      }
      if (!holds) {
        ++dropped[op];
        if (!violated) ++undecided;
        continue;
      }
      ++proved[op];
      lines += line.text + "\n";
      current = number_statements(fold_guards(number_statements(next->program), *query).program);
    }
    if (!has_threads(current)) continue;
    ++schedules;
    SCOPED_TRACE(text + lines + print(current));
    bool all = true;
    for (const ParameterMap& size : small_sizes(source)) {
      const TensorMap inputs = interp::generate_inputs(source, size, interp::InputKind::exact, 1);
      interp::Options options;
      options.parameters = size;
      const interp::Outcome canonical = interp::run(source, inputs, options);
      ASSERT_EQ(interp::Status::ok, canonical.status);
      for (const std::int64_t lane : {std::int64_t{0}, std::int64_t{1'000'000}}) {
        InterleavingLimits limits;
        limits.tile_lane = lane;
        const auto found = explore_interleavings(current, size, inputs, limits);
        if (!found) {
          all = false;
          continue;
        }
        all &= found->complete;
        const bool same =
            found->endings.empty() || (!found->differs() && found->endings[0].outputs == canonical.outputs);
        RULE_TRUE("PLL-63", same) << (found->endings.empty() ? "" : found->endings.back().fault);
      }
    }
    complete += all ? 1 : 0;
    if (testing::Test::HasFailure()) return;
  }
  fmt::print("schedules {}: every order looked at {}; lines refused {}, undecided {}\n", schedules, complete, refused,
             undecided);
  for (const auto& [op, n] : proved) fmt::print("  {}: proved {}, not {}\n", op, n, dropped[op]);
  RULE_TRUE("PLL-63", complete * 10 >= schedules * 9) << complete << " of " << schedules;
  for (const char* op : {"retype", "stage", "split"}) EXPECT_GE(proved[op], wanted / 4) << op;
}

}  // namespace
}  // namespace assay::fuzz
