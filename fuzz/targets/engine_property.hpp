// The property of the two interpreters: on any program, with any options, they tell the same.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "interp/compiled/run.hpp"

namespace assay::fuzz {

struct EnginePropertyResult {
  int programs = 0, runs = 0;
  std::map<std::string, int> ends{};    // runs by status, fault code, "race", "marks"
  std::vector<std::string> failures{};  // program, options and what was different; at most ten
};

/// `programs` random programs, each run with some inputs and options, and again with a budget that ends it on the way.
/// `fault` is planted in the compiled code; then the first failure ends the search.
EnginePropertyResult check_engines(std::uint64_t seed, int programs, const interp::compiled::Change& fault = {});

}  // namespace assay::fuzz
