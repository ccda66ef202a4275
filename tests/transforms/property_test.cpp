// Random programs and random lines: what a step accepts, it does right, by enumeration of all executions.
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>

#include "random_nest.hpp"
#include "steps.hpp"

namespace assay::test {
namespace {

std::string random_line(const Program& p, const Draw& draw) {
  const std::vector<Stmt> loops = [&] {
    std::vector<Stmt> all;
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      if (s->kind == StmtKind::loop) all.push_back(s);
      return true;
    };
    visit(p.body, v);
    return all;
  }();
  const Stmt loop = loops[static_cast<std::size_t>(draw(0, static_cast<int>(loops.size()) - 1))];
  const std::string name = draw(0, 4) == 0 ? stem(loop->name) + "*" : loop->name;
  static const char* const axes[] = {"serial", "grid", "workgroup", "reduce", "unrolled", "vectorized"};
  // A pair of loops: mostly one that is perfectly nested.
  const auto holds_loop = [](const Stmt& l) { return l->body.size() == 1 && l->body[0]->kind == StmtKind::loop; };
  const auto nest = std::find_if(loops.begin(), loops.end(), holds_loop);
  const Stmt outer = !holds_loop(loop) && nest != loops.end() && draw(0, 2) > 0 ? *nest : loop;
  const std::string inner = holds_loop(outer) ? outer->body[0]->name : loops[0]->name;
  switch (draw(0, 13)) {
    case 9: {
      const int first = draw(-1, 4);
      if (first < 0) return fmt::format("partition {} at=auto", name);
      return fmt::format("partition {} at={}{}", name, first,
                         draw(0, 1) == 0 ? "" : fmt::format(",{}", first + draw(0, 3)));
    }
    case 10: return fmt::format("pad {} to={}", name, draw(0, 5));
    case 11: return fmt::format("coalesce {} {}", outer->name, inner);
    case 12: return draw(0, 1) == 0 ? "expand_zero A" : fmt::format("fission after={}", draw(0, 2));
    case 0: return fmt::format("retype {} axis={}", name, axes[draw(0, 5)]);
    case 1: return fmt::format("unroll {}", name);
    case 2: return fmt::format("unroll {} materialize", name);
    case 3:
    case 4:
    case 5: return fmt::format("split {} factor={}", name, draw(-1, 7));
    default: break;
  }
  return fmt::format("swap {} {}", outer->name, inner);
}

class RandomSteps {
 public:
  // One random program and up to four lines.
  void operator()(const Draw& draw) {
    const auto file = parse_source(fmt::format("program p {{ inout A: f32[64] inout B: f32[64, 64] input X: f32[64] "
                                               "input Y: f32[64, 64] input flag: i32[64] param n in 0..5\n{} }}",
                                               random_nest(draw)),
                                   "random.air");
    if (!file) {
      ++refused["ill-formed program"];  // a loop kind in a wrong place
      return;
    }
    Program p = file->programs.at(0);
    for (int i = 0; i < 4 && count(p, StmtKind::loop) > 0 && count(p, StmtKind::store) < 200; ++i) {
      const std::string text = random_line(p, draw);
      RC_LOG() << print(p) << text << "\n";
      const StepResult s = apply_line(p, line(text), query_);
      if (!s) {
        ++refused[s.error().diagnostic.code];
        continue;
      }
      const std::string op = text.substr(0, text.find(' '));
      ++accepted[op];
      RC_LOG() << "gives " << print(s->program);
      RC_ASSERT(difference(p, s->program, op != "swap") == "");
      RC_ASSERT(check_well_formed(s->program).empty());
      p = folded(s->program);
    }
  }

  std::map<std::string, int> accepted, refused;
  int decided = 0, open = 0;  // foldings of which the query knew everything, and others

 private:
  Program folded(const Program& before) {
    query_.unknown = 0;
    const Program after = fold_guards(before, query_).program;
    RC_LOG() << "folded " << print(after);
    RC_ASSERT(difference(before, after, true) == "");
    RC_ASSERT(check_well_formed(after).empty());
    if (query_.unknown == 0) RC_ASSERT(print(fold_guards(after, query_).program) == print(after));
    ++(query_.unknown == 0 ? decided : open);
    const auto again = parse_source(print(after), "after.air");
    RC_ASSERT(again.has_value());
    RC_ASSERT(again->programs.at(0) == after);
    return after;
  }

  EnumeratingQuery query_;
};

TEST(Property, StepsKeepEveryExecution) {
  RandomSteps steps;
  const bool held = rc::check("steps keep every execution", [&] {
    const Draw draw = [](int a, int b) {
      return *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(a, b + 1)));
    };
    for (int i = 0; i < 12; ++i) steps(draw);
  });
  std::string tally;
  for (const auto& [op, n] : steps.accepted) tally += fmt::format("{} accepted {} times\n", op, n);
  for (const auto& [code, n] : steps.refused) tally += fmt::format("{} given {} times\n", code, n);
  RULE_TRUE("FOLD-10", held);
  RULE_TRUE("FOLD-8", held && steps.decided > 20 * steps.open) << steps.decided << " " << steps.open;
  RULE_TRUE("SPLIT-2", held && steps.accepted["split"] > 200) << tally;
  RULE_TRUE("SWP-3", held && steps.accepted["swap"] > 150) << tally;
  RULE_TRUE("PART-2", held && steps.accepted["partition"] > 30) << tally;
  RULE_TRUE("PAD-2", held && steps.accepted["pad"] > 60) << tally;
  RULE_TRUE("COA-2", held && steps.accepted["coalesce"] > 20) << tally;
  EXPECT_TRUE(steps.accepted["unroll"] > 200 && steps.accepted["retype"] > 100) << tally;
  for (const char* code : {"SPLIT-1", "SWP-1", "UNR-3", "SCH-15"})
    EXPECT_GT(steps.refused[code], 10) << code << "\n" << tally;
}

}  // namespace
}  // namespace assay::test
