// One thread of a launch that goes from one access of shared or device memory to the next, and can be copied at any of them.
//
// What it needs from other threads it is told: the value of a cell that it loads, that a barrier has let it go, what others
// contribute to a @reduce loop. Everything else (variables, `local` buffers, buffers that the launch only reads) it does by itself
// on the way. A statement with loads is evaluated again after each of them, from the values loaded so far. It shares the scalar
// arithmetic of interp/numerics.hpp with the interpreter, and nothing else.
//
// In `@vectorized` loops the thread evaluates a statement for every active lane, in lane order, and then makes the stores one by
// one; what the lanes load is one list. Names that are bound in such a loop have a value for each lane.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ir/program.hpp"
#include "ir/tensor.hpp"

namespace assay::fuzz {

/// A cell of memory; without a value until `defined`.
struct MemoryCell {
  Scalar value{};
  bool defined = false;
  bool operator==(const MemoryCell&) const = default;
};

/// A program at fixed sizes, and the layout of its memory: cells of device buffers, then the copies of `shared` ones.
struct ThreadedProgram {
  ThreadedProgram(const Program& p, const ParameterMap& parameters);

  struct Storage {
    const Buffer* buffer = nullptr;
    std::vector<std::int64_t> dims{};
    std::int64_t first = 0,
                 size = 0;  // cells; of `shared` in the copy of the first group, of `local` in the thread's own
  };
  struct Launch {
    Block body{};
    std::vector<std::int64_t> grid{}, group{};  // extents of the slots
    std::set<Symbol> written{};                 // buffers that some statement stores to
    std::set<const StmtNode*> teams{};          // tile loops whose lanes are threads
  };

  const Program& program;
  ParameterMap parameters;
  std::map<Symbol, Storage> storages;
  std::map<Symbol, int> names;      // of symbols and variables: where their values are
  std::vector<std::size_t> depths;  // of each: how many @vectorized loops it is bound in
  std::map<const StmtNode*, int> numbers, slots;
  std::set<const StmtNode*> collectives;  // @reduce loops
  std::vector<Launch> launches;
  std::int64_t device_cells = 0, shared_cells = 0, local_cells = 0;
  bool covered =
      true;  // false: something that a ThreadRun does not do (lanes in a scope or a collective, huge buffers)
};

/// A value on the way. `data`: it depends on what was loaded from memory that the launch writes.
struct ThreadValue {
  Scalar scalar{};
  bool defined = true, data = false;
};

/// A term of a @reduce loop that several threads run: the operands beside the cell.
struct Contribution {
  const StmtNode* update = nullptr;
  std::int64_t cell = 0;
  std::vector<Scalar> operands{};  // in order; the cell's place is left out
};

/// A lane: its iteration, counted from 0, in each of the @vectorized loops around, outermost first. Scalar code is one lane.
using Lane = std::vector<std::int64_t>;

class ThreadRun {
 public:
  enum class Next { load, store, barrier, deposit, gather, done, fault };

  /// `tile_lane`: which lane of a team runs the nest of a tile product.
  ThreadRun(const ThreadedProgram& program, const ThreadedProgram::Launch& launch, std::vector<std::int64_t> grid,
            std::vector<std::int64_t> group, std::int64_t group_number, std::int64_t tile_lane);

  /// What it does next. load, store: of `cell()`; barrier, deposit, gather: of `instance()`.
  Next next() const { return next_; }
  std::int64_t cell() const { return cell_; }
  Scalar stored() const { return pending_.front().value; }
  const std::vector<std::int64_t>& instance() const { return instance_; }
  const std::vector<Contribution>& deposited() const { return deposited_; }
  /// gather, deposit: how many threads contribute.
  std::int64_t team() const { return team_; }
  const std::string& fault() const { return fault_; }
  std::int64_t group_number() const { return group_number_; }
  /// Some condition or index so far depended on what other threads may write.
  bool data_dependent() const { return data_dependent_; }

  /// From now on values that are loaded are guesses: a division by such a zero is none.
  void assume_loads() { assumes_ = true; }

