// Compiled programs: expressions as sequences of instructions on columns, statements as nodes that hold them.
//
// An instruction works on all active lanes at once, so that scalar code, the lanes of vectorized loops and strips of
// serial loops run the same code. The body of a loop that can run in strips is compiled a second time, with the symbols and
// variables of the body as columns of the strip's own frame.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "interp/compiled/kernels.hpp"
#include "interp/resolved.hpp"

namespace assay::interp::compiled {

/// A slot of a frame: `depth` frames outwards.
struct Reference {
  int depth = 0;
  int slot = 0;
};

/// sum += value · coefficient; false where that leaves int64, and then `sum` is of no use.
inline bool add_product(std::int64_t& sum, std::int64_t value, std::int64_t coefficient) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(value, coefficient, &product) && !__builtin_add_overflow(sum, product, &sum);
}

/// An index value: constant + Σ coefficient·symbol + Σ coefficient·atom.
struct SymbolTerm {
  std::int64_t coefficient = 1;
  Reference symbol{};
};
struct AtomTerm;
struct IndexCode {
  std::int64_t constant = 0;
  bool overflowed = false;
  bool small = false;  // symbols with coefficients so small that sums of small values cannot leave int64 (locate_small)
  std::vector<SymbolTerm> symbols{};
  std::vector<AtomTerm> atoms;  // no initialiser: clang would want the complete type here
};
struct AtomTerm {
  std::int64_t coefficient = 1;
  IndexAtom::Kind kind = IndexAtom::Kind::floordiv;  // not symbol
  std::vector<IndexCode> args{};
  std::int64_t divisor = 1;
};

/// One index of an access: an index value, or computed into a column.
struct Dimension {
  IndexCode index{};
  int column = -1;          // computed
  Type type = Type::index;  // of the column
  Location where{};
};
struct Access {
  int buffer = 0;
  std::vector<Dimension> dims{};
  bool computed = false;  // some index is in a column
  bool small = false;     // all indices are
  Location where{};
};

enum class Code : std::uint8_t {
  kernel,
  divide,           // may divide by zero
  index_operation,  // may leave int64 or divide by zero
  index,
  index_check,  // an index value beside computed indices: only whether it has a value
  literal,
  variable,  // check of a variable of this frame; its column is the operand
  outer,     // a variable of a frame outside, into a column
  load,
  move,    // active lanes of a column into another
  choice,  // a: the condition; arms [1, middle) and [middle, skip), counted from here
  land,    // a: the first operand; the second is [1, skip)
  lor,
  scope
};

struct Node;
using NodeBlock = std::vector<Node>;

struct Instruction {
  Code code = Code::kernel;
  bool watched = false;    // its inexactness marks (EXEC-30)
  std::uint32_t cost = 0;  // expression nodes entered since the instruction before (EXEC-26)
  int out = 0, a = 0, b = 0, c = 0, d = 0;
  std::uint32_t middle = 0, skip = 0;
  Kernel kernel = nullptr;
  KernelOperands types{};
  Reference variable{};  // variable, outer, scope
  int number = -1;       // of the variable
  Op op = Op::literal;   // index_operation
  const Access* access = nullptr;
  const IndexCode* index = nullptr;
  const NodeBlock* block = nullptr;
  Scalar literal{};
  const BoundExpr* source = nullptr;
};

/// An expression: the instructions and the column that then holds its value.
struct ExpressionCode {
  std::vector<Instruction> code{};
  int result = -1;
};

/// What a frame of one kind needs.
struct Layout {
  int slots = 0;
  int temporaries = 0;
  int columns() const { return slots + temporaries; }
};

struct StripLoop;
struct NestCode;

/// An accumulation `x = x op e` of a strip: e is evaluated for all lanes, then x goes through the lanes in order.
struct FoldCode {
  Kernel kernel = nullptr;  // for one lane: columns out, a, b, c
  Fold fold = nullptr;      // over lanes, where there is one
  KernelOperands types{};
  int position = 0;  // of x among the operands
  int operands[3] = {-1, -1, -1};
  bool watched = false;
  std::uint32_t cost = 0;  // expression nodes beside those of e
  Location read{};
};

/// A statement.
struct Node {
  StmtKind kind = StmtKind::store;
  const BoundStmt* source = nullptr;
  bool rendezvous = false;   // threads may wait inside
  bool ordered = false;      // lanes evaluate it one after the other: a scope inside writes more than its own variables
  Access target{};           // store, zero
  ExpressionCode address{};  // store: its computed indices
  std::uint32_t address_cost = 0;
  ExpressionCode value{};
  Reference variable{};  // declare, assign
  Reference symbol{};    // loop
  IndexCode lo{}, hi{};
  Layout lanes{};  // vectorized loop
  NodeBlock body{}, other{};
  std::unique_ptr<StripLoop> strip{};
  std::unique_ptr<FoldCode> fold{};
  std::shared_ptr<NestCode> nest{};
};

/// Two accesses of a strip to one buffer that must not touch one cell in the wrong order.
struct Hazard {
  const Access* first = nullptr;  // in the order of the body
  const Access* second = nullptr;
};

/// Iterations of a strip at least; below, they cost no more one by one.
inline constexpr std::uint64_t shortest_strip = 8;

/// The body of a serial loop for strips.
struct StripLoop {
  Layout layout{};
  int symbol = 0;  // slot
  NodeBlock body{};
  std::vector<Hazard> hazards{};
};

/// Two accesses that two threads must not both make to one cell. In each of the dimensions their indices differ by
/// Σ coefficient·(difference of the coordinates) and at most `rest`.
struct LockstepMeeting {
  struct Dim {
    std::vector<std::int64_t> coefficients{};  // by slot of the group, then of the grid
    std::int64_t rest = 0;
  };
  std::vector<Dim> dims{};
};
/// What has to hold of a launch for its threads to run in lockstep.
struct LockstepPlan {
  std::vector<LockstepMeeting> meetings{};  // of two threads of a group, in one interval between barriers
  std::vector<LockstepMeeting> across{};    // of two groups
  bool batches = false;                     // `across` is all there is: several groups may run together
};

struct LaunchCode {
  const BoundLaunch* source = nullptr;
  std::unique_ptr<LockstepPlan> lockstep{};  // null: threads run one by one
  NodeBlock body{};
};

struct CompiledProgram {
  const BoundProgram* source = nullptr;
  std::vector<LaunchCode> launches{};
  Layout thread{};
  int cell_bytes = 8;             // of a lane in a column
  bool marks = false;             // inexactness is tracked
  std::deque<Access> accesses{};  // of loads
  std::deque<IndexCode> indices{};
  std::deque<NodeBlock> scopes{};
};

/// Compiles a resolved program, which must outlive the result. `marks`: some accumulation is watched.
std::unique_ptr<CompiledProgram> compile(const BoundProgram& program, bool marks);

}  // namespace assay::interp::compiled
