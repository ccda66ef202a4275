// The machine that executes compiled programs.
//
// It runs in one of two modes. The fast mode evaluates a statement for all its lanes operation by operation; serial loops
// are lanes in strips, the threads of a group are lanes in lockstep, and what is neither runs in nests on pointers
// (strips.cpp, lockstep.cpp, nests.cpp). It meets the same faults, races and limits as canonical execution, but not in
// the same order. Where it meets one that another might precede, it gives up (Restart), and the program runs again in
// the precise mode: one lane after the other, one iteration after the other, so that the first that is met is the one to
// report.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "interp/compiled/code.hpp"
#include "interp/interpreter.hpp"
#include "interp/memory.hpp"
#include "interp/stopped.hpp"

namespace assay::interp::compiled {

/// Copies the active lanes of a column whose values are `width` bytes wide.
void copy_active(void* to, const void* from, int width, const Active& a);

/// Thrown by the fast mode only.
struct Restart {};
/// The access that a run was asked to find.
struct Found {
  Instance at;
};

struct Mode {
  bool precise = false;
  std::uint64_t locate = 0;  // precise: the ordinal of an access to find, or 0
};

/// Iterations of a loop, and the symbol in one of them.
inline std::uint64_t trips_between(std::int64_t lower, std::int64_t upper, std::int64_t step) {
  if (lower >= upper) return 0;
  return (static_cast<std::uint64_t>(upper) - static_cast<std::uint64_t>(lower) - 1) /
             static_cast<std::uint64_t>(step) +
         1;
}
inline std::int64_t at_iteration(std::int64_t lower, std::uint64_t k, std::int64_t step) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lower) + k * static_cast<std::uint64_t>(step));
}

/// Lanes' cells of a buffer: base + stride·lane; or by lane; or by row of lanes, each row going on by the stride.
struct Address {
  bool linear = true;
  std::int64_t base = 0, stride = 0;
  std::int64_t* flats = nullptr;  // by lane, or the first ones of the rows
  std::uint32_t row = 0;          // lanes of a row; 0: flats are by lane. All lanes are active then.
  std::int64_t operator[](std::uint32_t lane) const {
    if (linear) return base + stride * lane;
    return row == 0 ? flats[lane] : flats[lane / row] + stride * (lane % row);
  }
};
/// Calls f with every active lane and its cell.
template <typename F>
inline void for_each_cell(const Address& address, const Active& a, F f) {
  if (address.linear) {
    const std::int64_t base = address.base, stride = address.stride;
    for_each(a, [&](std::uint32_t l) { f(l, base + stride * static_cast<std::int64_t>(l)); });
  } else if (address.row == 0) {
    const std::int64_t* const flats = address.flats;
    for_each(a, [&](std::uint32_t l) { f(l, flats[l]); });
  } else {
    std::uint32_t lane = 0;
    for (const std::int64_t* first = address.flats; lane < a.count; ++first) {
      std::int64_t cell = *first;
      for (const std::uint32_t end = lane + address.row; lane < end; ++lane, cell += address.stride) f(lane, cell);
    }
  }
}
/// Calls f with the first lane and cell and the length of everything that lies together, where it does; else false.
template <typename F>
inline bool for_each_run(const Address& address, const Active& a, F f) {
  if (address.stride != 1 || a.list != nullptr) return false;
  if (address.linear) {
    f(a.first, address.base + a.first, a.count);
  } else if (address.row != 0) {
    for (std::uint32_t lane = 0, r = 0; lane < a.count; lane += address.row) f(lane, address.flats[r++], address.row);
  } else {
    return false;
  }
  return true;
}

/// Copies `count` elements that lie together; rows of lanes are often as short as this.
template <typename T>
inline void copy_run(T* to, const T* from, std::uint32_t count) {
  switch (count) {
    case 4: std::memcpy(to, from, 4 * sizeof(T)); break;
    case 8: std::memcpy(to, from, 8 * sizeof(T)); break;
    case 16: std::memcpy(to, from, 16 * sizeof(T)); break;
    default: std::memcpy(to, from, count * sizeof(T)); break;
  }
}

/// Where a thread waits (EXEC-17, EXEC-19).
struct Wait {
  const Node* at = nullptr;
  bool leaving = false;
  std::vector<std::uint64_t> iterations{};
  bool operator==(const Wait&) const = default;
};

/// A block that a thread is inside of, where it may wait.
struct Position {
  const NodeBlock* block = nullptr;
  std::size_t next = 0;
  const Node* owner = nullptr;
  std::int64_t lower = 0;
  std::uint64_t iteration = 0, trips = 0;
  std::uint8_t control = 0;
  bool left = false;
};

