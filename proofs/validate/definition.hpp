// Storage that only one of two aligned programs has: what a read of it stands for, for schema W.
//
// Such a storage is filled by one statement. A read of it stands for that statement's expression, at the execution that
// stored the cell, as long as nothing that the expression reads has changed since.
#pragma once

#include <optional>
#include <set>

#include "proofs/validate/align.hpp"
#include "proofs/validate/same_value.hpp"

namespace assay::derive {

class Definitions {
 public:
  /// `own`: the storages that `view` alone has.
  Definitions(const View& view, const std::set<Symbol>& own);
  /// The value that `read` stands for where `reader`, at last, uses it; `wrong`: the cell holds another one, or none.
  std::optional<SameValue::Stored> expand(const Side& read, const Instance& reader);
  bool approximate() const { return approximate_; }

 private:
  struct Definition {
    const Node* writer = nullptr;       // null where there is none, or more than one
    std::vector<const Node*> scopes{};  // the statements inside the scopes of its expression
  };
  std::optional<Instance> source_of(const Side& read, const Node& writer) const;
  std::optional<Formula> unshared_guards(const Instance& source, const Instance& at);
  Formula not_this(const Side& read, const Instance& source);
  std::vector<std::pair<const Node*, const Access*>> inputs(const Definition& d) const;
  Formula other_copy(const Definition& d, const Instance& source, const Instance& read, const Instance& reader) const;
  Formula stale(const Definition& d, const Instance& source, const Instance& reader);

  const View& view_;
  std::map<Symbol, Definition> definitions_;
  int fresh_ = 0;
  bool approximate_ = false;
};

}  // namespace assay::derive
