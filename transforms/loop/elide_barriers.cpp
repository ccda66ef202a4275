// `elide_barriers`: barriers behind something that ends in a barrier go, a tile product above all (spec/elide_barriers.md).
//
//   for ko { … tile product … barrier }  barrier   becomes   for ko { … tile product … }
//
// That no two threads meet without them is an obligation: race-freedom and barrier-uniformity of the new program.
#include <algorithm>

#include "ir/analysis/launch.hpp"
#include "transforms/define.hpp"
#include "transforms/facts.hpp"

namespace assay {
namespace {

bool is_barrier(const Stmt& s) { return s->kind == StmtKind::barrier; }

class Elision {
 public:
  Elision(const Program& p, Query& query) : query_(query) {
    for (const StmtNode* tile : tiles_among_threads(p)) teams_.insert(tile->name);
  }

  Block block(const Block& b, const Formula& known) {
    Block out;
    bool ended = false;  // what stands before ends in a barrier
    for (const Stmt& s : b) {
      for (const Stmt& t : statement(s, known)) {
        if (is_barrier(t) && ended) {
          ++changes_;
          continue;
        }
        ended = ends_in_barrier(t, known);
        out.push_back(t);
      }
    }
    return out;
  }
  int changes() const { return changes_; }

 private:
  Block statement(const Stmt& s, const Formula& known) {
    if (s->kind != StmtKind::loop && s->kind != StmtKind::branch) return {s};
    const bool loop = s->kind == StmtKind::loop;
    Block body = block(s->body, loop ? known & loop_domain(s) : known);
    Block other = block(s->other, known);
    Block out;
    if (loop && repeats(s) && body.size() > 1 && is_barrier(body.front()) &&
        ends_in_barrier(body.back(), known & loop_domain(s))) {
      ++changes_;
      out.push_back(body.front());
      body.erase(body.begin());
    }
    out.push_back(with(s, [&](StmtNode& n) {
      n.body = std::move(body);
      n.other = std::move(other);
    }));
    return out;
  }

  static bool repeats(const Stmt& loop) { return loop->axis == Axis::serial || loop->axis == Axis::unrolled; }

  bool ends_in_barrier(const Stmt& s, const Formula& known) const {
    if (is_barrier(s)) return true;
    if (s->kind != StmtKind::loop || s->body.empty()) return false;
    if (teams_.count(s->name) != 0) return true;
    if (!repeats(s) || !ends_in_barrier(s->body.back(), known & loop_domain(s))) return false;
    return query_.implied(known, Formula::lt(s->lo, s->hi));  // an iteration there is
  }

  Query& query_;
  std::set<Symbol> teams_;  // tile products of threads
  int changes_ = 0;
};

class ElideBarriers final : public Operation {
 public:
  explicit ElideBarriers(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "elide_barriers";
    d.rule_prefix = "ELI";
    d.summary = "leaves out barriers behind what ends in a barrier";
    d.refusals = {{"ELI-1", "no barrier stands behind what ends in one"}};
    d.schema = "K (kind)";
    d.obligations = {"barrier-uniformity", "race-freedom"};
    d.example_program =
        "program twice { input A: f32[8] output R: f32[8] shared S: f32[8]\n"
        "  for t in 0..8 @workgroup {\n"
        "    S[t] = A[t] barrier barrier R[t] = S[7 - t]\n"
        "  }\n"
        "}\n";
    d.example_schedule = "elide_barriers\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    return std::make_unique<ElideBarriers>(std::move(line));
  }

  StepResult apply(const Program& before, Query& query) const override {
    Elision elision(before, query);
    Program after = before;
    after.body = elision.block(before.body, parameter_domain(before));
    if (elision.changes() == 0)
      return tl::unexpected(inapplicable(line_, "ELI-1", "no barrier stands behind what ends in one"));
    return placed(line_, std::move(after));
  }

 private:
  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(ElideBarriers)
