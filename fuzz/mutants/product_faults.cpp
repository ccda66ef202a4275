// Planted faults of the operations about products of tiles and what follows them: tensorize, fuse_epilogue.
#include <algorithm>

#include "fuzz/mutants/plant.hpp"
#include "ir/traverse.hpp"

namespace assay::fuzz {
namespace {

// A condition inside the tile product goes, if there is one.
std::optional<Program> drop_condition(const Program&, const Program& after, const ScheduleLine&) {
  const auto holds = [](const Stmt& s) {
    return s->kind == StmtKind::loop && s->body.size() == 1 && s->body[0]->kind == StmtKind::branch;
  };
  const auto in_tile = [&](const Program& p) {
    return at_first(
        p, [](const Stmt& s) { return s->kind == StmtKind::loop && s->axis == Axis::tile; },
        [&](const Stmt& s) {
          Program inside = p;
          inside.body = s->body;
          const auto changed = at_first(inside, holds, [](const Stmt& l) {
            return Block{with(l, [](StmtNode& n) { n.body = Block(n.body[0]->body); })};
          });
          return changed ? Block{with(s, [&](StmtNode& n) { n.body = changed->body; })} : Block{s};
        });
  };
  const auto out = in_tile(after);
  if (!out || *out == after) return std::nullopt;
  return out;
}

// The statements that the fused tail consists of, by their number in the old program: those of the top-level statement that
// is no longer where it was.
std::set<int> tail_statements(const Program& before, const Program& after) {
  std::size_t k = 0;
  const auto number = [](const Stmt& s) { return s->provenance ? s->provenance->statement : -1; };
  while (k < after.body.size() && number(after.body[k]) == number(before.body[k])) ++k;
  std::set<int> out;
  if (k == before.body.size()) return out;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    out.insert(number(s));
    return true;
  };
  visit(before.body[k], v);
  return out;
}

// All that `s` holds and that claims an origin is of the tail.
bool is_tail(const Stmt& s, const std::set<int>& numbers) {
  bool any = false, all = true;
  Visitor v;
  v.enter_stmt = [&](const Stmt& t) {
    if (!t->provenance || t->provenance->statement < 0) return true;
    any = true;
    all = all && numbers.count(t->provenance->statement) != 0;
    return true;
  };
  visit(s, v);
  return any && all;
}

// Changes the block that holds the tail.
Plant on_tail(const std::function<std::optional<Block>(Block, std::size_t at)>& change) {
  return [=](const Program& before, const Program& after, const ScheduleLine&) -> std::optional<Program> {
    const std::set<int> numbers = tail_statements(before, after);
    const auto attempt = [&](const Block& b) -> std::optional<Block> {
      const auto tail = std::find_if(b.begin(), b.end(), [&](const Stmt& s) { return is_tail(s, numbers); });
      if (tail == b.end()) return std::nullopt;
      return change(b, static_cast<std::size_t>(tail - b.begin()));
    };
    if (const auto top = attempt(after.body)) {
      Program out = after;
      out.body = *top;
      return out;
    }
    return at_first(
        after, [&](const Stmt& s) { return !is_tail(s, numbers) && attempt(s->body).has_value(); },
        [&](const Stmt& s) { return Block{with(s, [&](StmtNode& n) { n.body = *attempt(n.body); })}; });
  };
}

// The tail at the end of the loop before it, and of those inside that: every partial sum is taken for the whole.
std::optional<Block> too_early(Block b, std::size_t at) {
  if (at == 0 || b[at - 1]->kind != StmtKind::loop || b[at - 1]->axis == Axis::tile) return std::nullopt;
  const Stmt tail = b[at];
  b.erase(b.begin() + static_cast<std::ptrdiff_t>(at));
  b[at - 1] = with(b[at - 1], [&](StmtNode& n) { n.body.push_back(tail); });
  return b;
}

Stmt rewrite_stores(const Stmt& tail, const std::function<void(StmtNode&)>& change) {
  return rewrite({tail}, {},
                 [&](const Stmt& s) -> Block {
                   if (s->kind != StmtKind::store || s->indices.empty()) return {s};
                   return {with(s, change)};
                 })
      .front();
}

}  // namespace

std::vector<StepFault> product_faults() {
  return {
      {"tensorize", "the last row is lost", shorten(operand(0), 0, -1)},
      {"tensorize", "the first column is lost", shorten(operand(1), 1, 0)},
      {"tensorize", "the last term is lost", shorten(operand(2), 0, -1)},
      {"tensorize", "one term too many", shorten(operand(2), 0, 1)},
      {"tensorize", "off by one in the terms", shift_symbol(operand(2))},
      {"tensorize", "off by one in the rows", shift_symbol(operand(0))},
      {"tensorize", "a mask is dropped", drop_condition},
      {"fuse_epilogue", "the tail sees partial sums", on_tail(too_early)},
      {"fuse_epilogue", "the tail comes first", on_tail([](Block b, std::size_t at) -> std::optional<Block> {
         if (at == 0) return std::nullopt;
         std::swap(b[at - 1], b[at]);
         return b;
       })},
      {"fuse_epilogue", "the tail is lost", on_tail([](Block b, std::size_t at) -> std::optional<Block> {
         b.erase(b.begin() + static_cast<std::ptrdiff_t>(at));
         return b;
       })},
      {"fuse_epilogue", "dropped guard", drop_guard},
      {"fuse_epilogue", "the last copy of a loop that runs again is lost", shorten(fresh(), 0, -1)},
      {"fuse_epilogue", "off by one in a loop that runs again", shift_symbol(fresh())},
      {"fuse_epilogue", "the tail stores to the next cell",
       on_tail([](Block b, std::size_t at) -> std::optional<Block> {
         b[at] = rewrite_stores(b[at], [](StmtNode& n) {
           if (n.indices.back()->op == Op::index) n.indices.back() = make_index(n.indices.back()->index + 1);
         });
         return b;
       })},
      {"fuse_epilogue", "the tail stores twice as much", on_tail([](Block b, std::size_t at) -> std::optional<Block> {
         b[at] = rewrite_stores(b[at], [](StmtNode& n) { n.value = make_op(Op::add, {n.value, n.value}); });
         return b;
       })},
  };
}

}  // namespace assay::fuzz
