// Running a program on ranges: what every implementation within the granted errors of the f64 functions may leave in the
// observed buffers (rigour S).
//
// For programs without threads whose canonical run ended without a fault. Where a range leaves open which way the program
// goes, or where it stores, the run is undecided.
#pragma once

#include "interp/enclosure/range.hpp"
#include "interp/interpreter.hpp"

namespace assay::interp::enclosure {

struct Enclosure {
  std::string undecided{};  // why there is no enclosure, as a sentence; empty when there is one
  std::map<std::string, std::vector<Range>> outputs{};  // per observed buffer and cell
  std::uint64_t operations = 0;
};

/// Never throws; takes parameters and the budget from the options.
Enclosure enclose(const Program& p, const TensorMap& inputs, const Options& options);

/// The first cell of `executed` outside the enclosure, in order of the maps and row major.
struct Escape {
  std::string buffer{};
  std::vector<std::int64_t> cell{};
  Range range{};
  Scalar executed{};
};
std::optional<Escape> find_escape(const Enclosure& e, const TensorMap& executed);

/// "[1.0, 1.5] or nan", or the value.
std::string text(const Range& r);

}  // namespace assay::interp::enclosure
