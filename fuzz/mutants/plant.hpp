// What planted faults of operations are made of: places in the result of a step, and changes there.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/mutants/step_faults.hpp"

namespace assay::fuzz {

using Plant = std::function<std::optional<Program>(const Program& before, const Program& after, const ScheduleLine&)>;
using Wanted = std::function<bool(const Stmt&)>;
/// Which statements are meant, given the program before and the line.
using Which = std::function<Wanted(const Program& before, const ScheduleLine&)>;

/// Applies `change` to the first statement that `wanted` accepts (preorder); nothing when there is none.
std::optional<Program> at_first(const Program& p, const Wanted& wanted,
                                const std::function<Block(const Stmt&)>& change);

/// The statements of the program before a step, by their numbers.
std::map<int, Stmt> by_number(const Program& before);
/// A loop of the new program that the old one does not have under that name.
Wanted new_loop(const Program& before);
Wanted loop_named(const std::string& name);
/// A statement that the step added: it claims no origin.
bool is_added(const Stmt& s);
/// A guard that the step added: it claims no origin.
bool added_guard(const Stmt& s);

Which fresh();
Which operand(std::size_t k);

Stmt with_bounds(const Stmt& s, const Index& lo, const Index& hi);

std::optional<Program> drop_guard(const Program&, const Program& after, const ScheduleLine&);
/// The first variable declared with a value, or the first assignment that opens a scope, loses it.
std::optional<Program> lose_initial_value(const Program&, const Program& after, const ScheduleLine&);
/// Moves the bounds of a loop by steps.
Plant shorten(const Which& which, int from_lo, int from_hi);
/// Replaces the symbol of a loop in its body by a value made of it, claims included.
Plant replace_symbol(const Which& which, const std::function<Index(const Index&)>& value);
/// Uses `symbol + 1` for `symbol` in the body, claims included.
Plant shift_symbol(const Which& which);

/// Of partition, pad, coalesce, expand_zero, fission.
std::vector<StepFault> segment_faults();
/// Of tensorize, fuse_epilogue.
std::vector<StepFault> product_faults();

}  // namespace assay::fuzz
