// The JSON form of answers (format.md §3, schema 1; CLI-4).
#pragma once

#include <string>

#include "oracle/menu.hpp"
#include "oracle/report.hpp"

namespace assay::oracle {

inline constexpr int json_schema = 1;

/// The version that answers carry.
std::string_view version();

/// One object, indented, with a final newline. Deterministic: the same report gives the same bytes.
/// A product (generated code, a transformed program, an explanation) stands under "product".
std::string to_json(const Report& r, const std::optional<std::string>& product = std::nullopt);

/// The declarations of schedule operations, for `assay ops --json`.
std::string to_json(const std::vector<OperationEntry>& operations);

/// The steps of a menu or of a default schedule, for `assay menu --json`. `claim` as on the screen.
std::string to_json(const Menu& m, const std::string& program, const std::string& claim);

}  // namespace assay::oracle
