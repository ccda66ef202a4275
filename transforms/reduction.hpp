// Accumulations as schedule operations see them: the updates of one target in a loop, and the texts of partial results.
#pragma once

#include <string>
#include <vector>

#include "ir/analysis/access.hpp"
#include "transforms/define.hpp"

namespace assay {

/// The updates `X = X ⊕ …` of one buffer or variable inside a loop, all by one operator; the loop uses X in no other way.
struct Reduction {
  Op op = Op::add;
  Type type = Type::f32;
  bool variable = false;
  std::vector<const Node*> updates{};  // nodes of the extraction
};
/// Or why the uses of `target` inside `loop` are not such updates, without a code.
tl::expected<Reduction, Misfit> find_reduction(const Extraction& extraction, const Program& p, const Symbol& target,
                                               const Stmt& loop);

/// Where the loop stands among the loops (of a node); their number when it is none of them.
std::size_t depth_of(const std::vector<Stmt>& loops, const Symbol& loop);
inline std::size_t depth_of(const Node& n, const Symbol& loop) { return depth_of(n.loops, loop); }
/// Conditions of both lists, by the `if` and the arm.
std::vector<Guard> common_guards(std::vector<Guard> a, const std::vector<Guard>& b);
/// The condition reads no data and no symbol of `hidden`.
bool is_known(const Guard& g, const std::set<Symbol>& hidden);
/// The statements under the conditions, outermost first; `map` replaces symbols in these.
Block guarded(const std::vector<Guard>& guards, Block inner, const std::map<Symbol, Index>& map, Location where);

/// A tree of the operator over the operands, split in the middle: of five, two and three.
Expr balanced(Op op, const std::vector<Expr>& operands);

/// The block with every load and store of the target led to a cell of `partials` instead: `lead(indices)` gives its indices.
Block redirected(const Block& b, const Symbol& target, const Symbol& partials, Type type,
                 const std::function<std::vector<Expr>(const std::vector<Expr>& indices)>& lead);

}  // namespace assay