struct Thread {
  Frame frame{};
  std::vector<std::uint64_t> storage{};
  std::vector<std::uint8_t> states{};
  std::vector<SymbolValue> symbols{};
  std::uint8_t seen = 0, inexact = 0;
  std::vector<std::int64_t> coordinates{};
  std::vector<Copy> locals{};
  std::vector<Position> stack{};
  Wait wait{};
};

class Machine {
 public:
  Machine(const CompiledProgram& program, const Options& options, std::vector<Memory>& memory, Mode mode);
  void execute();

  std::uint64_t operations() const { return operations_; }
  const std::optional<Race>& race() const { return race_; }
  std::uint64_t first_of_race() const { return race_first_; }

 private:
  // launch.cpp: launches, groups, threads.
  void run_launch(const LaunchCode& launch);
  void measure(const BoundBlock& block, const NodeBlock& nodes);
  void prepare(const LaunchCode& launch);
  void add_thread();
  void use(Thread& t);
  void start(Thread& t);
  void forget(int buffer);
  void run_apart(const LaunchCode& launch);

  // rendezvous.cpp: threads that wait for one another.
  void run_together(const LaunchCode& launch);
  void run_thread(Thread& t);
  void step(Thread& t, const Node& n, std::uint8_t control);
  void finish_block(Thread& t);
  void wait(Thread& t, const Node& n, bool leaving);
  bool release_teams();
  [[noreturn]] void diverged();

  // lockstep.cpp: the threads of a group as lanes.
  bool fits_lockstep(const LaunchCode& launch);
  void choose_batch(const LockstepPlan& plan, std::int64_t most);
  void prepare_lockstep();
  bool whole_groups(const Active& a) const;
  void run_lockstep(const LaunchCode& launch);
  void hardware_lanes(const Node& n, Frame& f, const Active& a, std::uint8_t control);

  // statements.cpp
  void block(const NodeBlock& b, Frame& f, const Active& a, std::uint8_t control);
  void node(const Node& n, Frame& f, const Active& a, std::uint8_t control);
  bool leaf_one(const Node& n, Frame& f, const Active& a);
  void leaf(const Node& n, Frame& f, const Active& a);
  void evaluate_leaf(const Node& n, Frame& f, const Active& a, Address& address);
  void commit_store(const Node& n, Frame& f, const Active& a, const Address& address);
  void commit_variable(const Node& n, Frame& f, const Active& a);
  void check_lanes(const Node& n, Frame& f, const Active& a, const Address& address);
  void zero(const Node& n, Frame& f, const Active& a);
  void branch(const Node& n, Frame& f, const Active& a, std::uint8_t control);
  void mark_targets(const BoundBlock& arm, const NodeBlock& nodes, const Node& at, Frame& f, std::uint32_t lane,
                    bool same_symbols);

  // loops.cpp
  void loop(const Node& n, Frame& f, const Active& a, std::uint8_t control);
  void serial(const Node& n, Frame& f, const Active& a, std::uint8_t control);
  void serial_lanes(const Node& n, Frame& f, const Active& a, std::uint8_t control);
  void vectorized(const Node& n, Frame& f, const Active& a, std::uint8_t control);
  bool passes(const Node& n, Frame& f);
  std::uint64_t trip_count(const Node& n, Frame& f, std::uint32_t lane, std::int64_t& lower);
  Frame new_frame(Frame* outer, const Layout& layout, std::uint32_t total);

  // nests.cpp
  bool nest(const Node& n, Frame& f, std::int64_t lower, std::uint64_t trips);

  // strips.cpp
  bool strips(const Node& n, Frame& f, std::int64_t lower, std::uint64_t trips, std::uint8_t control);
  std::uint64_t strip_length(const Node& n, Frame& f, std::uint64_t trips);
  void fold(const Node& n, Frame& f, const Active& a);
  bool fold_value(const FoldCode& c, Frame& f, const Active& a, unsigned char* value);

  // expressions.cpp
  void run(const Instruction* i, const Instruction* end, Frame& f, const Active& a);
  void run(const ExpressionCode& e, Frame& f, const Active& a) {
    run(e.code.data(), e.code.data() + e.code.size(), f, a);
  }
  void choose(const Instruction* i, Frame& f, const Active& a);
  void scope(const Instruction& i, Frame& f, const Active& a);
  void read_variable(const Instruction& i, Frame& f, const Active& a);
  void index_operation(const Instruction& i, Frame& f, const Active& a);
  void splat(const Instruction& i, Frame& f, const Active& a);

