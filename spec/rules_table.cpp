// Look-up in the generated table. A linear scan: a few hundred rules, one question per command.
#include "spec/rules_table.hpp"

#include <algorithm>

namespace assay::spec {

const Rule* find_rule(std::string_view id) {
  const auto rules = all_rules();
  const auto found = std::find_if(rules.begin(), rules.end(), [id](const Rule& r) { return r.id == id; });
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace assay::spec
