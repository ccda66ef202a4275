// The two executions of a pair are independent, so that loop back edges, prologues and epilogues are included. The cost of a
// pair does not depend on the number of threads.
#include "proofs/validate/races.hpp"

#include <algorithm>

#include "ir/traverse.hpp"
#include "proofs/validate/barriers.hpp"
#include "proofs/validate/teams.hpp"

namespace assay::derive {
namespace {

struct Use {
  const Node* node;
  const Access* access;
};

bool same_use(const Use& a, const Use& b) {
  return a.node == b.node && a.access->writes == b.access->writes && a.access->whole == b.access->whole &&
         a.access->indices == b.access->indices && a.access->guards.empty() && b.access->guards.empty();
}

// Pairs of accesses to one buffer, at least one of them a store; both orders of two nodes are one pair.
template <typename Watched, typename F>
void conflicting_pairs(const View& view, Watched watched, F f) {
  std::map<Symbol, std::vector<Use>> uses;
  std::map<Symbol, bool> counts;  // of buffers
  for (const Node& n : view.extraction.nodes) {
    for (const Access& a : n.accesses) {
      if (a.variable) continue;
      const auto known = counts.find(a.storage);
      if (known == counts.end() ? !counts.emplace(a.storage, watched(copies_of(view.program, a))).first->second
                                : !known->second)
        continue;
      auto& list = uses[a.storage];
      const Use use{&n, &a};
      if (std::none_of(list.begin(), list.end(), [&](const Use& u) { return same_use(u, use); })) list.push_back(use);
    }
  }
  for (const auto& [storage, list] : uses) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = i; j < list.size(); ++j) {
        if (list[i].access->writes || list[j].access->writes) f(list[i], list[j]);
      }
    }
  }
}

// What a condition on inputs says holds for both: where they read one element it has one value, so that the two arms of a
// condition that threads share exclude one another.
Formula conditions(const Instance& x, const Access& a, const std::string& tag) {
  return Formula::all({decided_guards(x), access_condition(x, a), immutable_guards(x, x.node->guards, tag + "n"),
                       immutable_guards(x, a.guards, tag + "a")});
}
// Elements of inputs and constants that the conditions around an execution compare.
std::vector<Expr> compared_elements(const Instance& x) {
  std::vector<Expr> out;
  Visitor v;
  v.enter_expr = [&](const Expr& e) {
    const auto plain = [](const Expr& i) { return i->op == Op::index; };
    if (e->op == Op::load && is_int(e->type) && is_immutable(x.view->program, e) &&
        std::all_of(e->args.begin(), e->args.end(), plain) && std::find(out.begin(), out.end(), e) == out.end())
      out.push_back(e);
    return true;
  };
  for (const Guard& g : x.node->guards) visit(g.condition, v);
  return out;
}
// An element has one value, however the two name it.
Formula one_value(const Instance& x, const Instance& y) {
  constexpr std::size_t most = 4;  // of each; more would cost more than such programs are worth
  const std::vector<Expr> of_x = compared_elements(x), of_y = compared_elements(y);
  std::vector<Formula> out;
  for (std::size_t i = 0; i < of_x.size() && i < most; ++i) {
    for (std::size_t j = 0; j < of_y.size() && j < most; ++j) {
      if (of_x[i]->name != of_y[j]->name) continue;
      std::vector<Formula> ways{Formula::eq(integer_term(x, of_x[i], "x").value, integer_term(y, of_y[j], "y").value)};
      for (std::size_t d = 0; d < of_x[i]->args.size(); ++d)
        ways.push_back(Formula::ne(x.apply(of_x[i]->args[d]->index), y.apply(of_y[j]->args[d]->index)));
      out.push_back(Formula::any(std::move(ways)));
    }
  }
  return Formula::all(std::move(out));
}

}  // namespace

Formula meeting(const Instance& x, const Access& a, const Instance& y, const Access& b) {
  return Formula::all(
      {domain(x), domain(y), same_cell(x, a, y, b, ""), conditions(x, a, "x"), conditions(y, b, "y"), one_value(x, y)});
}

std::vector<Obligation> group_races(const View& view, Query& query) {
  std::map<Symbol, std::vector<Case>> by_buffer;
  const auto device = [](Copies c) { return c == Copies::device; };
  conflicting_pairs(view, device, [&](const Use& one, const Use& other) {
    const Access& a = *one.access;
    const Access& b = *other.access;
    const Instance x = instantiate(view, *one.node, "1");
    const Instance y = instantiate(view, *other.node, "2");
    by_buffer[a.storage].push_back(
        {meeting(x, a, y, b) & different_groups(x, y), x, y, &a, &b, !is_pure(x, a) || !is_pure(y, b), {}, {x, y}});
  });
  std::vector<Obligation> out;
  for (const auto& [buffer, cases] : by_buffer) {
    out.push_back(discharge(
        {"race-freedom", "no two groups use one cell of `" + buffer + "` with a store", "RACE-1", "IND-1", {}, true},
        view.parameters, view.program, cases, query));
  }
  return out;
}

