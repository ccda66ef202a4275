// Launches: extents of the slots, groups in order, threads that run apart or wait for one another.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "interp/machine.hpp"

namespace assay::interp {
namespace {

// The next coordinates in lexicographic order, highest slot first; false after the last.
bool advance(std::vector<std::int64_t>& coordinates, const std::vector<std::int64_t>& extents) {
  for (std::size_t slot = 0; slot < coordinates.size(); ++slot) {
    if (++coordinates[slot] < extents[slot]) return true;
    coordinates[slot] = 0;
  }
  return false;
}

}  // namespace

Machine::Machine(const BoundProgram& program, const Options& options, std::vector<Memory>& memory, std::uint64_t locate)
    : program_(program),
      memory_(memory),
      budget_(options.budget),
      turns_(options.turns),
      random_(options.seed),
      tiles_(options.tiles),
      locate_(locate) {
  if (tiles_ != TileUnit::none) instructions_ = tile_instructions(*program.source);
  for (const Parameter& p : program.source->parameters) {
    const auto it = options.parameters.find(p.name);
    parameters_.push_back(it == options.parameters.end() ? 0 : it->second);
  }
  if (options.detect_races) variable_shadows_.resize(program.variables.size());
  if (options.focus) set_focus(*options.focus);
  add_thread();
  use(*threads_[0]);
}

void Machine::set_parameter(std::size_t i, std::int64_t value) {
  bind({0, static_cast<int>(i)}, threads_[0]->lane, value);
}

bool Machine::holds(const BoundExpr& requirement) { return evaluate(requirement, threads_[0]->lane) != 0; }

void Machine::execute() {
  for (const BoundLaunch& launch : program_.launches) {
    if (!leaves_out_launch()) run_launch(launch);
    ++launch_number_;
  }
  spend(0);  // expressions count as they go; the limit is looked at between statements
}

void Machine::run_launch(const BoundLaunch& launch) {
  launch_first_ = access_ + 1;
  grid_extent_.assign(static_cast<std::size_t>(launch.grid_slots), 1);
  group_extent_.assign(static_cast<std::size_t>(launch.group_slots), 1);
  threads_.resize(1);
  use(*threads_[0]);
  measure(launch.body);
  prepare(launch);
  const auto ahead = groups_ahead();
  for (const auto& group : ahead) {
    grid_ = group;
    run_group(launch);
  }
  if (part() != nullptr) return;  // those of its two threads are all that there are
  grid_.assign(grid_extent_.size(), 0);
  do {
    if (std::find(ahead.begin(), ahead.end(), grid_) == ahead.end()) run_group(launch);
  } while (advance(grid_, grid_extent_));
}

void Machine::run_group(const BoundLaunch& launch) {
  group_first_ = access_ + 1;
  begin_interval();
  if (focus_) note_group();
  for (int b : shared_) forget(b);
  if (stays_together(launch)) {
    run_threads_together(launch);
  } else {
    run_threads_apart(launch);
  }
}

// All threads of a group are there at once.
bool Machine::stays_together(const BoundLaunch& launch) const {
  return launch.rendezvous || turns_ != Turns::canonical || goes_ahead() || part() != nullptr;
}

// The extents of the slots (EXEC-13). Only loops whose symbol some hardware loop's extent depends on are run through.
// A bound without a value counts for nothing here; where it is executed it is a fault.
void Machine::measure(const BoundBlock& block) {
  const Lane lane = thread_->lane;
  for (const auto& s : block) {
    if (!s->has_hardware) continue;
    spend(1);
    if (s->kind != StmtKind::loop) {
      measure(s->body);
      measure(s->other);
      continue;
    }
    const auto lower = index_value(s->lo, lane);
    if (!lower || !index_value(s->hi, lane)) continue;
    std::int64_t first = 0;
    const std::uint64_t trips = trip_count(*s, lane, first);
    if (trips == 0) continue;
    if (s->hardware_slot >= 0) {
      std::int64_t& extent =
          (s->axis == Axis::grid ? grid_extent_ : group_extent_)[static_cast<std::size_t>(s->hardware_slot)];
      extent = std::max(
          extent, static_cast<std::int64_t>(std::min<std::uint64_t>(trips, std::numeric_limits<std::int64_t>::max())));
    }
    for (std::uint64_t k = 0; k < (s->bounds_inside ? trips : 1); ++k) {
      bind(s->slot, lane,
           static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + k * static_cast<std::uint64_t>(s->step)));
      measure(s->body);
    }
  }
}