  /// Goes to the next access; `memory` is looked at for buffers that the launch does not write.
  void proceed(const std::vector<MemoryCell>& memory);
  /// The loaded cell's value; then proceed.
  void load(const MemoryCell& cell);
  /// Its store was made, or it may leave the barrier or has deposited; then proceed.
  void release();
  /// All terms of the team; then proceed.
  void gather(std::vector<Contribution> terms);

 private:
  /// The lanes for which a block runs; in a serial loop each with its own bounds.
  struct Lanes {
    std::vector<Lane> active{};
    struct Entered {
      Lane lane;
      std::int64_t lower;
      std::uint64_t trips;
    };
    std::vector<Entered> entered{};  // of a serial loop: the lanes that have an iteration
  };
  struct Frame {
    const Block* block;
    std::size_t at = 0;
    const StmtNode* loop = nullptr;  // whose body it is
    std::int64_t value = 0;
    std::uint64_t iteration = 0, trips = 1;
    bool left = false;
    std::shared_ptr<const Lanes> lanes{};  // null: scalar code
  };
  /// A store that a statement still has to make.
  struct Pending {
    std::int64_t cell = 0;
    Scalar value{};
  };

  bool step();
  bool end_of_block(Frame& f);
  void enter(const StmtNode& loop);
  void enter_in_lanes(const StmtNode& loop);
  void next_iteration(Frame& f);
  std::vector<Lane> active() const;
  bool branch(const StmtNode& s);
  bool assign(const StmtNode& s);
  bool assign_in_lanes(const StmtNode& s);
  bool store(const StmtNode& s);
  bool zero(const StmtNode& s);
  bool contribute(const StmtNode& s);
  bool leader();
  bool scope_block(const Block& b);
  bool scope_statement(const Stmt& s);
  bool evaluate(const Expr& e, ThreadValue& out);
  bool load_cell(const Expr& e, ThreadValue& out);
  bool operation(const Expr& e, ThreadValue& out);
  bool index_operation(const Expr& e, const std::vector<ThreadValue>& args, ThreadValue& out);
  bool place_of(const Symbol& buffer, const std::vector<Expr>& indices, std::int64_t& flat);
  bool condition(const Expr& e, bool& out);
  std::optional<std::int64_t> index(const Index& e) const;
  std::uint64_t trips(const StmtNode& loop, std::int64_t& lower);
  std::vector<std::int64_t> instance_of(const StmtNode& s) const;
  std::int64_t cell_number(const ThreadedProgram::Storage& s, std::int64_t flat) const;
  bool visible(const Symbol& buffer) const;
  bool fail(const char* code);
  Lane bound_lane(std::size_t name) const;
  /// Of the present lane.
  ThreadValue& slot(const Symbol& s);

  const ThreadedProgram* program_;
  const ThreadedProgram::Launch* launch_;
  std::vector<std::int64_t> grid_, group_;
  std::int64_t group_number_, tile_lane_;
  std::vector<Frame> frames_;
  std::vector<ThreadValue> values_;
  std::map<std::pair<int, Lane>, ThreadValue> lane_values_;  // of names bound in lanes
  Lane lane_{};                                              // for which is evaluated
  std::vector<MemoryCell> locals_;
  std::vector<bool> local_data_;
  std::vector<Scalar> log_;  // loaded for the present statement
  std::size_t log_at_ = 0;
  std::int64_t zero_at_ = 0;
  const std::vector<MemoryCell>* memory_ = nullptr;
  const StmtNode* collective_ = nullptr;  // the @reduce loop that it contributes to
  bool leads_ = false;                    // it makes the accesses to the cell
  std::vector<Contribution> deposited_;

  Next next_ = Next::done;
  std::int64_t cell_ = 0, team_ = 0;
  std::vector<Pending> pending_;  // of the present statement, the next one first
  std::vector<std::int64_t> instance_;
  std::string fault_;
  bool data_dependent_ = false, assumes_ = false;
};

}  // namespace assay::fuzz