namespace {

bool among_threads(Copies c) { return c != Copies::thread; }

// PLL-18: where conditions on data decide whether a barrier runs, first the races that none of them could prevent.
void add_races(std::vector<Case>& cases, const Barriers& barriers, Case race) {
  const Formula maybe = barriers.may_separate(*race.x, race.a->writes, *race.y, race.b->writes);
  if (maybe.is_false()) return cases.push_back(std::move(race));
  Case certain = race;
  certain.violation = race.violation & !maybe;
  race.approximate = true;
  cases.push_back(std::move(certain));
  cases.push_back(std::move(race));
}

// Two threads of a group meet in one cell, and no barrier lies between; as if `without` were not there.
Case racing(const Barriers& barriers, const Teams& teams, const Use& one, const Use& other,
            const Node* without = nullptr) {
  const Access& a = *one.access;
  const Access& b = *other.access;
  const View& view = barriers.view();
  Instance x = instantiate(view, *one.node, "1");
  Instance y = instantiate(view, *other.node, "2");
  lead(x, a);
  lead(y, b);
  const Formula placed = place(x, "1") & place(y, "2");
  return {Formula::all({meeting(x, a, y, b), placed, same_group(x, y), different_threads(x, y),
                        barriers.unordered(x, a.writes, y, b.writes, without), !teams.same_instance(x, y)}),
          x,
          y,
          &a,
          &b,
          !is_pure(x, a) || !is_pure(y, b),
          {},
          {x, y}};
}

}  // namespace

std::vector<Obligation> thread_obligations(const View& program, Query& query, const ThreadQuestions& how) {
  if (program.slots == program.grid_slots) return {};
  const Teams teams(program.program);
  const std::optional<View> spelled = teams.any() ? std::make_optional<View>(teams.spelled_out()) : std::nullopt;
  const View& view = spelled ? *spelled : program;
  std::vector<Obligation> out;
  const Barriers barriers(view, how.by_text);
  const auto ends = [&] { return how.until_open && !out.empty() && out.back().status != Obligation::Status::proved; };
  if (!barriers.all().empty() || barriers.collectives())
    out.push_back(teams.in_given_numbers(barriers.uniformity(query)));
  if (ends()) return out;
  std::map<Symbol, std::vector<std::pair<Use, Use>>> by_buffer;
  conflicting_pairs(view, among_threads, [&](const Use& one, const Use& other) {
    if (view.launch(*one.node) == view.launch(*other.node)) by_buffer[one.access->storage].emplace_back(one, other);
  });
  for (const auto& [buffer, pairs] : by_buffer) {
    const ObligationText text{
        "race-freedom",
        "no two threads of a group use one cell of `" + buffer + "` with a store and no barrier between",
        "RACE-2",
        "RACE-3",
        "put a `barrier` between the two accesses, or let one thread alone make them",
        !how.until_open};
    // Where the first race ends everything, the pairs behind it are not even written down.
    std::vector<Case> cases;
    for (const auto& [one, other] : pairs) {
      if (barriers.ordered_by_text(*one.node, *other.node)) continue;
      add_races(cases, barriers, racing(barriers, teams, one, other));
      if (!how.until_open) continue;
      out.push_back(teams.in_given_numbers(discharge(text, view.parameters, view.program, cases, query)));
      if (ends()) return out;
      out.pop_back();
      cases.clear();
    }
    out.push_back(teams.in_given_numbers(discharge(text, view.parameters, view.program, cases, query)));
    if (ends()) return out;
  }
  return out;
}

// BAR-10
std::vector<int> unneeded_barriers(const View& program, Query& query) {
  constexpr std::size_t most_questions = 2048;
  if (program.slots == program.grid_slots) return {};
  const Teams teams(program.program);
  const std::optional<View> spelled = teams.any() ? std::make_optional<View>(teams.spelled_out()) : std::nullopt;
  const View& view = spelled ? *spelled : program;
  const Barriers barriers(view);
  std::map<const Node*, std::vector<std::pair<Use, Use>>> pairs;  // that would be judged anew without the barrier
  conflicting_pairs(view, among_threads, [&](const Use& one, const Use& other) {
    if (view.launch(*one.node) != view.launch(*other.node)) return;
    for (const Node* b : barriers.needed(*one.node, *other.node)) pairs[b].emplace_back(one, other);
  });
  std::vector<int> out;
  std::size_t asked = 0;
  for (const Node* b : barriers.all()) {
    const int number = teams.given_number(b->statement);
    if (program.extraction.find(number) == nullptr) continue;  // the one that a tile product brings along
    const auto& list = pairs[b];
    if (asked + list.size() > most_questions) break;
    const bool needless = std::all_of(list.begin(), list.end(), [&](const auto& pair) {
      const Formula race = racing(barriers, teams, pair.first, pair.second, b).violation;
      if (race.is_false()) return true;
      ++asked;
      return query.solve(view.parameters & race).kind == Answer::Kind::empty;
    });
    if (needless) out.push_back(number);
  }
  return out;
}

}  // namespace assay::derive
