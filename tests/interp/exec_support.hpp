// Running program text in the interpreter's tests: short ways to write inputs and to read outputs and faults.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interp/interpreter.hpp"
#include "ir/text/source.hpp"

namespace assay::test {

/// The program of a text; a text that does not parse fails the test and gives an empty program.
Program program(std::string_view text);
/// A tensor of any type from numbers that it holds exactly.
Tensor tensor(Type type, std::vector<std::int64_t> dims, const std::vector<double>& values);
/// A one-dimensional one.
Tensor row(Type type, const std::vector<double>& values);

/// Runs in both engines, which must tell the same (EXEC-34).
interp::Outcome run_both(const Program& p, const TensorMap& inputs, interp::Options options);
/// Runs a text with default options.
interp::Outcome run_text(std::string_view text, const TensorMap& inputs = {});
interp::Outcome run_text(std::string_view text, const TensorMap& inputs, const interp::Options& options);

/// An observed buffer's values; empty when the run was not ok.
std::vector<double> output(const interp::Outcome& o, const std::string& buffer);

using Iteration = std::vector<std::pair<Symbol, std::int64_t>>;
using Cells = std::vector<std::int64_t>;
/// "RUN-1 statement 3 line 7 i=0 j=4 A[5, 2]": all that a fault names; "ok" or "budget" where there is none.
std::string describe(const interp::Outcome& o);
/// "1 i=0 stores, 1 i=1 loads A[0]": the two statements, iterations and the cell of a race; "none" where there is none.
std::string describe_race(const interp::Outcome& o);

}  // namespace assay::test
