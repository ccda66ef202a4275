// The program that the interpreter walks: the tree of ir/, with every name replaced by where its value lives.
//
// Resolution happens once per run. Loop symbols, parameters and variables become slots of frames, buffers become numbers,
// statements know their preorder number and the loop around them. A frame holds the values of one thread (level 0) or
// of one lane of a vectorized loop (level 1 and deeper, one level per nested vectorized loop).
#pragma once

#include <memory>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "interp/numerics.hpp"
#include "ir/program.hpp"

namespace assay::interp {

/// Where the value of a symbol or variable lives.
struct Slot {
  int level = 0;
  int index = 0;
};

struct BoundIndexTerm;
/// An Index over slots.
struct BoundIndex {
  std::int64_t constant = 0;
  bool overflowed = false;
  std::vector<BoundIndexTerm> terms;
};
struct BoundIndexTerm {
  std::int64_t coefficient = 1;
  IndexAtom::Kind kind = IndexAtom::Kind::symbol;
  Slot slot{};                     // kind symbol
  std::vector<BoundIndex> args{};  // the others
  std::int64_t divisor = 1;
};

struct BoundStmt;
using BoundBlock = std::vector<std::unique_ptr<BoundStmt>>;

enum class Form : std::uint8_t {
  literal,
  index,
  variable,
  load,
  convert,
  choice,
  land,
  lor,
  scope,
  select,
  scalar_operation,  // numerics
  index_operation    // on operands of index type
};

struct BoundExpr {
  Form form = Form::literal;
  Op op = Op::literal;
  Type type = Type::index;
  bool watched = false;                   // its inexactness marks the value (EXEC-30)
  int reference = -1;                     // load: the buffer; variable: the variable
  Slot slot{};                            // variable, scope
  numerics::Function function = nullptr;  // scalar_operation, convert
  Scalar literal{};
  BoundIndex index{};
  std::vector<BoundExpr> args{};  // operands; of a load the indices
  BoundBlock body{};              // scope
  const ExprNode* source = nullptr;
};

struct BoundStmt {
  StmtKind kind = StmtKind::store;
  Axis axis = Axis::
      serial;  // loop: how it runs; a reduce loop may run as a serial one (EXEC-33), and a tile loop does so (EXEC-60)
               // where its lanes are not threads
  int number = -1;                  // preorder
  int level = 0;                    // frames around it, less one
  const BoundStmt* loop = nullptr;  // the innermost loop around it
  const BoundStmt* team = nullptr;  // store: the reduce loop that threads run together, or the tile loop, around it
  const StmtNode* source = nullptr;
  int reference = -1;  // zero, store: the buffer; declare, assign: the variable
  Slot slot{};         // loop, declare, assign
  BoundIndex lo{}, hi{};
  std::int64_t step = 1;
  int frame_size = 0;          // vectorized loop: slots of a lane's own frame
  int hardware_slot = -1;      // grid, workgroup, reduce
  bool has_hardware = false;   // a hardware loop is inside, or it is one
  bool bounds_inside = false;  // loop: its symbol stands in a bound of a loop inside that has hardware
  std::vector<BoundExpr> indices{};
  std::vector<BoundExpr> value{};  // one or none
  BoundBlock body{}, other{};
};

/// What one launch contains.
struct BoundLaunch {
  BoundBlock body{};
  int grid_slots = 0, group_slots = 0;
  bool rendezvous = false;          // a barrier, a reduce loop or a tile product of threads is inside
  std::set<int> private_buffers{};  // shared and local buffers that it uses
};

struct BoundVariable {
  const Symbol* name = nullptr;
  int grid_depth = 0;        // grid loops around the declaration
  bool set_in_grid = false;  // assigned under more grid loops than it is declared under (EXEC-29)
};

struct BoundProgram {
  const Program* source = nullptr;
  std::vector<BoundLaunch> launches{};
  std::vector<BoundVariable> variables{};
  std::vector<BoundExpr> requirements{};
  int frame_size = 0;  // slots of a thread's frame; the parameters are the first ones
  int levels = 1;      // frames that a lane can have
};

/// Resolves `p`, which must outlive the result. The operations that form the new value in the statements numbered in
/// `reordered` are watched. The error is a sentence: a name or form that no well-formed program has.
tl::expected<BoundProgram, std::string> resolve(const Program& p, const std::set<int>& reordered);

}  // namespace assay::interp