  // indices.cpp
  static bool linear_part(const IndexCode& e, Frame& f, std::int64_t& base, std::int64_t& stride);
  bool line(const IndexCode& e, Frame& f, const Active& a, std::int64_t* out);
  static bool linear(const IndexCode& e, Frame& f, std::int64_t& base, std::int64_t& stride);
  static std::optional<std::int64_t> exact(const IndexCode& e, Frame& f, std::uint32_t lane);
  bool vector(const IndexCode& e, Frame& f, const Active& a, std::int64_t* out);
  /// False where a lane's value leaves int64.
  bool values(const IndexCode& e, Frame& f, const Active& a, std::int64_t* out);

  // accesses.cpp
  bool locate(const Access& access, Frame& f, const Active& a, Address& address);
  bool locate_small(const Access& access, Frame& f, const Active& a, Address& address, bool& inside);
  bool locate_grid(const Access& access, Frame& f, const Active& a, Address& address);
  bool locate_columns(const Access& access, Frame& f, const Active& a, Address& address);
  bool load_one(const Instruction& i, Frame& f, std::uint32_t lane);
  void load(const Instruction& i, Frame& f, const Active& a);
  std::int64_t coordinate(const Dimension& d, Frame& f, std::uint32_t lane);
  void watch(const Memory& m, std::int64_t flat, bool store);
  void watch(Shadow* launch, Shadow* interval, bool store, const Symbol& name, const Memory* m, std::int64_t flat);
  void begin_interval();
  void begin_thread();
  void watch_variable(int variable, bool store);
  void watch_cells(const Memory& m, bool store, const Address& address, const Active& a);

  // report.cpp
  Instance instance() const;
  std::string coordinates(const std::vector<std::int64_t>& by_slot) const;
  [[noreturn]] void fault(const char* code, std::string message, Location access = {}, const Symbol& buffer = {},
                          std::vector<std::int64_t> cell = {}) const;
  [[noreturn]] void outside(const Access& access, Frame& f, std::uint32_t lane, bool store);
  [[noreturn]] void exhausted() const;
  /// Gives up where another fault might come first.
  void sure() const {
    if (speculative_ > 0) throw Restart{};
  }

  void spend(std::uint64_t n) {
    operations_ += n;
    if (operations_ > budget_ || operations_ < n) exhausted();
  }
  /// After what ran in another order: the limit may have been passed inside it.
  void exceeded() const {
    if (operations_ > budget_) exhausted();
  }
  Memory& memory(int buffer) const { return memory_[static_cast<std::size_t>(buffer)]; }
  static Frame& frame_at(Frame& f, Reference r) {
    Frame* at = &f;
    for (int d = 0; d < r.depth; ++d) at = at->outer;
    return *at;
  }
  /// The lane of the frame `depth` outwards.
  static std::uint32_t lane_at(const Frame& f, int depth, std::uint32_t lane) {
    const Frame* at = &f;
    for (int d = 0; d < depth; ++d) {
      lane = at->parent != nullptr ? at->parent[lane] : 0;
      at = at->outer;
    }
    return lane;
  }
  void set_symbol(Frame& f, Reference r, std::int64_t base) { frame_at(f, r).symbols[r.slot] = {base, 0, false, -1}; }

  const CompiledProgram& program_;
  std::vector<Memory>& memory_;
  Mode mode_;
  bool marks_;
  bool watches_ = false;
  std::vector<std::int64_t> parameters_{};
  std::uint64_t budget_;
  bool partial_;
  std::uint64_t operations_ = 0;
  int speculative_ = 0;  // deep in what may have to be given up
  Arena arena_{};

  // The launch in execution.
  std::vector<std::int64_t> grid_extent_{}, group_extent_{}, grid_{};
  std::vector<int> shared_{}, local_{};
  std::vector<std::unique_ptr<Thread>> threads_{};
  bool lockstep_ = false;
  Frame group_{};  // lockstep: the frame of all threads
  LaneGrid group_grid_{};
  std::vector<std::int8_t> axis_of_slot_{};
  std::vector<Copy> group_locals_{}, group_shared_{};
  std::uint32_t group_threads_ = 1;
  std::int64_t batch_ = 1;  // groups that run together, along a slot of the grid, as an axis of the lanes
  int batch_slot_ = -1;
  std::int8_t batch_axis_ = -1;

  // The point of execution: the statement and, where there is one lane, that lane.
  Thread* thread_ = nullptr;
  const BoundStmt* statement_ = nullptr;
  Frame* frame_ = nullptr;
  std::uint32_t lane_ = 0;
  std::uint8_t control_ = 0;

  // Race detection. The fast mode numbers groups and threads, the precise mode accesses.
  std::vector<Shadow> variable_shadows_{};
  std::uint64_t access_ = 0, race_first_ = 0;
  std::uint64_t launch_first_ = 1, group_first_ = 1, interval_first_ = 1, thread_first_ = 1;
  std::optional<Race> race_{};
};

}  // namespace assay::interp::compiled
