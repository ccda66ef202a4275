// Symbolic executions of statements, and the formulas about them: when they happen, in which order, on which cells.
//
// An Instance is one execution of a node, its loop symbols given as Index values. For a fresh, arbitrary execution these
// are new symbols (`i'1`); for the execution of the source statement that a claim names they are the claim's iteration map.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/analysis/access.hpp"
#include "ir/analysis/interval.hpp"
#include "ir/analysis/stored_range.hpp"
#include "proofs/obligation/formula.hpp"
#include "proofs/validate/stores.hpp"

namespace assay::derive {

/// A program with what is derived from it once.
struct View {
  explicit View(const Program& p);
  const Program& program;
  Extraction extraction;
  StoreIndex stores;
  Formula parameters;  // parameter_domain
  Ranges ranges;       // parameter ranges
  StoredRanges stored;
  /// Of every @grid loop, then of every @workgroup and collective @reduce loop and tile loop among threads: the innermost is
  /// first.
  std::map<const StmtNode*, int> slot;
  std::map<const StmtNode*, int> widens;  // of @reduce loops that each thread runs by itself: they count for the extent
  int grid_slots = 0, slots = 0;          // how many are of @grid, and all
  std::vector<int> launch_of;             // of every top-level statement: how many `launch` stand before it
  int launch(const Node& n) const { return launch_of.at(static_cast<std::size_t>(n.path.front().value)); }
};

struct Instance {
  const View* view = nullptr;
  const Node* node = nullptr;
  std::map<Symbol, Index> symbols{};  // every loop symbol of the node
  std::vector<Symbol> fresh{};        // the symbols that `instantiate` and `place` made
  /// Coordinates in slots that it is under no loop of, or that go before its loop's (proofs/validate/threads.hpp).
  std::map<int, Index> places{};
  Index symbol(std::size_t loop) const { return symbols.at(node->loops[loop]->name); }
  Index apply(const Index& e) const { return e.substitute(symbols); }
  Formula apply(const Formula& f) const { return f.substitute(symbols); }
};

/// An arbitrary execution; `suffix` keeps its symbols apart from those of other instances.
Instance instantiate(const View& view, const Node& node, const std::string& suffix);
/// The execution of `source` that the claim of `after`'s node names. `after` must carry provenance with every symbol.
Instance source_instance(const View& before, const Node& source, const Instance& after);
/// The two instances are the same execution of one node.
Formula same_instance(const Instance& x, const Instance& y);
/// The two nodes stand in one launch.
bool same_launch(const Instance& x, const Instance& y);

/// Loop bounds and the affine guards (the others can only make it happen less often).
Formula domain(const Instance& x);
/// The other guards that loop symbols and parameters alone decide: integer arithmetic without loads and variables.
Formula decided_guards(const Instance& x);
/// The ones among an access's own guards that loop symbols and parameters decide.
Formula access_condition(const Instance& x, const Access& a);
/// What comparisons of integers that are computed from data which no statement changes say where they hold.
/// `tag` keeps their unknowns apart from those of other calls in one formula.
Formula immutable_guards(const Instance& x, const std::vector<Guard>& guards, const std::string& tag);
/// The same of one condition, exactly: what it holds for is named by what was loaded. Nothing where it is no such comparison.
std::optional<Formula> immutable_condition(const Instance& x, const Guard& g, const std::string& tag);
/// A guard that reads data (or that no formula expresses).
bool has_data_guard(const Instance& x);
bool has_data_guard(const Instance& x, const std::vector<Guard>& guards);
/// A guard that is not affine, so that `domain` leaves it out.
bool has_data_guard(const Node& n);
bool has_data_guard(const Access& a);
/// The expression reads nothing that a statement may change: its value depends on index symbols only.
bool is_immutable(const Program& p, const Expr& e);
/// Two expressions are one text up to index values; adds what must be equal for these to be the same, unless there is no x yet.
bool agree(const Expr& e, const Instance* x, const Expr& f, const Instance& y, std::vector<Formula>& equal);
/// For what index values `e` in x and `f` in y have one value, where the two are one text that is immutable; nothing otherwise.
std::optional<Formula> agreement(const Instance& x, const Expr& e, const Instance& y, const Expr& f);

/// How many iterations loop number `loop` of the instance has behind it: (symbol − lower bound) / step.
Index counter(const Instance& x, std::size_t loop);
/// A dynamic integer index as an Index over loop symbols, parameters and fresh symbols, with what is known about these:
/// wrapping, products and the seven divisions included. Over-approximates where it is not exact. Symbols for products,
/// quotients and elements of immutable buffers are named by what they stand for, so that equal ones are equal; `suffix`
/// names the others.
struct Term {
  Index value{};
  Formula facts = Formula::truth();
  bool exact = true;  // false when a fresh symbol stands for something that is not an arbitrary input element
  bool pure = true;   // a function of loop symbols and parameters: nothing is loaded
  std::vector<Symbol> fresh{};
};
Term integer_term(const Instance& x, const Expr& e, const std::string& suffix);
/// The same where the execution evaluates it. What is loaded from storage that statements write is one unknown for each cell
/// and `moment`, and is what one of these statements stored there: a superset of what may have happened.
Term stored_term(const Instance& x, const Expr& e, const std::string& moment);
/// What the conditions on integers around the node and those of one of its accesses say, where what they read has not changed
/// since. Loads are named as those of stored_term are.
Formula guards_still_holding(const Instance& x, const std::vector<Guard>& access, const std::string& moment);
/// What an `exists` over the executions of `w` binds: its loop symbols and the fresh symbols of the access's terms.
std::vector<Symbol> bound_symbols(const Instance& w, const Access& a);
/// Whether the condition (`positive`) or its negation holds, where loop symbols and parameters alone decide it.
std::optional<Formula> decided_condition(const Instance& x, const Expr& condition, bool positive);
/// Tightest interval known for an integer expression at an instance's node.
Interval integer_interval(const View& view, const Node& node, const Expr& e);

/// The two accesses touch the same cell (variables: the same instance of the declaration). Dynamic indices may meet anywhere.
/// `tag` keeps the symbols of their terms apart from those of other calls in one formula.
Formula same_cell(const Instance& x, const Access& a, const Instance& y, const Access& b, const std::string& tag);

}  // namespace assay::derive
