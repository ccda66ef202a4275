// The test for in-place execution of @grid loops, and the slots of the loops.
#include "codegen/c/grid.hpp"

#include <algorithm>
#include <vector>

#include "ir/traverse.hpp"

namespace assay::codegen {
namespace {

struct Place {
  const StmtNode* innermost = nullptr;  // @grid loop around the access; null when there is none
  bool iterated = false;                // an iterating loop stands around that @grid loop
  bool operator==(const Place&) const = default;
};

int slots_below(const Block& b, std::map<const StmtNode*, int>& slots) {
  int deepest = 0;
  for (const Stmt& s : b) {
    int depth = std::max(slots_below(s->body, slots), slots_below(s->other, slots));
    if (s->kind == StmtKind::loop && s->axis == Axis::grid) slots[&*s] = depth++;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

}  // namespace

bool needs_groups(const Program& p) {
  std::map<Symbol, Place> places;
  bool separate = false;
  std::vector<const StmtNode*> loops;
  const auto access = [&](const Symbol& buffer) {
    const Buffer* b = p.find_buffer(buffer);
    if (b == nullptr || b->kind != BufferKind::local) return;
    Place here;
    for (const StmtNode* loop : loops) {
      if (loop->axis == Axis::grid) here.innermost = loop;
    }
    for (const StmtNode* loop : loops) {
      if (loop == here.innermost || here.innermost == nullptr) break;
      here.iterated = here.iterated || loop->axis != Axis::grid;
    }
    const auto [known, added] = places.emplace(buffer, here);
    separate = separate || here.iterated || known->second != here;
  };
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) loops.push_back(&*s);
    if (s->kind == StmtKind::store || s->kind == StmtKind::zero) access(s->name);
    return true;
  };
  v.leave_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) loops.pop_back();
  };
  v.enter_expr = [&](const Expr& e) {
    if (e->op == Op::load) access(e->name);
    return true;
  };
  visit(p.body, v);
  return separate;
}

std::map<const StmtNode*, int> grid_slots(const Program& p) {
  std::map<const StmtNode*, int> slots;
  slots_below(p.body, slots);
  return slots;
}

}  // namespace assay::codegen
