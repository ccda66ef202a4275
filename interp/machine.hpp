// The machine that walks a resolved program: threads with explicit stacks, lanes, expression evaluation.
//
// A thread is a stack of frames, so that it can stop at a barrier and go on later. Everything in a frame runs for a set
// of lanes: one lane in scalar code, several inside vectorized loops. A leaf statement first evaluates for every lane and
// then stores for every lane; in scalar code that is one evaluation and one store. Faults and exhausted limits leave the
// walk as exceptions, which run() catches; nothing else throws them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "interp/interpreter.hpp"
#include "interp/memory.hpp"
#include "interp/random.hpp"
#include "interp/resolved.hpp"
#include "interp/stopped.hpp"

namespace assay::interp {

/// The access that a second walk was asked to find.
struct Located {
  Instance at;
};

/// A symbol's or variable's value; `high` is the upper half of a block.
struct Value {
  std::uint64_t bits = 0;
  std::uint8_t state = 0;
  std::uint64_t high = 0;
};

/// One lane: its frames by level; frame 0 is the thread's.
using Lane = Value* const*;
struct LaneSet {
  const Lane* lanes = nullptr;
  std::size_t count = 0;
  Lane operator[](std::size_t i) const { return lanes[i]; }
};

/// Lanes that belong to one frame of a stack: new ones of a vectorized loop, or some of those outside.
struct LaneGroup {
  std::vector<Lane> lanes{};           // the active ones
  std::vector<Value> values{};         // frames of new lanes
  std::vector<Value*> frames{};        // frame pointers of new lanes
  std::vector<Lane> entered{};         // serial loop: the lanes that entered it,
  std::vector<std::int64_t> lower{};   // their lower bounds
  std::vector<std::uint64_t> trips{};  // and trip counts
};

/// A block in execution.
struct Frame {
  const BoundBlock* block = nullptr;
  std::size_t next = 0;
  const BoundStmt* owner = nullptr;  // the loop whose body it is, else null
  LaneSet lanes{};
  std::int64_t lower = 0;       // serial loop with one lane
  std::uint64_t iteration = 0;  // serial loop
  std::uint64_t trips = 0;      // serial loop: the greatest one among the lanes
  std::unique_ptr<LaneGroup> group{};
  std::uint8_t control = 0;  // `marked` under a marked condition
  bool left = false;         // reduce, tile: the threads have met behind it
};

/// Where a thread waits: a barrier, a reduce loop in front or behind, or a tile loop behind.
struct Wait {
  const BoundStmt* at = nullptr;  // null: it does not wait
  bool leaving = false;
  std::vector<std::uint64_t> iterations{};
  bool operator==(const Wait&) const = default;
};

/// A value that was computed and is not stored yet.
struct Pending {
  std::uint64_t target = 0;  // the flat cell, or the address of the variable
  std::uint64_t bits = 0;
  std::uint8_t state = 0;
  std::uint64_t high = 0;
};

struct Thread {
  std::vector<Frame> stack{};
  std::vector<Value> values{};
  Value* frame = nullptr;
  Lane lane = nullptr;
  std::vector<std::int64_t> position{};  // coordinates by slot
  std::vector<Copy> locals{};            // of the launch's local buffers, in order
  Wait wait{};
  const BoundStmt* storing = nullptr;  // has been evaluated, and stores at the thread's next turn,
  Lane storing_lane = nullptr;         // for this lane
  Pending pending{};
};

/// Accesses of one statement to a cell, loads and stores apart, in one interval: by no thread, by one, or by several.
struct CellUse {
  struct Kind {
    std::uint32_t thread = 0;
    bool any = false, several = false;
  };
  std::array<std::array<Kind, 2>, 2> by{};  // of the focus's two statements; loads, stores
  std::uint64_t interval = 0;
  bool affected = false;
};

/// What a run with a focus knows of it so far (focus.cpp).
struct FocusState {
  Focus what{};
  Seen seen{};
  std::array<int, 2> launch{};  // that holds the statement of each point
  std::array<bool, 2> here{};   // the group in execution is that of the point
  bool groups = false;          // the points are of different groups: nothing orders them
  std::uint64_t interval = 0;   // barrier instances that the group has passed
  std::array<std::optional<BarrierPass>, 2> passed{};
  std::vector<CellUse> uses{};
};

inline bool goes_on(const Thread& t) { return t.storing != nullptr || (t.wait.at == nullptr && !t.stack.empty()); }

class Machine {
 public:
  /// `memory` has one entry per buffer. `locate` is the ordinal of an access to find, or 0.
  Machine(const BoundProgram& program, const Options& options, std::vector<Memory>& memory, std::uint64_t locate);

