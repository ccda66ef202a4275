// A conjunction of rows in solved form: what is known on one branch of the search.
//
// Equalities are used up: each fixes a variable, which is replaced everywhere. Where no coefficient is a unit, Euclid's steps
// (unimodular changes of variables) make one. Inequalities are kept normalised, without duplicates; two opposite ones that
// leave one value become an equality.
#pragma once

#include <memory>
#include <optional>

#include "proofs/native/tree.hpp"

namespace assay::native {

/// Values by variable: those of the context first, then those that a store made.
using Model = std::vector<std::int64_t>;

struct Bound {
  std::int64_t lo = INT64_MIN, hi = INT64_MAX;  // the ends of int64 stand for "none"
  bool has_lo() const { return lo != INT64_MIN; }
  bool has_hi() const { return hi != INT64_MAX; }
};

enum class Truth : std::uint8_t { no, yes, open };

class Store {
 public:
  /// Of variables that the context has by now; it gets no others.
  explicit Store(Context& context)
      : context_(&context), solved_(context.size(), -1), defined_(context.size(), false), bounds_(context.size()) {}

  Context& context() const { return *context_; }
  /// No integer point satisfies the rows.
  bool closed() const { return closed_; }
  /// The open inequalities, over variables that no equality fixes.
  const std::vector<Row>& rows() const { return rows_; }

  /// Adds a row and the definitions of the quotients that it mentions.
  void assume(const Row& r);
  /// Interval propagation; fixes variables that have one value left.
  void propagate();
  /// What the rows, one by one, and the propagated bounds say about a row or a tree.
  Truth status(const Row& r) const;
  Truth status(const Tree& tree, NodeId n) const;
  Linear reduce(const Linear& e) const;
  /// What the propagated bounds say about a value.
  Bound bound_of(const Linear& e) const;

  /// Fourier–Motzkin: replaces all rows with `v` by the combinations of its lower with its upper bounds, the constant of each
  /// lessened by (a − 1)(b − 1) when `dark`. The model lifts to a value of v if the elimination was exact.
  void eliminate(Var v, bool dark);
  /// Drops rows that the bounds of single variables imply.
  void prune();
  /// A point of the rows; every row must have been eliminated. Nothing when a variable has no integer value between its
  /// bounds (after an inexact elimination).
  std::optional<Model> model() const;

 private:
  struct Eliminated {
    Var v;
    std::vector<Row> rows;
    std::shared_ptr<const Eliminated> earlier;
  };
  void define(const Linear& e);
  Bound interval(const Linear& e) const;
  void add(Row r);
  void insert(Row r);
  void solve(Linear e);
  void replace(Var v, const Linear& value);
  void drain();
  Var fresh();
  std::int64_t value(Var v, std::vector<std::optional<std::int64_t>>& known) const;
  std::int64_t evaluate(const Linear& e, std::vector<std::optional<std::int64_t>>& known) const;

  Context* context_;
  bool closed_ = false;
  std::vector<Row> rows_;
  std::vector<Row> queue_;
  std::vector<std::int32_t> solved_;  // by variable: index into values_, or −1
  std::vector<Linear> values_;        // over variables that are not solved
  std::vector<bool> defined_;         // of the context's variables: quotients whose definition was added
  std::vector<Bound> bounds_;         // by variable, as of the last propagation
  std::shared_ptr<const Eliminated> eliminated_;
};

}  // namespace assay::native