// Threads and their copies: one thread that is used again and again, or all threads of a group.
void Machine::prepare(const BoundLaunch& launch) {
  shared_.clear();
  local_.clear();
  std::int64_t copies = 0;
  for (int b : launch.private_buffers) {
    const bool local = memory(b).buffer->kind == BufferKind::local;
    (local ? local_ : shared_).push_back(b);
    if (local) copies += memory(b).copy_bytes();
  }
  std::int64_t threads = 1;
  const auto alone = part() == nullptr ? std::vector<std::vector<std::int64_t>>() : threads_alone();
  if (part() != nullptr) {
    threads = static_cast<std::int64_t>(alone.size());
  } else if (stays_together(launch)) {
    for (std::int64_t e : group_extent_) {
      if (__builtin_mul_overflow(threads, e, &threads)) threads = std::numeric_limits<std::int64_t>::max();
    }
  }
  const std::int64_t each = thread_bytes(program_.frame_size) + copies;
  if (threads > memory_limit / each)
    throw Exhausted{fmt::format("{} threads with {} bytes each need more memory than a run may take", threads, each)};
  while (static_cast<std::int64_t>(threads_.size()) < threads) add_thread();
  std::vector<std::int64_t> position(group_extent_.size(), 0);
  for (auto& t : threads_) {
    t->position = alone.empty() ? position : alone[static_cast<std::size_t>(&t - threads_.data())];
    advance(position, group_extent_);
    t->locals.clear();
    for (int b : local_) t->locals.push_back(memory(b).new_copy());
  }
}

void Machine::add_thread() {
  auto t = std::make_unique<Thread>();
  t->values.resize(static_cast<std::size_t>(program_.frame_size));
  t->frame = t->values.data();
  t->lane = &t->frame;
  for (std::size_t i = 0; i < parameters_.size(); ++i) bind({0, static_cast<int>(i)}, t->lane, parameters_[i]);
  threads_.push_back(std::move(t));
}

void Machine::use(Thread& t) {
  thread_ = &t;
  for (std::size_t i = 0; i < t.locals.size(); ++i) memory(local_[i]).use(t.locals[i]);
}

void Machine::start(Thread& t, const BoundLaunch& launch) {
  spend(1);
  use(t);
  for (int b : local_) forget(b);
  push(launch.body, nullptr, {&t.lane, 1}, 0);
}

// Makes a private copy undefined, which takes time and so counts.
void Machine::forget(int buffer) {
  Memory& m = memory(buffer);
  spend(static_cast<std::uint64_t>(m.size) / 256);
  m.forget();
}

void Machine::run_threads_apart(const BoundLaunch& launch) {
  Thread& t = *threads_[0];
  do {
    start(t, launch);
    run_to(0);
  } while (advance(t.position, group_extent_));
}

void Machine::run_threads_together(const BoundLaunch& launch) {
  for (auto& t : threads_) start(*t, launch);
  while (true) {
    take_turns();
    if (std::all_of(threads_.begin(), threads_.end(), [](const auto& t) { return t->stack.empty(); })) return;
    if (focus_) note_barrier(threads_[0]->wait);
    const Released released = release_teams();
    if (released == Released::none) diverged();
    if (released == Released::group) begin_interval();
  }
}

