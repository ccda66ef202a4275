// Faults are planted in the honest result. Claims that a faulty implementation would carry along by substitution are
// changed with the text; the rest keeps its claim.
#include "fuzz/mutants/step_faults.hpp"

#include <algorithm>

#include "fuzz/mutants/plant.hpp"
#include "ir/traverse.hpp"

namespace assay::fuzz {
namespace {

bool materializes(const ScheduleLine& line) { return line.text.find("materialize=true") != std::string::npos; }

// The copies of an unrolled body: the statements of `after` where the loop stood. Found as the longest run of siblings that
// claim statements of the loop's body.
Plant on_copies(std::function<std::optional<Block>(const Block& copies, std::size_t per_copy)> change) {
  return [=](const Program& before, const Program& after, const ScheduleLine& line) -> std::optional<Program> {
    if (!materializes(line) || line.operands.empty()) return std::nullopt;
    const auto loops = find_loops(before, line.operands[0].text);
    if (loops.size() != 1 || loops[0]->body.empty()) return std::nullopt;
    const std::size_t per_copy = loops[0]->body.size();
    std::set<int> origins;
    for (const Stmt& s : loops[0]->body) origins.insert(s->provenance->statement);
    std::optional<Program> out;
    const auto try_block = [&](const Block& b) -> std::optional<Block> {
      const auto is_copy = [&](const Stmt& s) { return s->provenance && origins.count(s->provenance->statement) != 0; };
      const auto first = std::find_if(b.begin(), b.end(), is_copy);
      const auto last = std::find_if_not(first, b.end(), is_copy);
      if (last - first < static_cast<std::ptrdiff_t>(2 * per_copy)) return std::nullopt;
      const auto changed = change(Block(first, last), per_copy);
      if (!changed) return std::nullopt;
      Block result(b.begin(), first);
      result.insert(result.end(), changed->begin(), changed->end());
      result.insert(result.end(), last, b.end());
      return result;
    };
    if (const auto top = try_block(after.body)) {
      out = after;
      out->body = *top;
      return out;
    }
    return at_first(
        after, [&](const Stmt& s) { return try_block(s->body).has_value(); },
        [&](const Stmt& s) { return Block{with(s, [&](StmtNode& n) { n.body = *try_block(n.body); })}; });
  };
}

// split, swap, retype, unroll.
std::vector<StepFault> early_faults() {
  return {
      {"split", "dropped guard", drop_guard},
      {"split", "floor for ceiling: the last outer iteration is lost", shorten(fresh(), 0, -1)},
      {"split", "the first outer iteration is lost", shorten(fresh(), 1, 0)},
      {"split", "off by one in the substitution", shift_symbol(fresh())},
      {"split", "lost initial value", lose_initial_value},
      {"split", "one inner iteration too many",
       [](const Program& before, const Program& after, const ScheduleLine&) {
         const auto wanted = new_loop(before);
         return at_first(
             after, [&](const Stmt& s) { return wanted(s) && !(s->body.size() == 1 && wanted(s->body[0])); },
             [](const Stmt& s) { return Block{with_bounds(s, s->lo, s->hi + s->step)}; });
       }},
      {"swap", "dropped guard", drop_guard},
      {"swap", "the new outer loop loses its last iteration", shorten(operand(1), 0, -1)},
      {"swap", "the new inner loop loses its first iteration", shorten(operand(0), 1, 0)},
      {"swap", "off by one in the body", shift_symbol(operand(1))},
      {"swap", "lost initial value", lose_initial_value},
      {"swap", "the symbols of the body are exchanged",
       [](const Program&, const Program& after, const ScheduleLine& line) -> std::optional<Program> {
         if (line.operands.size() < 2) return std::nullopt;
         const Symbol i = line.operands[0].text;
         const Symbol j = line.operands[1].text;
         return at_first(after, loop_named(i), [&](const Stmt& s) {
           const std::map<Symbol, Index> map{{i, Index::symbol(j)}, {j, Index::symbol(i)}};
           return Block{with(s, [&](StmtNode& n) { n.body = substitute(n.body, map); })};
         });
       }},
      {"retype", "the last iteration is lost", shorten(operand(0), 0, -1)},
      {"retype", "the first iteration is lost", shorten(operand(0), 1, 0)},
      {"retype", "one iteration too many", shorten(operand(0), 0, 1)},
      {"retype", "off by one in the body", shift_symbol(operand(0))},
      {"retype", "lost initial value", lose_initial_value},
      {"unroll", "a copy is missing", on_copies([](const Block& copies, std::size_t n) {
         return std::optional<Block>(Block(copies.begin(), copies.end() - static_cast<std::ptrdiff_t>(n)));
       })},
      {"unroll", "a copy is there twice", on_copies([](const Block& copies, std::size_t n) -> std::optional<Block> {
         if (n != 1 || copies[0]->kind != StmtKind::store) return std::nullopt;
         Block out = copies;
         out.insert(out.begin(), copies[0]);
         return out;
       })},
      {"unroll", "reversed copies", on_copies([](const Block& copies, std::size_t n) {
         Block out;
         for (std::size_t k = copies.size(); k >= n; k -= n)
           out.insert(out.end(), copies.begin() + static_cast<std::ptrdiff_t>(k - n),
                      copies.begin() + static_cast<std::ptrdiff_t>(k));
         return std::optional<Block>(out);
       })},
      {"unroll", "the first copy is made of the second",
       on_copies([](const Block& copies, std::size_t n) -> std::optional<Block> {
         if (n != 1 || copies[0]->kind != StmtKind::store) return std::nullopt;
         Block out = copies;
         out[0] = copies[1];
         return out;
       })},
      {"unroll", "lost initial value", lose_initial_value},
  };
}

}  // namespace

const std::vector<StepFault>& step_faults() {
  static const std::vector<StepFault> faults = [] {
    std::vector<StepFault> all = early_faults();
    for (StepFault& f : segment_faults()) all.push_back(std::move(f));
    for (StepFault& f : product_faults()) all.push_back(std::move(f));
    return all;
  }();
  return faults;
}

}  // namespace assay::fuzz
