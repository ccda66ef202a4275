// Launches: extents of the slots, groups in order, threads that run to their end one after the other. Where all threads of
// a group can be lanes of one frame they are (lockstep.cpp); where they wait for one another, else, rendezvous.cpp has them.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "interp/compiled/machine.hpp"

namespace assay::interp::compiled {
namespace {

// The next coordinates in lexicographic order, slot 0 fastest, by `step` along one slot; false after the last.
bool advance(std::vector<std::int64_t>& at, const std::vector<std::int64_t>& extents, int stepped = -1,
             std::int64_t step = 1) {
  for (std::size_t slot = 0; slot < at.size(); ++slot) {
    at[slot] += static_cast<int>(slot) == stepped ? step : 1;
    if (at[slot] < extents[slot]) return true;
    at[slot] = 0;
  }
  return false;
}

}  // namespace

Machine::Machine(const CompiledProgram& program, const Options& options, std::vector<Memory>& memory, Mode mode)
    : program_(program),
      memory_(memory),
      mode_(mode),
      marks_(program.marks),
      budget_(options.budget),
      partial_(options.partial) {
  for (const Parameter& p : program.source->source->parameters) {
    const auto it = options.parameters.find(p.name);
    parameters_.push_back(it == options.parameters.end() ? 0 : it->second);
  }
  if (options.detect_races) {
    variable_shadows_.resize(program.source->variables.size());
    watches_ = std::any_of(program.source->variables.begin(), program.source->variables.end(),
                           [](const BoundVariable& v) { return v.set_in_grid; });
  }
  add_thread();
  use(*threads_[0]);
}

void Machine::execute() {
  for (const LaunchCode& launch : program_.launches) run_launch(launch);
  spend(0);
}

void Machine::run_launch(const LaunchCode& launch) {
  const BoundLaunch& source = *launch.source;
  if (mode_.precise) {
    launch_first_ = access_ + 1;
  } else {
    launch_first_ = ++group_first_;
  }
  grid_extent_.assign(static_cast<std::size_t>(source.grid_slots), 1);
  group_extent_.assign(static_cast<std::size_t>(source.group_slots), 1);
  threads_.resize(1);
  use(*threads_[0]);
  lockstep_ = false;
  ArenaScope scope(arena_);
  measure(source.body, launch.body);
  prepare(launch);
  grid_.assign(grid_extent_.size(), 0);
  bool first = true;
  do {
    if (mode_.precise) {
      group_first_ = access_ + 1;
    } else if (!first) {
      ++group_first_;
    }
    first = false;
    begin_interval();
    if (lockstep_) {
      run_lockstep(launch);
      continue;
    }
    for (int b : shared_) forget(b);
    if (source.rendezvous) {
      run_together(launch);
    } else {
      run_apart(launch);
    }
  } while (advance(grid_, grid_extent_, batch_slot_, batch_));
}

// The extents (EXEC-13). A loop is run through where its symbol stands in the bound of a loop inside that has hardware.
// A bound without a value counts for nothing here; where it is executed it is a fault.
void Machine::measure(const BoundBlock& block, const NodeBlock& nodes) {
  Frame& f = thread_->frame;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const BoundStmt& s = *block[i];
    const Node& n = nodes[i];
    if (!s.has_hardware) continue;
    spend(1);
    if (s.kind != StmtKind::loop) {
      measure(s.body, n.body);
      measure(s.other, n.other);
      continue;
    }
    const auto lower = exact(n.lo, f, 0), upper = exact(n.hi, f, 0);
    if (!lower || !upper || *lower >= *upper) continue;
    const std::uint64_t trips = trips_between(*lower, *upper, s.step);
    if (s.hardware_slot >= 0) {
      std::int64_t& extent =
          (s.axis == Axis::grid ? grid_extent_ : group_extent_)[static_cast<std::size_t>(s.hardware_slot)];
      constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      extent = std::max(extent, static_cast<std::int64_t>(std::min(trips, most)));
    }
    for (std::uint64_t k = 0; k < (s.bounds_inside ? trips : 1); ++k) {
      set_symbol(f, n.symbol, at_iteration(*lower, k, s.step));
      measure(s.body, n.body);
    }
  }
}

void Machine::prepare(const LaunchCode& launch) {
  shared_.clear();
  local_.clear();
  std::int64_t copies = 0;
  for (int b : launch.source->private_buffers) {
    const bool local = memory(b).buffer->kind == BufferKind::local;
    (local ? local_ : shared_).push_back(b);
    if (local) copies += memory(b).copy_bytes();
  }
  std::int64_t threads = 1;
  if (launch.source->rendezvous) {
    for (std::int64_t e : group_extent_) {
      if (__builtin_mul_overflow(threads, e, &threads)) threads = std::numeric_limits<std::int64_t>::max();
    }
  }
  const std::int64_t each = thread_bytes(program_.source->frame_size) + copies;
  if (threads > memory_limit / each)
    throw Exhausted{fmt::format("{} threads with {} bytes each need more memory than a run may take", threads, each)};
  for (int b : local_) memory(b).lane_pitch = 0;
  for (int b : shared_) {
    Memory& m = memory(b);
    if (m.group_pitch != 0) m.use(m.own);
    m.group_pitch = 0;
  }
  lockstep_ = fits_lockstep(launch);
  if (lockstep_) return prepare_lockstep();
  while (static_cast<std::int64_t>(threads_.size()) < threads) add_thread();
  std::vector<std::int64_t> at(group_extent_.size(), 0);
  for (auto& t : threads_) {
    t->coordinates = at;
    advance(at, group_extent_);
    t->locals.clear();
    for (int b : local_) t->locals.push_back(memory(b).new_copy());
  }
}

void Machine::add_thread() {
  auto t = std::make_unique<Thread>();
  const Layout& layout = program_.thread;
  const auto cell = static_cast<std::size_t>(program_.cell_bytes);
  t->storage.resize(static_cast<std::size_t>(layout.columns() + 1) * cell / sizeof(std::uint64_t));
  t->states.resize(static_cast<std::size_t>(layout.slots));
  t->symbols.resize(static_cast<std::size_t>(layout.slots));
  t->frame.pitch = cell;
  t->frame.columns = reinterpret_cast<unsigned char*>(t->storage.data());
  t->frame.states = t->states.data();
  t->frame.symbols = t->symbols.data();
  t->frame.seen = &t->seen;
  t->frame.inexact = &t->inexact;
  for (std::size_t i = 0; i < parameters_.size(); ++i) t->symbols[i].base = parameters_[i];
  threads_.push_back(std::move(t));
}

void Machine::use(Thread& t) {
  thread_ = &t;
  for (std::size_t i = 0; i < t.locals.size(); ++i) memory(local_[i]).use(t.locals[i]);
}

void Machine::start(Thread& t) {
  spend(1);
  use(t);
  for (int b : local_) forget(b);
}

// Makes a private copy undefined, which takes time and so counts.
void Machine::forget(int buffer) {
  Memory& m = memory(buffer);
  spend(static_cast<std::uint64_t>(m.size) / 256);
  m.forget();
}

void Machine::run_apart(const LaunchCode& launch) {
  Thread& t = *threads_[0];
  do {
    start(t);
    begin_thread();
    block(launch.body, t.frame, Active::one(0), 0);
  } while (advance(t.coordinates, group_extent_));
}

}  // namespace assay::interp::compiled