  void execute();
  void set_parameter(std::size_t i, std::int64_t value);
  /// Whether a requirement holds at the parameter values set. Throws Faulted where it has no value.
  bool holds(const BoundExpr& requirement);

  std::uint64_t operations() const { return operations_; }
  std::uint64_t accesses() const { return access_; }
  const std::optional<Race>& race() const { return race_; }
  std::uint64_t first_of_race() const { return race_first_; }
  std::optional<Seen> seen() const;

 private:
  // launch.cpp: launches, groups, threads.
  void run_launch(const BoundLaunch& launch);
  void run_group(const BoundLaunch& launch);
  void measure(const BoundBlock& block);
  void prepare(const BoundLaunch& launch);
  void add_thread();
  void run_threads_apart(const BoundLaunch& launch);
  void run_threads_together(const BoundLaunch& launch);
  void take_turns();
  enum class Released { none, team, group };
  Released release_teams();
  void start(Thread& t, const BoundLaunch& launch);
  void forget(int buffer);
  void use(Thread& t);
  [[noreturn]] void diverged();

  // focus.cpp: two threads looked at closely.
  void set_focus(const Focus& what);
  bool goes_ahead() const { return focus_ && focus_->what.ahead && focus_->launch[0] == launch_number_; }
  bool stays_together(const BoundLaunch& launch) const;
  const Focus::Part* part() const { return focus_ && focus_->what.part ? &*focus_->what.part : nullptr; }
  bool leaves_out(const BoundStmt& s) const { return part() != nullptr && part()->statements.count(s.number) == 0; }
  bool leaves_out_launch() const;
  std::vector<std::vector<std::int64_t>> threads_alone() const;
  std::uint64_t iteration_from(const BoundStmt& s, std::int64_t lower, std::uint64_t trips, std::uint64_t k) const;
  std::vector<std::vector<std::int64_t>> groups_ahead() const;
  void run_ahead();
  Thread* thread_of(std::size_t point);
  void note_group();
  void note_barrier(const Wait& w);
  void note_divergence();
  BarrierPass barrier_pass(const Wait& w, Thread& t);
  void note(const Symbol& storage, const Memory* m, std::int64_t flat, bool store);
  bool is_of(const Focus::Point& p, const Memory* m) const;
  void count_use(std::size_t statement, const Memory* m, std::int64_t flat, bool store);
  bool is_blind() const { return focus_ != nullptr && focus_->what.blind; }

  // loops.cpp: loops and lanes.
  void enter_loop(const BoundStmt& s, LaneSet lanes, std::uint8_t control);
  void enter_serial(const BoundStmt& s, LaneSet lanes, std::uint8_t control);
  void enter_hardware(const BoundStmt& s, LaneSet lanes, std::uint8_t control);
  void enter_vectorized(const BoundStmt& s, LaneSet lanes, std::uint8_t control);
  bool next_iteration(Frame& f);
  std::uint64_t trip_count(const BoundStmt& s, Lane lane, std::int64_t& lower);
  std::unique_ptr<LaneGroup> new_group();

  // tiles.cpp: tile products by instructions.
  void tile_product(const BoundStmt& tile, const TileInstruction& fit, Lane lane);

  // execute.cpp: statements.
  void run_to(std::size_t base);
  void turn();
  void finish_block();
  void execute(const BoundStmt& s, LaneSet lanes, std::uint8_t control);
  void leaf(const BoundStmt& s, LaneSet lanes);
  void zero(const BoundStmt& s, LaneSet lanes);
  void branch(const BoundStmt& s, LaneSet lanes, std::uint8_t control);
  void wait(const BoundStmt& s, bool leaving);
  void push(const BoundBlock& block, const BoundStmt* owner, LaneSet lanes, std::uint8_t control,
            std::unique_ptr<LaneGroup> group = nullptr);
  Pending evaluate_leaf(const BoundStmt& s, Lane lane);
  void commit(const BoundStmt& s, Lane lane, const Pending& p);
  void check_lanes(const BoundStmt& s, LaneSet lanes, std::size_t base);
  void mark_targets(const BoundBlock& arm, Lane lane, bool same_symbols);

