// What the statements of a new program are, for schema F (flow): executions of old statements, or copies between the old
// storage and new storage. Derived from the two texts; the provenance of statements says only where to look.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "proofs/validate/points.hpp"

namespace assay::derive {

/// A place in the old program as seen from the new one: a node or moment, and its loop symbols as Index values over those
/// of the new place.
struct OldPlace {
  const Node* node = nullptr;
  std::map<Symbol, Index> symbols{};
  Instance at(const View& before, const Instance& now) const;
};

struct Role {
  enum class Kind {
    body,  // one execution of the old statement `source`
    copy,  // moves a value between old and new storage, unchanged
    init,  // puts a constant into new storage
    none   // an affine condition, or a declaration without a value: nothing happens
  } kind = Kind::none;
  const Node* now = nullptr;
  OldPlace source{};             // body
  const Access* read = nullptr;  // copy
  bool from_old = false;         // copy: it reads the old storage, else it writes it
  /// Copy: where in the old program the old cell holds the value that is moved.
  OldPlace moment{};
  /// For each of `now`'s data-dependent guards: the place of the `if` in the new and in the old program.
  struct DataGuard {
    const Guard* guard = nullptr;
    const Node* before_now = nullptr;  // the moment before the `if` in the new program
    OldPlace before_source{};          // the same in the old program
  };
  std::vector<DataGuard> guards{};
  /// Of a body its source, of a copy its moment.
  const OldPlace& old_place() const { return kind == Kind::copy ? moment : source; }
};

/// The roles of all statements of the new program, or why the claim is refused.
struct Claim {
  std::vector<Role> roles{};
  std::set<Symbol> new_storage{};  // buffers and variables that the old program does not have
  std::string refusal{};
  Stmt refused{};
};

/// There is new storage, or some statement that does anything comes from no old statement.
bool moves_values(const Program& before, const Program& after);

Claim derive_roles(const View& before, const View& after, Moments& moments_before, Moments& moments_after);

/// Whether declarations agree: parameters, requirements, and every buffer. Otherwise what differs. With `additions`, new
/// `temp`, `shared` and `local` buffers are allowed; with `removals`, internal buffers may be gone.
std::optional<std::string> interface_difference(const Program& before, const Program& after, bool additions,
                                                bool removals = false);

}  // namespace assay::derive
