// Appends rule outcomes to the log named by ASSAY_RULES_LOG; each (rule, outcome) once per process. Every test program has this
// file, so it also chooses the cache of kernels.
#include "tests/support/rules.hpp"

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

namespace assay::test {
namespace {

// Tests keep kernels in the build folder, never in the user's cache.
[[maybe_unused]] const int cache_chosen = ::setenv("ASSAY_CACHE", ASSAY_BINARY_DIR "/kernels", 0);

}  // namespace

bool record_rule(std::string_view rule, bool held) {
  static std::set<std::string> seen;
  const std::string line = std::string(rule) + (held ? " pass" : " fail");
  if (seen.insert(line).second) {
    if (const char* path = std::getenv("ASSAY_RULES_LOG")) {
      std::ofstream(path, std::ios::app) << line << '\n';
    }
  }
  return held;
}

}  // namespace assay::test
