// Executions by enumeration: an independent check of what a step claims about its statements.
//
// A trace lists, in canonical order, every statement that a program executes at given parameter values: the statement
// of the source program that it claims to be, the iteration of the source that it claims to be, and its text with all
// index values computed. Data is not: a condition that reads data is an event of its own, and both its arms are listed.
// Two programs with equal traces do the same things in the same order; with traces equal up to order, the same things.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/program.hpp"

namespace assay::test {

using Values = std::map<Symbol, std::int64_t>;

struct Trace {
  std::vector<std::string> events{};
  std::string problem{};  // an unclaimed leaf, a symbol without a value, or too many events
};

/// Statements must carry provenance (number_statements gives a program its own). Not `ordered`: the events sorted,
/// those inside a scope among themselves.
Trace trace(const Program& p, const Values& parameters, bool ordered);

/// All parameter values that the ranges and requirements allow, at most `limit` of them spread over the range.
std::vector<Values> parameter_values(const Program& p, std::size_t limit);

/// Empty when `after` does what `before` does at the given parameter values; else what differs first. `same_order`: in
/// the same order too.
std::string difference(const Program& before, const Program& after, const Values& parameters, bool same_order);
/// The same at up to 12 parameter values.
std::string difference(const Program& before, const Program& after, bool same_order);

}  // namespace assay::test
