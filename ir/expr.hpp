// Expressions and statements: immutable trees shared by pointer.
//
// Expr and Stmt are value handles on nodes that never change. An expression of type `index` that is a quasi-affine
// combination of symbols is always one node of op `index` holding a canonical Index; anything else computed at run time is
// an ordinary node. Constructors do not type-check: the parser does, and ir/well_formed.hpp re-checks whole programs.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/index.hpp"
#include "ir/type.hpp"

namespace assay {

enum class Op : std::uint8_t {
  literal,   // a constant of a storage type
  index,     // an Index value (type index)
  variable,  // the value of a `var`, or of a scope's variable inside the scope
  load,      // a buffer element
  convert,   // T(x)
  choice,    // c ? a : b, evaluates only the chosen arm
  land,      // a && b, evaluates b only when needed
  lor,       // a || b
  lnot,      // !a
  scope,     // scope x: T { … }
  neg,
  add,
  sub,
  mul,
  div,
  floordiv,
  floormod,
  ceildiv,
  truncdiv,
  truncmod,
  eucdiv,
  eucmod,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  max,
  min,
  maxnum,
  minnum,
  fma,
  abs,
  relu,
  sat01,
  exp,
  exp2,
  log,
  log2,
  sin,
  cos,
  tanh,
  sqrt,
  rsqrt,
  recip,
  trunc,
  floor,
  ceil,
  pow,
  select,  // select(c, a, b), evaluates both arms
  f8e5m2_sat,
  f8e4m3fn_nosat,  // conversions with the other rule for what is too large (NUM-40)
  block,           // u32x4(a, b, c, d) of four u32
  word,            // word(b, k): one of them, u32
  threefry_crypto,
  threefry_light,  // of key and counter, all u32x4
  uniform,
  uniform_lane  // uniform(T, b), uniform_lane(T, b, k): the node's type is T
};
inline constexpr std::size_t op_count = static_cast<std::size_t>(Op::uniform_lane) + 1;

/// How an operation is written and how many operands it takes; `function` ones are calls.
struct OpInfo {
  std::string_view text;  // "+", "max", …; empty for literal, index, variable, load, convert, choice, scope
  int arity;
  bool function;
};
const OpInfo& info(Op op);
constexpr bool is_comparison(Op op) { return op >= Op::eq && op <= Op::ge; }
/// Whether the result's type is written as the first argument of the call: uniform, uniform_lane.
constexpr bool has_written_type(Op op) { return op == Op::uniform || op == Op::uniform_lane; }
/// The type of the result of any operation but those with a written type, from the type of the last operand.
Type result_type(Op op, Type operand);

struct ExprNode;
struct StmtNode;
class Stmt;

/// A statement list.
using Block = std::vector<Stmt>;

class Expr {
 public:
  Expr() = default;
  explicit Expr(std::shared_ptr<const ExprNode> node) : node_(std::move(node)) {}
  explicit operator bool() const { return node_ != nullptr; }
  const ExprNode& operator*() const { return *node_; }
  const ExprNode* operator->() const { return node_.get(); }
  /// Structural equality; locations are ignored. Float literals are equal when their bits are.
  bool operator==(const Expr& other) const;

 private:
  std::shared_ptr<const ExprNode> node_;
};

class Stmt {
 public:
  Stmt() = default;
  explicit Stmt(std::shared_ptr<const StmtNode> node) : node_(std::move(node)) {}
  explicit operator bool() const { return node_ != nullptr; }
  const StmtNode& operator*() const { return *node_; }
  const StmtNode* operator->() const { return node_.get(); }
  /// Structural equality; locations and provenance are ignored.
  bool operator==(const Stmt& other) const;

 private:
  std::shared_ptr<const StmtNode> node_;
};

struct ExprNode {
  Op op = Op::literal;
  Type type = Type::index;   // of the value
  Scalar literal{};          // op literal
  Index index{};             // op index
  Symbol name{};             // op variable, load (the buffer), scope (its variable)
  std::vector<Expr> args{};  // operands; for load: the indices, each of type index or a storage integer
  Block body{};              // op scope
  Location where{};
};

enum class StmtKind : std::uint8_t { loop, branch, zero, barrier, launch, declare, assign, store };

/// Where a statement of a transformed program comes from: a claim that proofs/validate checks, never trusts.
/// `statement` is the preorder number of the source statement (ir/program.hpp, number_statements); `to_source` gives
/// each loop symbol of the source statement's path as an Index over the symbols of the new path.
struct Provenance {
  int statement = -1;
  std::map<Symbol, Index> to_source{};
};

struct StmtNode {
  StmtKind kind = StmtKind::store;
  Symbol name{};                // loop: its symbol; zero, store: the buffer; declare, assign: the variable
  Index lo{}, hi{};             // loop: lo <= symbol < hi
  std::int64_t step = 1;        // loop: > 0
  Axis axis = Axis::serial;     // loop
  Type type = Type::index;      // declare: the variable's type
  std::vector<Expr> indices{};  // store: each of type index or a storage integer
  Expr value{};                 // branch: condition; declare: initial value or empty; assign, store: the value
  Block body{};                 // loop body; branch: the `then` arm
  Block other{};                // branch: the `else` arm
  Location where{};
  std::shared_ptr<const Provenance> provenance{};
};

bool equal(const Block& a, const Block& b);

// Constructors of expressions. The type of an operation's value follows from its operands.
Expr make_literal(Scalar value, Location where = {});
Expr make_index(Index value, Location where = {});
Expr make_variable(Symbol name, Type type, Location where = {});
Expr make_load(Symbol buffer, Type type, std::vector<Expr> indices, Location where = {});
Expr make_convert(Type to, Expr operand, Location where = {});
Expr make_scope(Symbol name, Type type, Block body, Location where = {});
/// Any operation of `info(op).arity` operands but those with a written type; the value has `result_type`.
Expr make_op(Op op, std::vector<Expr> operands, Location where = {});
/// An operation with a written type.
Expr make_op(Op op, Type type, std::vector<Expr> operands, Location where = {});

// Constructors of statements.
Stmt make_loop(Symbol symbol, Index lo, Index hi, std::int64_t step, Axis axis, Block body, Location where = {});
/// The end of the iterations that a loop runs in canonical execution: of a `@tile` loop only the first (EXEC-60).
Index canonical_end(const StmtNode& loop);
Stmt make_branch(Expr condition, Block then, Block other = {}, Location where = {});
Stmt make_zero(Symbol buffer, Location where = {});
Stmt make_barrier(Location where = {});
Stmt make_launch(Location where = {});
Stmt make_declare(Symbol name, Type type, Expr initial, Location where = {});
Stmt make_assign(Symbol name, Expr value, Location where = {});
Stmt make_store(Symbol buffer, std::vector<Expr> indices, Expr value, Location where = {});
/// A copy of `s` with another kind-independent part: the way to change one field of an immutable node.
template <typename Change>
Stmt with(const Stmt& s, Change change) {
  StmtNode node = *s;
  change(node);
  return Stmt(std::make_shared<const StmtNode>(std::move(node)));
}
template <typename Change>
Expr with(const Expr& e, Change change) {
  ExprNode node = *e;
  change(node);
  return Expr(std::make_shared<const ExprNode>(std::move(node)));
}

}  // namespace assay
