// Whether two expressions of aligned programs have the same value, for schema W: when they may differ, as a formula.
//
// The old expression may be reduced by laws of the table (ir/rules), by conditions that are decided, and by taking a value
// for the variable of a scope that does nothing but hold it; integer and truth values may be computed in another way. Reads
// of storage that only one of the programs has are replaced by what was stored (Definitions).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "proofs/validate/instance.hpp"

namespace assay::derive {

/// An expression, and the execution that its symbols belong to.
struct Side {
  Expr e{};
  std::shared_ptr<const Instance> at{};
};

/// Where two values may differ, and by which laws they were compared.
struct Reading {
  Formula wrong = Formula::falsity();
  std::set<std::string> laws{};
  /// `wrong` is wider than the truth: a law does not fit there, or a condition was judged by ranges of data. The values may
  /// be equal there too.
  bool loose = false;
};

class SameValue {
 public:
  /// What a read of storage that one program alone has stands for, and when it may not; nothing for other expressions.
  struct Stored {
    Side value{};
    Formula wrong = Formula::falsity();
  };
  using Expand = std::function<std::optional<Stored>(const Side&)>;

  /// Whether no execution of the instance meets the formula; false when unknown.
  using Never = std::function<bool(const Instance&, const Formula&)>;

  SameValue(Expand before, Expand after, Never never)
      : before_(std::move(before)), after_(std::move(after)), never_(std::move(never)) {}

  /// Nothing when no reading of the two texts makes them one value.
  std::optional<Reading> compare(const Side& before, const Side& after);
  /// A formula or a domain somewhere was wider than the truth: a solution is a candidate only.
  bool approximate() const { return approximate_; }
  /// What did not match, for people.
  const std::string& mismatch() const { return mismatch_; }

 private:
  struct Reduct {
    Side side{};
    Reading reading{};
    bool arm = false;  // what is left where a condition has one outcome
  };
  using Bindings = std::map<Symbol, Side>;

  std::optional<Reading> same(const Side& a, const Side& b);
  std::optional<Reading> same_instance_of(const Side& a, const Side& b);
  std::optional<Reading> congruent(const Side& a, const Side& b);
  std::optional<Reading> all_same(const std::vector<Expr>& a, const Side& in_a, const std::vector<Expr>& b,
                                  const Side& in_b);
  std::optional<Reading> under_condition(const Side& a, const Side& b);
  std::optional<Reading> same_integer(const Side& a, const Side& b);
  std::optional<Reading> same_sum(const Side& a, const Side& b);
  std::optional<Reading> same_truth(const Side& a, const Side& b);
  std::optional<Reading> possible(const Side& c, bool outcome);
  std::optional<Reading> same_block(const Block& a, const Side& in_a, const Block& b, const Side& in_b);
  std::optional<Reading> same_statement(const Stmt& s, const Side& in_a, const Stmt& t, const Side& in_b);
  const std::vector<Reduct>& reducts(const Side& a);
  std::vector<Reduct> find_reducts(const Side& a);
  std::optional<Reading> is_literal(const Side& a, const Expr& literal);
  void decided(const Side& a, std::vector<Reduct>& into);
  Side normal(const Side& a, Reading& by);
  Side normal(const Side& a, const Formula& known, Reading& by);
  std::optional<Side> normal_step(const Side& a, const Formula& known, Reading& by);
  bool impossible(const Side& a, const Formula& known, const Formula& f) const;
  std::optional<Reading> same_as_normal(const Side& a, const Side& b);
  std::optional<Reading> match_here(const Expr& pattern, const Side& a, Bindings& bindings);
  std::optional<Reading> match(const Expr& pattern, const Side& a, Bindings& bindings);
  Side instantiated(const Expr& pattern, const Bindings& bindings, const Side& like);
  Side resolved(const Side& a) const;
  std::optional<Formula> condition(const Side& c, bool positive);
  void only_where(Reading& r, const Side& c, bool positive);
  bool differ(std::string what);

  Expand before_, after_;
  Never never_;
  std::map<Symbol, Side> placeholders_;           // of instantiated laws
  std::vector<std::pair<Symbol, Symbol>> bound_;  // variables of scopes, of both sides
  // What was found out about old expressions, which it keeps alive.
  using Key = std::pair<const ExprNode*, const Instance*>;
  std::map<Key, std::pair<Side, std::vector<Reduct>>> reducts_;
  std::map<std::pair<Key, const ExprNode*>, std::optional<Reading>> literals_;
  std::map<Key, std::pair<Side, Reading>> normal_;  // under no further condition
  int steps_ = 0, fresh_ = 0;
  bool approximate_ = false;
  std::string mismatch_;
};

}  // namespace assay::derive
