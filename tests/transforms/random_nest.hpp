// Random programs for the property test: nests with every form of bound, guard and body that operations must cope with.
#pragma once

#include <functional>
#include <string>

namespace assay::test {

/// Draws an integer a <= x <= b.
using Draw = std::function<int(int a, int b)>;

/// The text of a program over the buffers of `nest` and a parameter n in 0..5; a few thousand executions at most. It
/// may break a rule on the places of loop kinds.
std::string random_nest(const Draw& draw);

}  // namespace assay::test
