// Obligations about the threads of a group (spec/parallel.md): barriers, races, copies, and what steps may do to them.
#include <gtest/gtest.h>

#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"
#include "transforms/operation.hpp"

namespace assay {
namespace {

using test::line;
using test::program;
using Status = Obligation::Status;

// The obligations that are not proved, as "CODE violated" or "CODE undecided".
std::string failures(const std::vector<Obligation>& all) {
  std::string out;
  for (const Obligation& o : all) {
    if (o.status == Status::proved) continue;
    out += (out.empty() ? "" : ", ") + o.code + (o.status == Status::violated ? " violated" : " undecided");
  }
  return out;
}
std::string lint(const std::string& text) {
  const auto query = make_portfolio_query();
  return failures(lint_obligations(program(text), *query));
}
// Threads t of a group of eight over a tile s and a row y.
std::string threads(const std::string& body) {
  return lint(
      "program p { param n in 1..9 input x: f32[8] input c: i32[8] in 0..2 inout y: f32[8] shared s: f32[8] "
      "local r: f32[8] for t in 0..8 @workgroup { " +
      body + " } }");
}
std::string step(const std::string& text, const std::string& operation) {
  const auto query = make_portfolio_query();
  const Program before = number_statements(program(text));
  const auto rewritten = apply_line(before, line(operation), *query);
  if (!rewritten) return rewritten.error().diagnostic.code;
  return failures(validate(before, rewritten->program, *query).obligations);
}

TEST(Threads, a_thread_is_its_coordinates) {
  const auto loops = [&](const std::string& rest) {
    return lint("program p { input x: f32[9] inout y: f32[9] shared s: f32[9] " + rest + " }");
  };
  RULE_EQ("PLL-1", "", loops("for t in 0..8 @workgroup { s[t] = x[t] } for u in 1..9 @workgroup { y[u] = s[u - 1] }"));
  RULE_EQ("PLL-1", "DEF-1 violated, RACE-2 violated",
          loops("for t in 0..8 @workgroup { s[t] = x[t] } for u in 1..9 @workgroup { y[u] = s[u] }"));
  // Steps count, not values.
  RULE_EQ("PLL-1", "",
          loops("for t in 0..8 step 2 @workgroup { s[t] = x[t] } for u in 0..4 @workgroup { y[u] = s[2*u] }"));
  // Outside of the loop a statement is executed by every thread; one thread can be singled out by a loop of one.
  RULE_EQ("PLL-1", "RACE-2 violated", loops("for t in 0..8 @workgroup { s[t] = x[t] } y[0] = 1.0"));
  RULE_EQ("PLL-1", "", loops("for t in 0..8 @workgroup { s[t] = x[t] } for u in 0..1 @workgroup { y[0] = 1.0 }"));
  RULE_EQ("PLL-1", "", loops("for t in 0..1 @workgroup { s[t] = x[t] } y[0] = 1.0"));
}

TEST(Threads, keys_count_iterations) {
  RULE_EQ("PLL-2", "", threads("s[t] = x[t] for k in t..t + 2 { barrier y[t] = s[7 - t] }"));
  // The write of iteration 0 and the read of iteration 1, whatever the bounds.
  RULE_EQ("PLL-2", "RACE-2 violated",
          threads("s[t] = x[t] barrier for k in t..t + 2 { if k == t { barrier } y[t] = s[7 - t] s[t] = 1.0 }"));
  RULE_EQ("PLL-2", "", threads("s[t] = x[t] barrier for k in t..t + 2 { y[t] = s[7 - t] barrier s[t] = 1.0 barrier }"));
}

TEST(Threads, conditions_on_inputs_exclude_one_another) {
  // Two arms, and two conditions on one element; in one iteration or in several with a barrier between.
  RULE_EQ("PLL-7", "", threads("if c[0] == 1 { y[t] = x[t] } else { y[7 - t] = x[t] }"));
  RULE_EQ("PLL-7", "", threads("if c[0] < 1 { y[t] = x[t] } if c[0] > 0 { y[7 - t] = x[t] }"));
  RULE_EQ("PLL-7", "",
          threads("for k in 0..3 { if c[k] == 1 { y[t] = x[t] } if c[k] != 1 { y[7 - t] = x[t] } barrier }"));
  // Other elements: of another thread, of another iteration; and conditions that both may hold.
  RULE_EQ("PLL-7", "RACE-3 undecided", threads("if c[t] == 1 { y[t] = x[t] } else { y[7 - t] = x[t] }"));
  RULE_EQ("PLL-7", "RACE-3 undecided",
          threads("for k in 0..3 { if c[k] == 1 { y[t] = x[t] } else { y[7 - t] = x[t] } }"));
  RULE_EQ("PLL-7", "RACE-3 undecided", threads("if c[0] < 1 { y[t] = x[t] } if c[1] > 0 { y[7 - t] = x[t] }"));
  // A barrier under a condition that the accesses' own one entails.
  RULE_EQ("PLL-6", "",
          threads("if c[0] == 1 { y[t] = x[t] } if c[0] > 0 { barrier } if c[0] == 1 { y[7 - t] = x[t] }"));
  RULE_EQ("PLL-6", "RACE-3 undecided",
          threads("if c[0] == 1 { y[t] = x[t] } if c[1] > 0 { barrier } if c[0] == 1 { y[7 - t] = x[t] }"));
  RULE_EQ("PLL-6", "RACE-3 undecided",
          threads("if c[0] >= 0 { y[t] = x[t] } if c[0] > 0 { barrier } if c[0] >= 0 { y[7 - t] = x[t] }"));
}

TEST(Threads, barriers_must_be_uniform) {
  RULE_EQ("PLL-4", "", threads("if n > 3 { barrier }"));
  RULE_EQ("PLL-4", "BAR-1 violated", threads("if t < 7 { barrier }"));
  RULE_EQ("PLL-4", "", threads("if t < 8 { barrier }"));
  RULE_EQ("PLL-4", "BAR-1 violated", threads("for k in 0..t { barrier }"));
  RULE_EQ("PLL-4", "", threads("for k in 0..t + 4 { if k < 4 { barrier } }"));
  RULE_EQ("PLL-4", "BAR-1 violated", threads("for k in 0..t + 4 { if k < 5 { barrier } }"));
  RULE_EQ("PLL-4", "", threads("for k in t..n + t { barrier }"));
  RULE_EQ("BAR-1", "BAR-1 violated", threads("if t == 0 { barrier } else { barrier }"));
  RULE_EQ("PLL-4", "BAR-1 violated",
          lint("program p { param n in 1..9 param m in 1..9 require m <= n for t in 0..n @workgroup { } for u in 0..m "
               "@workgroup { barrier } }"));
  RULE_EQ("PLL-4", "",
          lint("program p { param n in 1..9 param m in 1..9 require m >= n for t in 0..n @workgroup { } for u in 0..m "
               "@workgroup { barrier } }"));
  // Groups may differ.
  RULE_EQ("PLL-4", "",
          lint("program p { for g in 0..4 @grid { for t in 0..8 @workgroup { for k in 0..g { barrier } } } }"));
}

TEST(Threads, barriers_order_what_they_lie_between) {
  RULE_EQ("PLL-3", "", threads("s[t] = x[t] barrier y[t] = s[7 - t]"));
  RULE_EQ("PLL-3", "", threads("s[t] = x[t] y[t] = s[t]"));
  RULE_EQ("PLL-3", "", threads("s[t] = x[t] for k in 0..n { barrier } y[t] = s[7 - t]"));
  RULE_EQ("PLL-3", "RACE-2 violated", threads("s[t] = x[t] for k in 1..n { barrier } y[t] = s[7 - t]"));
  RULE_EQ("PLL-5", "RACE-2 violated", threads("for k in 0..n { s[t] = x[t] barrier y[t] = s[7 - t] }"));
  RULE_EQ("PLL-5", "", threads("for k in 0..1 { s[t] = x[t] barrier y[t] = s[7 - t] }"));
  RULE_EQ("PLL-5", "", threads("for k in 0..n { s[t] = x[t] barrier y[t] = s[7 - t] barrier }"));
  RULE_EQ("PLL-5", "", threads("for k in 0..n { barrier s[t] = x[t] barrier y[t] = s[7 - t] }"));
  // Every other iteration is too seldom.
  RULE_EQ("PLL-5", "RACE-2 violated",
          threads("s[t] = x[t] barrier for k in 0..n { y[t] = s[7 - t] if floormod(k, 2) == 1 { barrier } s[t] = 1.0 "
                  "barrier }"));
  // Whole programs one after the other.
  RULE_EQ(
      "PLL-3", "",
      lint("program p { inout y: f32[8] temp s: f32[8] for t in 0..8 @workgroup { s[t] = y[t] } launch for t in 0..8 "
           "@workgroup { y[t] = s[7 - t] } }"));
}

// What serves a statement keeps it apart without a formula: the answers of PLL-17, one case after the other.
TEST(Threads, places_in_the_text) {
  const std::string store = "s[t] = x[t] ", load = "y[t] = s[7 - t] ";
  const auto race = [](const std::string& body) { return threads(body).find("RACE-2 violated") != std::string::npos; };
  // A barrier serves what is under its loops and conditions, and nothing beside them.
  RULE_TRUE("PLL-13", !race(store + "barrier " + load));
  RULE_TRUE("PLL-13", !race("if n > 3 { " + store + "barrier } " + load));
  RULE_TRUE("PLL-13", !race(store + "if n > 3 { barrier " + load + "}"));
  RULE_TRUE("PLL-13", race(store + "if n > 3 { barrier } " + load));
  RULE_TRUE("PLL-13", race(store + "if n > 3 { barrier } else { " + load + "}"));
  RULE_TRUE("PLL-13", race(store + "for k in 3..n { barrier } " + load));
  // At one iteration: between the two in the text.
  RULE_TRUE("PLL-14", !race("for k in 0..n { " + store + "barrier " + load + "barrier }"));
  RULE_TRUE("PLL-14", race("for k in 0..n { barrier " + store + load + "barrier }"));
  RULE_TRUE("PLL-14", !race("for k in 0..n { " + store + "barrier } " + load));
  // At different ones: behind the first or before the second, in the loop.
  RULE_TRUE("PLL-15", race("for k in 0..n { " + store + "barrier " + load + "}"));
  RULE_TRUE("PLL-15", race("for k in 0..n { for l in 0..n { " + store + "barrier " + load + "} }"));
  RULE_TRUE("PLL-15", !race("for k in 0..n { for l in 0..n { " + store + "barrier " + load + "barrier } }"));
  RULE_TRUE("PLL-15", race("for k in 0..n { for l in 0..n { " + store + "barrier " + load + "} barrier }"));
  RULE_TRUE("PLL-15", !race("for k in 0..n { for l in 0..1 { " + store + "barrier " + load + "} barrier }"));
  // Barriers of loops that are around one of the two alone.
  RULE_TRUE("PLL-16", !race("for k in 0..2 { barrier " + store + "} barrier " + load));
  RULE_TRUE("PLL-16", race("for k in 0..2 { barrier " + store + "} " + load));
}

TEST(Threads, conditions_on_data) {
  const std::string around = "s[t] = x[t] barrier y[t] = s[7 - t]";
  RULE_EQ("PLL-6", "", threads("if c[0] == 1 { " + around + " }"));
  RULE_EQ("PLL-6", "", threads("for k in 0..n { if c[floormod(k, 8)] == 1 { " + around + " barrier } }"));
  RULE_EQ("PLL-6", "DEF-3 undecided, BAR-2 undecided, RACE-3 undecided", threads("if c[t] == 1 { " + around + " }"));
  RULE_EQ("BAR-2", "BAR-2 undecided", threads("for k in t..n + t { if c[floormod(k, 8)] == 1 { barrier } }"));
  RULE_EQ("PLL-6", "BAR-2 undecided", threads("if y[0] > 0.0 { barrier }"));
  // The barrier may not have been there.
  RULE_EQ("PLL-6", "RACE-2 violated", threads("s[t] = x[t] if c[0] == 1 { barrier } y[t] = s[t] s[7 - t] = x[t]"));
  // A condition of the same text, at equal index values.
  const auto under = [](const std::string& a, const std::string& b, const std::string& c) {
    return threads("if " + a + " { s[t] = 1.0 } if " + b + " { barrier } if " + c + " { y[t] = s[7 - t] }");
  };
  RULE_EQ("PLL-6", "", under("x[0] < 1.0", "x[0] < 1.0", "x[0] < 1.0"));
  RULE_EQ("PLL-6", "RACE-3 undecided", under("x[0] < 1.0", "x[1] < 1.0", "x[0] < 1.0"));
  RULE_EQ("PLL-6", "",
          threads("for k in 0..8 { if x[k] < 1.0 { s[t] = 1.0 } if x[k] < 1.0 { barrier } if x[k] < 1.0 { "
                  "y[t] = s[7 - t] } barrier }"));
  // What the range of an input decides.
  RULE_EQ("PLL-6", "", threads("s[t] = x[t] if c[0] < 2 { barrier } y[t] = s[7 - t]"));
  RULE_EQ("PLL-6", "RACE-2 violated", threads("s[t] = x[t] if c[0] > 1 { barrier } y[t] = s[7 - t]"));
  RULE_EQ("RACE-3", "RACE-3 undecided", threads("if c[t] == 1 { y[0] = 1.0 }"));
  RULE_EQ("RACE-3", "RACE-3 undecided", threads("y[c[t]] = 1.0"));
}

// The barrier may run or not: no witness holds for both.
TEST(Threads, barriers_under_open_conditions) {
  const auto between = [](const std::string& barrier) {
    return threads("s[t] = x[t] " + barrier + " y[t] = s[7 - t]");
  };
  for (const char* barrier :
       {"if x[0] < 1.0 { barrier }", "if c[0] == 1 { barrier }", "if c[0] == 1 { if x[0] < 1.0 { barrier } }",
        "if x[0] < 1.0 { barrier } else { y[t] = 1.0 }"})
    RULE_EQ("PLL-18", "RACE-3 undecided", between(barrier));
  RULE_EQ("PLL-18", "BAR-2 undecided, RACE-3 undecided, RACE-3 undecided", between("if y[0] < 1.0 { barrier }"));
  RULE_EQ("PLL-18", "RACE-2 violated", between("if x[0] < 1.0 { for k in 0..0 { barrier } }"));
  RULE_EQ("PLL-18", "RACE-2 violated", threads("s[t] = x[t] y[t] = s[7 - t] if x[0] < 1.0 { barrier }"));
  RULE_EQ("PLL-18", "", threads("s[t] = x[t] if x[0] < 1.0 { barrier } barrier y[t] = s[7 - t]"));
  RULE_EQ("PLL-18", "RACE-3 undecided",
          threads("for k in 0..n { s[t] = x[t] barrier y[t] = s[7 - t] if x[0] < 1.0 { barrier } }"));
}

// Both arms hold one: it runs, whatever the data.
TEST(Threads, barriers_in_both_arms) {
  const auto between = [](const std::string& barrier) {
    return threads("s[t] = x[t] " + barrier + " y[t] = s[7 - t]");
  };
  for (const char* barrier :
       {"if x[0] < 1.0 { barrier } else { barrier }", "if x[0] < 1.0 && n < 5 { barrier } else { barrier }",
        "if x[0] < 1.0 || c[1] == 1 { barrier r[0] = 1.0 } else { r[1] = 1.0 barrier }",
        "if c[0] == 1 { if x[0] < 1.0 { barrier } else { barrier } } else { barrier }",
        "if c[0] == 1 { barrier } else { if x[0] < 1.0 { barrier } else { barrier } }",
        "if c[0] == 1 { barrier } else if x[0] < 1.0 { barrier } else { barrier }"})
    RULE_TRUE("PLL-19", between(barrier).empty()) << barrier;
  for (const char* barrier : {"if x[0] < 1.0 { barrier } else { if x[1] < 1.0 { barrier } }",
                              "if x[0] < 1.0 { barrier } else { for k in 1..n { barrier } }",
                              "if x[0] < 1.0 { barrier } else { if n < 5 { barrier } }",
                              "if x[0] < 1.0 { barrier } if x[1] < 1.0 { } else { barrier }"})
    RULE_TRUE("PLL-19", between(barrier) == "RACE-3 undecided") << barrier;
  RULE_EQ("PLL-19", "BAR-2 undecided, RACE-3 undecided", between("if x[t] < 1.0 { barrier } else { barrier }"));
  RULE_EQ("PLL-19", "BAR-2 undecided, RACE-3 undecided, RACE-3 undecided",
          between("if y[0] < 1.0 { barrier } else { barrier }"));
  // Who stands in an arm is ordered by the barrier of that arm alone, and by where it stands in it.
  const auto inside = [](const std::string& first, const std::string& second, const std::string& behind) {
    return threads("if c[0] == 1 { " + first + " } else { " + second + " } " + behind);
  };
  RULE_EQ("PLL-19", "", inside("s[t] = x[t] barrier y[t] = s[7 - t]", "s[t] = x[t] barrier y[t] = s[7 - t]", ""));
  RULE_TRUE("PLL-19",
            inside("s[t] = x[t] barrier", "barrier s[t] = x[t]", "y[t] = s[7 - t]").find("RACE-") != std::string::npos);
  RULE_TRUE("PLL-19",
            inside("barrier s[t] = x[t]", "s[t] = x[t] barrier", "y[t] = s[7 - t]").find("RACE-") != std::string::npos);
  RULE_TRUE("PLL-19", inside("barrier y[t] = s[7 - t]", "y[t] = s[7 - t] barrier", "s[t] = x[t]").find("RACE-") !=
                          std::string::npos);
  RULE_TRUE(
      "PLL-19",
      threads("s[t] = x[t] if x[0] < 1.0 { barrier y[t] = s[7 - t] } else { y[t] = s[7 - t] barrier }").find("RACE-") !=
          std::string::npos);
  // One iteration and the next.
  const auto loop = [](const std::string& body) { return threads("for k in 0..n { " + body + " }"); };
  const std::string both = " if x[k - k] < 1.0 { barrier } else { barrier } ";
  RULE_EQ("PLL-19", "", loop("s[t] = x[t]" + both + "y[t] = s[7 - t]" + both));
  RULE_TRUE("PLL-19", loop("s[t] = x[t]" + both + "y[t] = s[7 - t]").find("RACE-") != std::string::npos);
  RULE_TRUE("PLL-19", loop(both + "s[t] = x[t] y[t] = s[7 - t]").find("RACE-") != std::string::npos);
}

TEST(Threads, races) {
  RULE_EQ("PLL-7", "RACE-2 violated", threads("y[0] = 1.0"));
  RULE_EQ("RACE-2", "RACE-2 violated", threads("y[floordiv(t, 2)] = x[t]"));
  RULE_EQ("PLL-7", "", threads("if t == 3 { y[0] = 1.0 }"));
  RULE_EQ("PLL-7", "", threads("r[0] = x[t] y[t] = r[0]"));
  RULE_EQ("PLL-7", "", threads("var v: f32 = x[0] v = v + x[t] y[t] = v"));
  RULE_EQ("PLL-7", "RACE-2 violated", threads("zero y"));
  RULE_EQ(
      "PLL-7", "",
      lint("program p { output y: f32[4, 8] shared s: f32[8] for g in 0..4 @grid { for t in 0..8 @workgroup { s[t] = "
           "1.0 barrier y[g, t] = s[7 - t] } } }"));
  const auto query = make_portfolio_query();
  for (const Obligation& o : lint_obligations(
           program("program p { param n in 3..9 inout y: f32[9] for t in 0..n @workgroup { y[t] = y[n - 1 - t] } }"),
           *query)) {
    if (o.status == Status::proved) continue;
    ASSERT_TRUE(o.witness.has_value());
    RULE_EQ("PLL-7", 3, o.witness->parameters.at("n"));
    RULE_TRUE("PLL-7", o.witness->first.iteration != o.witness->second.iteration);
  }
}

TEST(Threads, copies_are_defined_by_their_own_threads) {
  RULE_EQ("PLL-8", "", threads("r[0] = x[t] y[t] = r[0]"));
  RULE_EQ("PLL-8", "DEF-1 violated", threads("if t < 4 { r[0] = x[t] } y[t] = r[0]"));
  RULE_EQ("PLL-8", "DEF-1 violated",
          lint("program p { inout y: f32[8] local r: f32[1] for t in 0..4 @workgroup { r[0] = 1.0 } for u in 0..8 "
               "@workgroup { y[u] = r[0] } }"));
  RULE_EQ("PLL-8", "",
          lint("program p { inout y: f32[8] local r: f32[1] for t in 0..8 @workgroup { r[0] = 1.0 } for u in 0..4 "
               "@workgroup { y[u] = r[0] } }"));
  RULE_EQ("PLL-8", "",
          lint("program p { inout y: f32[8] local r: f32[1] r[0] = 1.0 for u in 0..8 @workgroup { y[u] = "
               "r[0] } }"));
  // A read outside of the loops happens in every thread, those that the writer's loop leaves out included.
  RULE_EQ(
      "PLL-8", "DEF-1 violated",
      lint("program p { local r: f32[2] for t in 0..4 @workgroup { r[0] = 1.0 } for u in 0..8 @workgroup { } r[1] = "
           "r[0] }"));
  // Another thread's store defines a shared cell, in time.
  RULE_EQ("PLL-8", "DEF-1 violated", threads("y[t] = s[7 - t] barrier s[t] = x[t]"));
  RULE_EQ("PLL-8", "", threads("for k in 0..2 { if k == 1 { y[t] = s[7 - t] } barrier s[t] = x[t] barrier }"));
}

TEST(Threads, the_number_of_threads_costs_nothing) {
  const auto questions = [](std::int64_t n) {
    const auto query = make_portfolio_query(200'000);
    const std::string extent = std::to_string(n);
    return failures(lint_obligations(
        program("program p { inout y: f32[" + extent + "] temp s: f32[" + extent + "] for t in 0.." + extent +
                " @workgroup { for k in 0..3 { s[t] = y[t] barrier y[t] = s[" + extent + " - 1 - t] barrier } } }"),
        *query));
  };
  RULE_EQ("PLL-9", "", questions(8));
  RULE_EQ("PLL-9", "", questions(1'000'000'000));
}

TEST(Threads, steps) {
  const std::string tile =
      "program p { input x: f32[4, 8] output y: f32[4, 8] shared s: f32[8] for t in 0..8 @workgroup { for k in 0..4 { "
      "s[t] = x[k, t] barrier y[k, t] = s[7 - t] barrier } } }";
  RULE_EQ("PLL-12", "", step(tile, "split k factor=2 -> ko, ki"));
  RULE_EQ("PLL-12", "", step(tile, "unroll k"));
  RULE_EQ("PLL-12", "", step(tile, "pad t to=16"));
  const std::string serial = "program p { inout y: f32[8] for i in 0..8 { y[i] = y[i] * 2.0 } }";
  RULE_EQ("PLL-12", "", step(serial, "retype i axis=workgroup"));
  RULE_EQ("PLL-12", "RACE-2 violated",
          step("program p { inout y: f32[9] for i in 0..8 { y[i + 1] = y[i] * 2.0 } }", "retype i axis=workgroup"));
  RULE_EQ(
      "PLL-12", "PRIV-1 violated",
      step("program p { inout y: f32[8] local r: f32[1] r[0] = 0.0 for i in 0..8 { r[0] = r[0] + y[i] y[i] = r[0] } }",
           "retype i axis=workgroup"));
  // The threads that write are no longer those that read.
  RULE_EQ(
      "PLL-12", "RACE-2 violated",
      step("program p { input x: f32[8, 8] output y: f32[8, 8] output z: f32[8, 8] for a in 0..8 @workgroup { for b in "
           "0..8 @workgroup { y[a, b] = x[a, b] } } for c in 0..8 @workgroup { for d in 0..8 @workgroup { z[c, d] = "
           "y[c, d] } } }",
           "swap a b"));
}

TEST(Threads, reductions) {
  const auto rows = [](const std::string& body) {
    return lint(
        "program p { input A: f32[4, 8] input c: i32[4] in 0..2 inout C: f32[4] inout D: f32[4] shared S: f32[8] for t "
        "in "
        "0..4 @workgroup { " +
        body + " } }");
  };
  const std::string sum = "for k in 0..8 @reduce { C[t] += A[t, k] } ";
  RULE_EQ("PLL-24", "", rows(sum + sum));
  RULE_EQ("PLL-24", "", rows("for j in 0..3 { " + sum + "}"));
  RULE_EQ("PLL-24", "RACE-2 violated, RACE-2 violated", rows(sum + "D[t] = C[t]"));  // by eight threads
  RULE_EQ("PLL-24", "", rows(sum + "for l in 0..8 @workgroup { if l == 0 { D[t] = C[t] } }"));
  RULE_EQ("PLL-24", "RACE-2 violated", rows(sum + "for l in 0..8 @workgroup { if l == 7 { D[t] = C[t] } }"));
  RULE_EQ("PLL-24", "", rows(sum + "barrier for l in 0..8 @workgroup { if l == 7 { D[t] = C[t] } }"));
  RULE_EQ("PLL-24", "RACE-2 violated", rows("for k in 0..8 @reduce { C[floordiv(t, 2)] += A[t, k] }"));
  RULE_EQ("PLL-25", "", rows("if c[t] == 0 { " + sum + "}"));
  RULE_EQ("PLL-25", "", rows("var v: i32 = c[t] if v == 0 { " + sum + "}"));
  RULE_EQ("PLL-25", "BAR-2 undecided", rows("var v: f32 = D[t] if v == 0.0 { " + sum + "}"));
  // An own sum widens the slot all the same.
  RULE_EQ("PLL-27", "RACE-2 violated", rows("var s: f32 = 0.0 for k in 0..8 @reduce { s = s + A[t, k] } C[t] = s"));
  RULE_EQ("PLL-27", "", rows("var s: f32 = 0.0 for k in 0..1 @reduce { s = s + A[t, k] } C[t] = s"));
  // The order of the terms is left open.
  const auto licence = [](const std::string& type, const std::string& axis, const std::string& to) {
    const auto query = make_portfolio_query();
    const Program before = number_statements(program("program p { input A: " + type + "[8] inout C: " + type +
                                                     "[1] for k in 0..8" + axis + " { C[0] += A[k] } }"));
    return validate(before, apply_line(before, line("retype k axis=" + to), *query)->program, *query).licence;
  };
  RULE_EQ("RET-21", Licence::reassociates, licence("f32", "", "reduce"));
  RULE_EQ("RET-21", Licence::exact, licence("i32", "", "reduce"));
  RULE_EQ("RET-21", Licence::exact, licence("f32", " @reduce", "serial"));
  RULE_EQ("PLL-26", Licence::reassociates, licence("f16", "", "reduce"));
  RULE_EQ("RET-20", "RACE-2 violated",
          step("program p { input A: f32[8] output C: f32[1] C[0] = 0.0 for k in 0..8 { C[0] += A[k] } }",
               "retype k axis=reduce"));
}

}  // namespace
}  // namespace assay
