// Pairs of programs with a claim, written as text, for tests of what is derived from them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "proofs/isl/query.hpp"
#include "proofs/validate/validate.hpp"

namespace assay {

struct Judged {
  Validation validation;
  std::string codes() const {  // of what is not proved, in order
    std::string out;
    for (const Obligation& o : validation.obligations) {
      if (o.status != Obligation::Status::proved) out += (out.empty() ? "" : " ") + o.code;
    }
    return out;
  }
  const Obligation* find(const std::string& kind, Obligation::Status status) const {
    for (const Obligation& o : validation.obligations) {
      if (o.kind == kind && o.status == status) return &o;
    }
    return nullptr;
  }
};

/// As the iteration of a loop: the claim says nothing about it.
inline const Index unsaid = Index::symbol("");

/// Validates `after` against `before` (declarations and statements of a program each). The statements of the new program, in
/// preorder, come from these statements of the old one, at the same iteration of the loops of the same name, or at `at`; -1
/// is a new statement.
Judged judge(const std::string& before, const std::string& after, const std::vector<int>& sources,
             const std::map<Symbol, Index>& at = {}, std::uint64_t budget = default_isl_budget);

}  // namespace assay
