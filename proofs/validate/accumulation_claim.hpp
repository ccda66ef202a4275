// What the statements of a new program are, for schema A (accumulation): contributions to partial results, starts of partial
// results, combinations of them into the target, and everything else, which is old. Derived from the two texts.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "proofs/validate/points.hpp"

namespace assay::derive {

/// An old accumulation into the target that is now one into a partial result.
struct Contribution {
  const Node* now = nullptr;
  const Node* source = nullptr;
};

/// Partial cells that a combination reads, each once: those that differ in one coordinate only, a constant, are one part.
struct Part {
  Symbol storage{};
  std::vector<Index> cell{};  // over the symbols of the statement that reads
  int axis = -1;              // this coordinate is any of lo..hi, both inclusive; -1: none
  std::int64_t lo = 0, hi = 0;
  /// The cells at an execution of the reader. `choice` stands for the coordinate.
  Spot at(const Instance& reader, const Index& choice) const;
  Formula inside(const Index& choice) const;
};

/// A new statement `target = target ⊕ tree of partial cells`.
struct Combination {
  const Node* now = nullptr;
  const Node* reads = nullptr;  // the statement that reads them: itself, or the variable declared just before
  std::vector<Part> parts{};
};

/// What is accumulated into one target.
struct Accumulation {
  Symbol target{};  // a buffer or a variable of the old program
  bool variable = false;
  Type type = Type::f32;
  Op op = Op::add;
  std::vector<Contribution> contributions{};
  std::vector<Combination> combinations{};
  std::vector<const Node*> starts{};
  std::set<Symbol> partial{};  // its buffers of partial results, which no other target has
  /// How many outer loops all uses of partial results share: an iteration of these is an epoch of its own.
  std::size_t epoch = 0;

  /// Starts, contributions and combinations.
  std::vector<const Node*> users() const;
  bool is_combination(const Node& n) const;
};

struct AccumulationClaim {
  std::vector<Accumulation> targets{};
  std::string refusal{};
  Stmt refused{};
};

AccumulationClaim derive_accumulation(const View& before, const View& after);

/// A statement that claims no old one.
bool is_added(const Stmt& s);

/// The cell of a contribution's source over the symbols of the contribution; empty for a variable.
std::vector<Expr> target_indices(const Contribution& c);

/// The new program without starts and combinations, and with every contribution straight to the target.
struct DirectProgram {
  Program program{};
  std::vector<int> numbers{};     // of its statements in the new program
  std::set<int> contributions{};  // by its own numbers
};
DirectProgram direct_program(const View& before, const View& after, const AccumulationClaim& claim);

}  // namespace assay::derive
