// Planted faults of the operations that cut, extend and merge loops, spell out zeroing and begin launches.
#include <algorithm>

#include "fuzz/mutants/plant.hpp"
#include "ir/traverse.hpp"

namespace assay::fuzz {
namespace {

// The loop that a partition without `->` names SYMBOL_k.
Which part(int k) {
  return [k](const Program&, const ScheduleLine& line) -> Wanted {
    const std::string wanted = line.operands.empty() ? "" : stem(line.operands[0].text) + "_" + std::to_string(k);
    return [wanted](const Stmt& s) { return s->kind == StmtKind::loop && stem(s->name) == wanted; };
  };
}

// The last idle tile of a padded loop, and the last real one with it: the extent is rounded down.
std::optional<Program> round_down(const Program&, const Program& after, const ScheduleLine& line) {
  if (line.keys.empty()) return std::nullopt;
  const int to = std::stoi(line.keys[0].second[0].text);
  return shorten(operand(0), 0, -to)({}, after, line);
}

std::optional<Program> change_guard(const Program& after, const std::function<Expr(const Expr&)>& change) {
  return at_first(
      after, [](const Stmt& s) { return added_guard(s) && s->value->op == Op::lt; },
      [&](const Stmt& s) { return Block{with(s, [&](StmtNode& n) { n.value = change(n.value); })}; });
}

// The store that a `zero` became.
bool zeroing(const Program& before, const Stmt& s) {
  if (s->kind != StmtKind::store || !s->provenance) return false;
  bool found = false;
  int number = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& t) {
    found = found || (number == s->provenance->statement && t->kind == StmtKind::zero);
    ++number;
    return true;
  };
  visit(before.body, v);
  return found;
}
Plant on_zeroing(const std::function<Stmt(const Stmt&)>& change) {
  return [=](const Program& before, const Program& after, const ScheduleLine&) {
    return at_first(
        after, [&](const Stmt& s) { return zeroing(before, s) && !s->indices.empty(); },
        [&](const Stmt& s) { return Block{change(s)}; });
  };
}

// The top-level statements before and after the new launch.
Plant on_sides(const std::function<void(Block& first, Block& second)>& change) {
  return [=](const Program& before, const Program& after, const ScheduleLine&) -> std::optional<Program> {
    std::size_t at = 0;
    while (at < before.body.size() && before.body[at] == after.body[at]) ++at;
    if (at == after.body.size()) return std::nullopt;
    const auto launch = after.body.begin() + static_cast<std::ptrdiff_t>(at);
    Block first(after.body.begin(), launch);
    Block second(launch + 1, after.body.end());
    change(first, second);
    Program out = after;
    out.body = std::move(first);
    out.body.push_back(*launch);
    out.body.insert(out.body.end(), second.begin(), second.end());
    return out;
  };
}

}  // namespace

std::vector<StepFault> segment_faults() {
  return {
      {"partition", "the first iteration of the second part is lost", shorten(part(1), 1, 0)},
      {"partition", "the last iteration of the first part is lost", shorten(part(0), 0, -1)},
      {"partition", "the parts overlap", shorten(part(0), 0, 1)},
      {"partition", "the last part is too long", shorten(part(1), 0, 1)},
      {"partition", "off by one in the second part", shift_symbol(part(1))},
      {"partition", "the second part is missing",
       [](const Program& before, const Program& after, const ScheduleLine& line) {
         return at_first(after, part(1)(before, line), [](const Stmt&) { return Block{}; });
       }},
      {"partition", "lost initial value", lose_initial_value},
      {"pad", "dropped guard", drop_guard},
      {"pad", "the guard lets one idle iteration through",
       [](const Program&, const Program& after, const ScheduleLine&) {
         return change_guard(after, [](const Expr& e) { return make_op(Op::le, e->args); });
       }},
      {"pad", "the guard stops the last iteration",
       [](const Program&, const Program& after, const ScheduleLine&) {
         return change_guard(after, [](const Expr& e) {
           return make_op(Op::lt, {make_index(e->args[0]->index + 1), e->args[1]});
         });
       }},
      {"pad", "the guard is the wrong way round",
       [](const Program&, const Program& after, const ScheduleLine&) {
         return change_guard(after, [](const Expr& e) { return make_op(Op::ge, e->args); });
       }},
      {"pad", "the number of iterations is rounded down", round_down},
      {"pad", "the first iteration is lost", shorten(operand(0), 1, 0)},
      {"pad", "off by one in the body", shift_symbol(operand(0))},
      {"coalesce", "the last iteration is lost", shorten(fresh(), 0, -1)},
      {"coalesce", "the first iteration is lost", shorten(fresh(), 1, 0)},
      {"coalesce", "one iteration too many", shorten(fresh(), 0, 1)},
      {"coalesce", "off by one in the body", shift_symbol(fresh())},
      {"coalesce", "every second iteration twice",
       replace_symbol(fresh(), [](const Index& ij) { return floordiv(ij, 2) * 2; })},
      {"coalesce", "lost initial value", lose_initial_value},
      {"expand_zero", "the last row is lost", shorten(fresh(), 0, -1)},
      {"expand_zero", "the first row is lost", shorten(fresh(), 1, 0)},
      {"expand_zero", "one row too many", shorten(fresh(), 0, 1)},
      {"expand_zero", "one instead of zero", on_zeroing([](const Stmt& s) {
         return with(s, [](StmtNode& n) { n.value = make_literal(Scalar{n.value->type, 1}); });
       })},
      {"expand_zero", "only the diagonal",
       on_zeroing([](const Stmt& s) { return with(s, [](StmtNode& n) { n.indices.back() = n.indices.front(); }); })},
      {"expand_zero", "the same cell every time",
       on_zeroing([](const Stmt& s) { return with(s, [](StmtNode& n) { n.indices.front() = make_index(0); }); })},
      {"fission", "the last statement is lost", on_sides([](Block&, Block& second) { second.pop_back(); })},
      {"fission", "the first statement is lost", on_sides([](Block& first, Block&) { first.erase(first.begin()); })},
      {"fission", "the last statement is there twice", on_sides([](Block&, Block& second) {
         NameSupply names(Program{"", {}, {}, {}, second, {}}.bound_names());
         second.push_back(refresh_binders({second.back()}, names).front());
       })},
      {"fission", "the launches are exchanged",
       on_sides([](Block& first, Block& second) { std::swap(first, second); })},
      {"fission", "the first statement moves to the end", on_sides([](Block& first, Block& second) {
         second.push_back(first.front());
         first.erase(first.begin());
       })},
      {"fission", "lost initial value", lose_initial_value},
  };
}

}  // namespace assay::fuzz
