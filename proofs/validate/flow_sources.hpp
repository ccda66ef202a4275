// Where values come from: the last writers of a cell before a point, in the new program and in the old one, and the ways in
// which they may fail to correspond.
//
// Every statement counts as always executed, conditions that read data put aside: `if (c) X[f] = e` is
// `X[f] = c ? e : X[f]`, a store at a dynamic index is one to every cell. What that leaves open (the cell keeps its value)
// is a Reader of its own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "proofs/validate/cases.hpp"
#include "proofs/validate/flow_claim.hpp"
#include "proofs/validate/threads.hpp"

namespace assay::derive {

/// A point of the new program that looks at a cell, and the point of the old program that looks at a cell: both must see the
/// same value. The points are reads of statements, or moments.
struct Reader {
  Instance now;
  Spot cell_now{};
  Instance was;
  Spot cell_was{};
  Formula when = Formula::truth();  // over the symbols of `now` (and of open cells)
  const Access* access = nullptr;   // of `was`, for people
  const Access* own = nullptr;      // of `now`, where it is one
};

class Sources {
 public:
  Sources(const View& before, const View& after, const Claim& claim);

  struct Writer {
    const Node* node = nullptr;
    const Access* access = nullptr;
    const Role* role = nullptr;  // of a new statement
  };
  const std::vector<Writer>& writers_now(const Symbol& storage) const;

  struct Found {
    std::vector<Case> flow;                               // the values may differ
    std::vector<Case> window;                             // new storage is read that was not written
    std::vector<std::pair<const Writer*, Formula>> seen;  // the last writers, and when they are
  };
  /// All ways in which a reader may see something else than before.
  Found trace(const Reader& r) const;
  /// Instance symbols of a writer in the formulas of `trace`.
  Instance writer_instance(const Writer& w) const { return instantiate(after_, *w.node, "w"); }

 private:
  Formula hits(const Instance& x, const Access& a, const Spot& cell) const;
  Formula not_before(const Instance& writer, const Instance& point, Copies of) const;
  Formula last_before(const Instance& w, const Access& a, const Reader& r) const;
  void from_body(const Writer& w, const Instance& wi, const Formula& last, const Reader& r, Found& into) const;
  void from_copy(const Writer& w, const Instance& wi, const Formula& last, const Reader& r, Found& into) const;
  void from_entry(const Reader& r, Found& into) const;
  void out_of_thread(const View& view, const Instance& writer, const Spot& cell, const Instance& reader,
                     const Formula& when, const Reader& r, Found& into) const;
  Case make(const Formula& f, const Reader& r, std::optional<Instance> writer = {},
            const Access* access = nullptr) const;
  bool inexact(const Reader& r) const;

  const View& before_;
  const View& after_;
  const Claim& claim_;
  bool partial_order_ = false;  // threads or lanes: two executions may have no order
  std::map<Symbol, std::vector<Writer>> now_, was_;
  std::set<Symbol> inexact_now_, inexact_was_;  // storages with writers under data conditions or at dynamic indices
};

}  // namespace assay::derive
