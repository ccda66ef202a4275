// Folding of conditions, as a walk that other simplifications build on.
#pragma once

#include <map>
#include <optional>

#include "proofs/obligation/query.hpp"

namespace assay {

/// One walk from the outside in. What is known at a place is handed down by value, so that nothing learned in one branch
/// reaches its sibling.
class Folder {
 public:
  struct Known {
    Formula facts{};
    std::map<Symbol, Index> once{};  // symbols of enclosing loops that run at most once, with their value
    Known with(const Formula& more) const { return {facts & more, once}; }
  };

  explicit Folder(Query& query) : query_(query) {}
  virtual ~Folder() = default;
  Block block(const Block& b, const Known& known);

 protected:
  virtual Block branch(const Stmt& s, const Known& known);
  virtual Stmt loop(const Stmt& s, const Known& known);
  /// An expression whose parts are folded: what takes its place.
  virtual Expr finished(const Expr& e, const Known&) { return e; }

  Expr expression(const Expr& e, const Known& known);
  /// A condition of the same value; a literal when what is known decides it.
  Expr condition(const Expr& e, const Known& known);
  /// Whether `f` follows from what is known.
  bool holds(const Known& known, const Formula& f);
  /// Drops the arguments of minima and maxima that another argument makes superfluous.
  Index prune(const Index& e, const Known& known);

 private:
  Block statement(const Stmt& s, const Known& known);
  Expr choice(const Expr& e, const Known& known);
  Expr junction(const Expr& e, const Known& known);
  Index prune_arguments(const Index& e, const Known& known);

  Query& query_;
};

/// The truth value that a literal is.
std::optional<bool> decided(const Expr& condition);

}  // namespace assay
