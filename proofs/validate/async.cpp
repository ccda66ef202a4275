// The question about a copy and another access is that of a race between two threads, asked of one: it may not come between
// without a barrier. Two independent executions stand for both orders, so that neighbours across a loop's end are included.
#include "proofs/validate/async.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "proofs/validate/barriers.hpp"
#include "proofs/validate/copy_pieces.hpp"
#include "proofs/validate/races.hpp"
#include "proofs/validate/teams.hpp"

namespace assay {
namespace {

using namespace derive;

constexpr int least_copy_bytes = 4;

/// The form of ASYNC-1.
bool is_copy(const Program& p, const Node& n) {
  if (n.stmt->kind != StmtKind::store || n.stmt->value->op != Op::load) return false;
  const Buffer* to = p.find_buffer(n.stmt->name);
  const Buffer* from = p.find_buffer(n.stmt->value->name);
  if (to == nullptr || from == nullptr || to->kind != BufferKind::shared || to->type != from->type) return false;
  const bool in_device_memory = from->kind == BufferKind::input || from->kind == BufferKind::inout ||
                                from->kind == BufferKind::output || from->kind == BufferKind::temp;
  return in_device_memory;
}

class Completion {
 public:
  Completion(const View& view, const Teams& teams, const Barriers& barriers)
      : view_(view), teams_(teams), barriers_(barriers) {}

  Obligation of(const Node& copy, Query& query) {
    std::vector<Case> cases;
    for (const Access& a : copy.accesses) {
      if (a.variable || (!a.writes && a.storage != copy.stmt->value->name)) continue;
      for (const Node& other : view_.extraction.nodes) {
        for (const Access& b : other.accesses) {
          if (!b.variable && b.storage == a.storage && (a.writes || b.writes)) add(copy, a, other, b, cases);
        }
      }
    }
    const ObligationText text{
        "async-completion", fmt::format("nothing of a thread meets its copy to `{}` before a barrier", copy.stmt->name),
        "ASYNC-2", "ASYNC-2"};
    return teams_.in_given_numbers(discharge(text, view_.parameters, view_.program, cases, query));
  }

 private:
  void add(const Node& copy, const Access& a, const Node& other, const Access& b, std::vector<Case>& cases) const {
    Instance x = instantiate(view_, copy, "1");
    Instance y = instantiate(view_, other, "2");
    if (!same_launch(x, y) || barriers_.ordered_by_text(copy, other)) return;
    const Formula placed = place(x, "1") & place(y, "2");
    const Formula unordered = barriers_.unordered(x, a.writes, y, b.writes);
    const Formula apart = &copy == &other ? !derive::same_instance(x, y) : Formula::truth();
    cases.push_back({Formula::all({meeting(x, a, y, b), placed, same_group(x, y), same_thread(x, y), unordered, apart}),
                     x,
                     y,
                     &a,
                     &b,
                     !is_pure(x, a) || !is_pure(y, b),
                     {}});
  }

  const View& view_;
  const Teams& teams_;
  const Barriers& barriers_;
};

bool all_proved(const std::vector<Obligation>& obligations) {
  return std::all_of(obligations.begin(), obligations.end(),
                     [](const Obligation& o) { return o.status == Obligation::Status::proved; });
}

}  // namespace

std::vector<AsyncCopy> async_copies(const Program& p, Query& query) {
  std::vector<AsyncCopy> out;
  const View given(p);
  const auto candidate = [&](const Node& n) { return is_copy(p, n); };
  if (std::none_of(given.extraction.nodes.begin(), given.extraction.nodes.end(), candidate)) return out;
  if (!threads_are_ordered(p, query) || !all_proved(group_races(given, query))) return out;
  const Teams teams(p);
  const View spelled(teams.spelled_out());
  const Barriers barriers(spelled);
  Completion completion(spelled, teams, barriers);
  for (const Node& n : spelled.extraction.nodes) {
    if (!candidate(n)) continue;
    AsyncCopy copy{teams.given_number(n.statement), completion.of(n, query)};
    copy.bytes = static_cast<int>(byte_width(p.find_buffer(n.stmt->name)->type));
    if (copy.completion.status == Obligation::Status::proved)
      copy.elements = elements_of_piece(given, *given.extraction.find(copy.statement), query);
    out.push_back(std::move(copy));
  }
  return out;
}

CopyPieces proved_copies(const Program& p, Query& query) {
  CopyPieces out;
  for (const AsyncCopy& c : async_copies(p, query)) {
    const bool has_size = c.elements * c.bytes >= least_copy_bytes;
    if (has_size && c.completion.status == Obligation::Status::proved) out.emplace(c.statement, c.elements);
  }
  return out;
}

}  // namespace assay
