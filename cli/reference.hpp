// `assay ops` and `assay explain`: what the program knows about its operations and its codes, as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transforms/operation.hpp"

namespace assay::cli {

/// Every operation, or the one of that name with its example.
std::string operations_text(const std::vector<OperationEntry>& entries, bool in_full);

/// A code in full: the rule of spec/, and the operation that refuses with it; or an operation by its name. Nothing for
/// anything else.
std::optional<std::string> explain(const std::string& code);
/// Every code and name that `explain` knows.
std::vector<std::string> known_codes();

}  // namespace assay::cli
