// Untyped expression trees: what the grammar gives, before names and types are known. They live for one statement only.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "ir/expr.hpp"

namespace assay::text {

struct Syntax {
  enum class Kind {
    integer,    // `integer`, sign included
    floating,   // `text` without its sign, `negative`; also inf and nan
    boolean,    // `negative` is unused; `truth`
    name,       // `text`
    element,    // `text` [args]
    operation,  // `op` of args; `type` where it is written
    convert,    // `type`(args[0])
    scope       // `scope`, already elaborated: its body is closed and its type is written
  };
  Kind kind = Kind::integer;
  Op op = Op::literal;
  Type type = Type::index;
  bool negative = false;
  bool truth = false;
  bool parenthesised = false;
  std::string_view text{};
  Int128 integer = 0;
  std::vector<const Syntax*> args{};
  Expr scope{};
  Location where{};
  Location name_where{};  // of the name alone: element
  int height = 1;         // of this tree; a scope counts as one
  int scope_height = 0;   // of the elaborated body of a scope
};

/// Owns the trees of one statement; releasing them needs no recursion.
using SyntaxArena = std::deque<Syntax>;

}  // namespace assay::text
