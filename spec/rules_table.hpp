// The numbered rules of spec/*.md, built into the program: what `assay explain CODE` quotes.
//
// The table is generated from the pages when they change (cmake/EmbedSpec.cmake); nothing is read at run time.
#pragma once

#include <span>
#include <string_view>

namespace assay::spec {

struct Rule {
  std::string_view id{};    // "SPLIT-3"
  std::string_view file{};  // "spec/split.md", relative to the root of the source tree
  int line = 0;             // where it stands there, from 1
  std::string_view text{};  // UTF-8, one line, Markdown as written
};

/// Every rule, by prefix and then by number. Identifiers are unique.
std::span<const Rule> all_rules();
/// The rule with that identifier, or null.
const Rule* find_rule(std::string_view id);

}  // namespace assay::spec