// Until every thread waits or has ended (EXEC-80).
void Machine::take_turns() {
  const auto all_the_way = [&](Thread& t) {
    if (!goes_on(t)) return;
    use(t);
    if (t.storing != nullptr) turn();  // a thread that was ahead
    run_to(0);
  };
  if (turns_ == Turns::canonical) {
    run_ahead();
    for (auto& t : threads_) all_the_way(*t);
    return;
  }
  if (turns_ == Turns::reversed) {
    for (auto t = threads_.rbegin(); t != threads_.rend(); ++t) all_the_way(**t);
    return;
  }
  std::vector<Thread*> going;
  for (auto& t : threads_) {
    if (goes_on(*t)) going.push_back(&*t);
  }
  for (std::size_t k = 0; !going.empty();) {
    k = turns_ == Turns::random ? random_.below(going.size()) : k % going.size();
    use(*going[k]);
    turn();
    if (goes_on(*going[k])) {
      ++k;
    } else {
      going.erase(going.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
}

// Lets the threads go on whose whole team waits at one instance: of a barrier or a tile loop the group, of a reduce loop the
// threads that differ only in its slot. What kind of team could.
Machine::Released Machine::release_teams() {
  std::vector<std::int64_t> stride;
  std::int64_t threads = 1;
  for (std::int64_t e : group_extent_) {
    stride.push_back(threads);
    threads *= e;
  }
  if (part() != nullptr) threads = static_cast<std::int64_t>(threads_.size());
  const auto is_reduce = [](const Wait& w) { return w.at->kind == StmtKind::loop && w.at->axis == Axis::reduce; };
  const auto first_of_team = [&](std::size_t i) -> std::size_t {
    const Wait& w = threads_[i]->wait;
    if (!is_reduce(w)) return 0;
    const auto slot = static_cast<std::size_t>(w.at->hardware_slot);
    return i - static_cast<std::size_t>(threads_[i]->position[slot] * stride[slot]);
  };
  std::vector<std::int64_t> agreeing(threads_.size(), 0);
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i]->wait.at == nullptr) continue;
    const std::size_t first = first_of_team(i);
    if (threads_[i]->wait == threads_[first]->wait) ++agreeing[first];
  }
  std::vector<bool> complete(threads_.size(), false);
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const Wait& w = threads_[i]->wait;
    if (w.at == nullptr) continue;
    const std::size_t first = first_of_team(i);
    complete[i] =
        w == threads_[first]->wait &&
        agreeing[first] == (is_reduce(w) ? group_extent_[static_cast<std::size_t>(w.at->hardware_slot)] : threads);
  }
  Released out = Released::none;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (!complete[i]) continue;
    Thread& t = *threads_[i];
    const bool contributes = is_reduce(t.wait) && !t.wait.leaving;
    out = is_reduce(t.wait) ? Released::team : Released::group;
    t.wait.at = nullptr;
    if (!contributes || (turns_ == Turns::canonical && !goes_ahead())) continue;
    use(t);  // in ascending order, whoever goes first elsewhere
    run_to(0);
  }
  return out;
}

void Machine::diverged() {
  if (focus_) note_divergence();
  const auto waiting =
      std::find_if(threads_.begin(), threads_.end(), [](const auto& t) { return t->wait.at != nullptr; });
  const Wait& w = (*waiting)->wait;
  const auto other = std::find_if(threads_.begin(), threads_.end(), [&](const auto& t) { return !(t->wait == w); });
  use(**waiting);
  statement_ = w.at;
  lane_ = thread_->lane;
  const char* what = w.at->kind == StmtKind::barrier ? "barrier"
                     : w.at->axis == Axis::tile      ? "tile product"
                                                     : "reduce loop";
  const Wait& v = (*other)->wait;
  std::string where = "has ended";
  if (v.at == w.at) where = "waits at another iteration of it";
  if (v.at != nullptr && v.at != w.at) where = fmt::format("waits at line {}", v.at->source->where.line);
  fault("RUN-8", fmt::format("thread {} waits at a {}, thread {} {}", coordinates((*waiting)->position), what,
                             coordinates((*other)->position), where));
}

}  // namespace assay::interp