  // evaluate.cpp: expressions.
  struct Cell {
    std::int64_t flat = 0;
    bool inside = true;
  };
  /// The bits of the value; of a block the lower half, with the upper half in `high_`, which others leave as it is.
  std::uint64_t evaluate(const BoundExpr& e, Lane lane);
  std::uint64_t load(const BoundExpr& e, Lane lane);
  std::uint64_t variable(const BoundExpr& e, Lane lane);
  std::uint64_t scope(const BoundExpr& e, Lane lane);
  std::uint64_t scalar_operation(const BoundExpr& e, Lane lane);
  std::uint64_t index_operation(const BoundExpr& e, Lane lane);
  std::int64_t coordinate(const BoundExpr& e, Lane lane);
  Cell cell(const Memory& m, const std::vector<BoundExpr>& indices, Lane lane);
  static std::optional<std::int64_t> index_value(const BoundIndex& e, Lane lane);
  static std::optional<std::int64_t> exact_index_value(const BoundIndex& e, Lane lane);
  static std::optional<std::int64_t> term_value(const BoundIndexTerm& t, Lane lane);
  std::int64_t index_or_fault(const BoundIndex& e, Lane lane, Location where);

  // diagnose.cpp: faults, instances, races.
  Instance instance() const;
  std::string coordinates(const std::vector<std::int64_t>& by_slot) const;
  [[noreturn]] void fault(const char* code, std::string message, Location access = {}, const Symbol& buffer = {},
                          std::vector<std::int64_t> cell = {}) const;
  [[noreturn]] void outside(const Memory& m, const std::vector<BoundExpr>& indices, Lane lane, Location access,
                            bool store);
  void watch(const Memory& m, std::int64_t flat, bool store);
  void watch(Shadow* launch, ThreadShadow* interval, bool store, const Symbol& name, const Memory* m,
             std::int64_t flat);
  std::uint32_t number_of_thread(const Memory& m) const;
  void watch_variable(int variable, bool store);

  void spend(std::uint64_t n) {
    operations_ += n;
    if (operations_ > budget_ || operations_ < n) exhausted();
  }
  void begin_interval() { interval_first_ = access_ + 1; }
  [[noreturn]] void exhausted() const;
  static Value& value_at(Slot s, Lane lane) { return lane[s.level][s.index]; }
  Memory& memory(int reference) { return memory_[static_cast<std::size_t>(reference)]; }
  static void bind(Slot s, Lane lane, std::int64_t v) { value_at(s, lane) = {static_cast<std::uint64_t>(v), defined}; }

  const BoundProgram& program_;
  std::vector<Memory>& memory_;
  std::vector<std::int64_t> parameters_{};
  std::uint64_t budget_;
  std::uint64_t operations_ = 0;
  Turns turns_;
  Random random_;
  TileUnit tiles_;
  TileInstructions instructions_{};  // none without a unit

  // The launch in execution.
  std::vector<std::int64_t> grid_extent_{}, group_extent_{};  // by slot
  std::vector<std::int64_t> grid_{};                          // the group's coordinates by slot
  std::vector<int> shared_{}, local_{};                       // its private buffers
  std::vector<std::unique_ptr<Thread>> threads_{};            // one, or all of a group where they wait for one another

  // The thread and the point of execution.
  Thread* thread_ = nullptr;
  const BoundStmt* statement_ = nullptr;
  Lane lane_ = nullptr;
  std::uint8_t control_ = 0;
  std::uint8_t seen_ = 0;  // states of all that the expression has read
  numerics::Flags flags_{};
  std::uint64_t high_ = 0;  // of the block that was evaluated last
  std::vector<Pending> pending_{};
  std::vector<std::unique_ptr<LaneGroup>> spare_{};

  // Race detection.
  std::vector<Shadow> variable_shadows_{};  // empty: variables are not watched
  std::uint64_t access_ = 0, locate_ = 0, race_first_ = 0;
  std::uint64_t launch_first_ = 1, group_first_ = 1, interval_first_ = 1;
  std::optional<Race> race_{};
  std::unique_ptr<FocusState> focus_{};
  int launch_number_ = 0;
};

}  // namespace assay::interp
