// From syntax to typed trees: names are resolved, literals get their types, index values become canonical (TYPE-…, IDX-…).
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/text/names.hpp"
#include "ir/text/reporter.hpp"
#include "ir/text/syntax.hpp"

namespace assay::text {

inline constexpr std::size_t max_index_atoms = 64;
inline constexpr int max_expression_height = 1000;

class Elaborator {
 public:
  Elaborator(Names& names, Reporter& reporter) : names_(names), reporter_(reporter) {}

  // Each of these answers nothing after reporting what is wrong (or when what is wrong was reported before).

  /// The value of a place of type `type`.
  Expr value(const Syntax& s, Type type);
  /// An expression that has a type by itself.
  Expr typed(const Syntax& s);
  Expr condition(const Syntax& s);
  /// A loop bound or a dimension; `what` is the noun of the message.
  std::optional<Index> bound(const Syntax& s, const char* what);
  Expr subscript(const Syntax& s);
  Expr requirement(const Syntax& s);
  /// The buffer of an access that takes `count` subscripts, or null.
  const Binding* buffer(std::string_view name, std::size_t count, Location name_where, Location where);
  /// A variable to assign, or null.
  const Binding* variable(std::string_view name, Location where);

  /// `op` of operands that all have type `operand_type`; used for `P[i] += e` as well.
  Expr build(Op op, Type operand_type, std::vector<Expr> operands, Location where);
  /// Forgets intermediate results (between statements).
  void clear() { flexible_.clear(); }
  /// The height of the highest expression made since the last call (LIM-3).
  int take_height() { return std::exchange(height_, 0); }

 private:
  // An expression of literals alone: it takes whatever type its surroundings give.
  struct Flexible;
  struct Typed {
    enum class State { bad, fixed, flexible } state = State::bad;
    Expr expr{};
    const Flexible* flexible = nullptr;
    int height = 1;
  };
  struct Flexible {
    const Syntax* literal = nullptr;  // a leaf
    Op op = Op::literal;
    std::vector<Typed> args{};  // for choice and select the first is the condition
    Location where{};
    bool floating = false;  // holds a float literal
  };

  Typed elaborate(const Syntax& s);
  Typed elaborate_name(const Syntax& s);
  Typed elaborate_element(const Syntax& s);
  Typed elaborate_operation(const Syntax& s);
  Typed elaborate_conversion(const Syntax& s);
  Typed elaborate_signature(const Syntax& s);
  Expr without_type(const Typed& t, Location where);
  Typed combine(Op op, std::vector<Typed> args, Location where);
  Typed fixed(Expr e, int height = 1);
  Typed measured(const Syntax& s);
  Typed literal(const Syntax& s);
  Expr resolve(const Flexible& f, Type type);
  Expr resolve_literal(const Syntax& s, Type type);
  Expr as_subscript(const Typed& t, Location where);
  Expr require_condition(const Typed& t, Location where);
  Expr build_index(Op op, const std::vector<Expr>& operands, Location where);
  bool is_requirement(const Expr& e) const;

  Names& names_;
  Reporter& reporter_;
  std::deque<Flexible> flexible_{};
  int height_ = 0;
};

}  // namespace assay::text
