// A hint is a claim about another program, which has one barrier less or one more; so it is proved about that program.
//
// Places for a new barrier are tried from the outside in: where one suffices in several, the one that runs least often is
// named. Most places leave the two threads of a known race together; two threads alone show that without a proof.
#include "oracle/barrier_hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "ir/analysis/launch.hpp"
#include "ir/text/source.hpp"
#include "ir/traverse.hpp"
#include "oracle/thread_alone.hpp"

namespace assay::oracle {
namespace {

constexpr std::size_t most_programs = 48;         // that are proved for one hint
constexpr std::size_t most_places = 4096;         // that are looked at
constexpr std::uint64_t operations = 20'000'000;  // that looking may take

// A place for a barrier: in the body of a loop, before its statement number `position` or behind the last one.
struct Gap {
  Symbol loop{};
  std::size_t position = 0;
  int serial = 0;    // serial loops around it
  Stmt neighbour{};  // the statement that it stands before, or behind
  bool behind = false;
};

// All gaps in loops that hold threads or are held by them, outside of conditions, tile products and lanes, where the
// neighbours are no barriers.
std::vector<Gap> gaps_of(const Program& p) {
  std::vector<Gap> out;
  const std::function<void(const Block&, bool, int)> block = [&](const Block& b, bool threads, int serial) {
    for (const Stmt& s : b) {
      if (s->kind != StmtKind::loop || s->axis == Axis::tile || s->axis == Axis::vectorized || s->axis == Axis::reduce)
        continue;
      const bool inside = threads || has_loop(s, {Axis::workgroup});
      const int depth = serial + (s->axis == Axis::serial || s->axis == Axis::unrolled ? 1 : 0);
      for (std::size_t k = 0; inside && k <= s->body.size(); ++k) {
        const bool end = k == s->body.size();
        if (s->body.empty() || (!end && s->body[k]->kind == StmtKind::barrier) ||
            (k > 0 && s->body[k - 1]->kind == StmtKind::barrier))
          continue;
        out.push_back({s->name, k, depth, s->body[end ? k - 1 : k], end});
      }
      block(s->body, threads || s->axis == Axis::workgroup, depth);
    }
  };
  block(p.body, false, 0);
  std::stable_sort(out.begin(), out.end(), [](const Gap& a, const Gap& b) { return a.serial < b.serial; });
  return out;
}

Program with_barrier(const Program& p, const Gap& gap) {
  const auto inserted = [&](const Stmt& s) {
    return with(s, [&](StmtNode& n) {
      n.body.insert(n.body.begin() + static_cast<std::ptrdiff_t>(gap.position), make_barrier(gap.neighbour->where));
    });
  };
  // Loops are told by their symbols: a statement that was rewritten is another object.
  Program out = p;
  out.body = rewrite(p.body, {}, [&](const Stmt& s) -> Block {
    return {s->kind == StmtKind::loop && s->name == gap.loop ? inserted(s) : s};
  });
  return out;
}

/// Whether a race is still there in the program with a new barrier, whose old statements know their numbers.
bool leaves(const Program& with, const Witness& race, Purse& purse) {
  auto q = question_of(with, race);
  if (!q) return false;
  std::map<int, int> numbers;
  int next = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->provenance) numbers.emplace(s->provenance->statement, next);
    ++next;
    return true;
  };
  visit(with.body, v);
  for (interp::Focus::Point& point : q->focus.points) {
    const auto found = numbers.find(point.statement);
    if (found == numbers.end()) return false;
    point.statement = found->second;
  }
  return meet_alone(with, *q, purse).value_or(false);
}

Diagnostic note(const char* code, std::string message, Location where, std::string help) {
  return {code, std::move(message), where, std::move(help), {}, Severity::note};
}

}  // namespace

std::vector<Diagnostic> needless_barriers(const Program& p, Query& query) {
  const std::vector<int> numbers = unneeded_barriers(p, query);
  const std::set<int> needless(numbers.begin(), numbers.end());
  std::vector<Diagnostic> out;
  int next = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (needless.count(next++) != 0)
      out.push_back(note("BAR-10", "nothing needs this barrier: no two threads would meet without it", s->where,
                         "take it out; where there are several such, one at a time"));
    return true;
  };
  visit(p.body, v);
  return out;
}

std::vector<Diagnostic> missing_barrier(const Program& given, Query& query, const std::vector<Witness>& races) {
  const Program p = number_statements(given);
  std::vector<Gap> gaps = gaps_of(p);
  if (gaps.size() > most_places) gaps.resize(most_places);
  Purse purse(operations, 0);
  std::size_t proved = 0;
  const auto enough = std::find_if(gaps.begin(), gaps.end(), [&](const Gap& gap) {
    if (proved == most_programs) return false;
    const Program with = with_barrier(p, gap);
    if (std::any_of(races.begin(), races.end(), [&](const Witness& w) { return leaves(with, w, purse); })) return false;
    ++proved;
    return threads_are_ordered(with, query);
  });
  if (enough == gaps.end()) return {};
  // Where the program came from a step its places are those of another text: the statement is named.
  std::string text = print(enough->neighbour, -1);
  const std::size_t begin = std::min(text.find_first_not_of(" \n"), text.size());
  text = text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
  return {note(
      "BAR-11",
      fmt::format("a `barrier` {} this statement is enough, `{}`: with it all accesses of threads are proved ordered",
                  enough->behind ? "behind" : "before", text),
      enough->neighbour->where, {})};
}

}  // namespace assay::oracle
