// `assay ops` and `assay explain`: what the program knows about its operations and its codes, as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transforms/operation.hpp"

namespace assay::cli {

/// Every operation, or the one of that name with its example.
std::string operations_text(const std::vector<OperationEntry>& entries, bool in_full);

/// A code in full: the rule of spec/, and the operation that refuses with it; or an operation by its name. Nothing for
/// anything else.
std::optional<std::string> explain(const std::string& code);
/// A text of ours for a terminal without UTF-8: mathematical signs are spelled out, what else there may be becomes `?`.
std::string spelled_in_ascii(std::string_view text);
/// Every code and name that `explain` knows.
std::vector<std::string> known_codes();

}  // namespace assay::cli
