// How many programs the tests of every order of threads draw, and from which seed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "property_run.hpp"

namespace assay::fuzz {

/// ASSAY_INTERLEAVING_CASES, else `usual`, in a shortened run a sixth of it.
inline int interleaving_cases(int usual) {
  if (const char* text = std::getenv("ASSAY_INTERLEAVING_CASES")) return std::max(20, std::atoi(text));
  return is_shortened() ? usual / 6 : usual;
}
/// A seed for one test, moved by ASSAY_PROPERTY_SEED.
inline std::uint64_t interleaving_seed(std::uint64_t own) {
  const char* text = std::getenv("ASSAY_PROPERTY_SEED");
  return own + (text ? std::strtoull(text, nullptr, 10) : 20261201);
}

}  // namespace assay::fuzz
