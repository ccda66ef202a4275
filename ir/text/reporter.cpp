// Order of messages.
#include "ir/text/reporter.hpp"

#include <algorithm>

namespace assay::text {

std::vector<Diagnostic> Reporter::take() {
  std::stable_sort(errors_.begin(), errors_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
  });
  return std::move(errors_);
}

}  // namespace assay::text
