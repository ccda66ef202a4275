// Two threads looked at closely: which accesses of theirs meet, in which order and interval, and in how many cells the same
// two statements meet; and of a program too large to be run the part that these two threads are about (EXEC-83 to EXEC-87).
//
// The walk is the usual one. A focus puts two groups or two threads ahead of the others, and notes what they do.
#include "interp/focus.hpp"

#include <algorithm>
#include <limits>

#include "interp/machine.hpp"

namespace assay::interp {
namespace {

constexpr std::int64_t most_counted = std::int64_t{1} << 22;  // cells of a buffer whose uses are counted

std::int64_t at_slot(const std::vector<std::int64_t>& coordinates, std::size_t slot) {
  return slot < coordinates.size() ? coordinates[slot] : 0;
}

std::vector<std::int64_t> fitted(std::vector<std::int64_t> coordinates, std::size_t slots) {
  coordinates.resize(slots, 0);
  return coordinates;
}

bool inside(const std::vector<std::int64_t>& coordinates, const std::vector<std::int64_t>& extents) {
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (coordinates[k] < 0 || coordinates[k] >= extents[k]) return false;
  }
  return true;
}

// The launch that holds a statement: statements are numbered in the order of the text. What a launch declares again has the
// number that it had (EXEC-18).
int launch_of(const BoundProgram& program, int statement) {
  int found = 0, last = -1;
  for (std::size_t k = 0; k < program.launches.size(); ++k) {
    for (const auto& s : program.launches[k].body) {
      if (s->number <= last) continue;
      last = s->number;
      if (s->number <= statement) found = static_cast<int>(k);
    }
  }
  return found;
}

bool meet(const CellUse::Kind& a, const CellUse::Kind& b) {
  return a.any && b.any && (a.several || b.several || a.thread != b.thread);
}

}  // namespace

std::optional<std::int64_t> value_of(const Focus::Point& point, const Symbol& symbol) {
  for (const auto& [name, value] : point.iteration) {
    if (name == symbol) return value;
  }
  return std::nullopt;
}

void Machine::set_focus(const Focus& what) {
  focus_ = std::make_unique<FocusState>();
  focus_->what = what;
  for (std::size_t k = 0; k < 2; ++k) focus_->launch[k] = launch_of(program_, what.points[k].statement);
  std::vector<std::int64_t> a = what.points[0].group, b = what.points[1].group;
  const std::size_t slots = std::max(a.size(), b.size());
  focus_->groups = fitted(std::move(a), slots) != fitted(std::move(b), slots);
}

std::optional<Seen> Machine::seen() const {
  if (!focus_) return std::nullopt;
  Seen out = focus_->seen;
  for (const CellUse& use : focus_->uses) out.affected += use.affected ? 1 : 0;
  return out;
}

// Whether the launch in execution is one that holds a statement of a part.
bool Machine::leaves_out_launch() const {
  return part() != nullptr && focus_->launch[0] != launch_number_ && focus_->launch[1] != launch_number_;
}

// The coordinates of the threads of a part, in the groups of both points; those that the launch does not have are left out.
std::vector<std::vector<std::int64_t>> Machine::threads_alone() const {
  std::vector<std::vector<std::int64_t>> out;
  for (const Focus::Point& p : focus_->what.points) {
    std::vector<std::int64_t> thread = fitted(p.thread, group_extent_.size());
    if (inside(thread, group_extent_) && std::find(out.begin(), out.end(), thread) == out.end())
      out.push_back(std::move(thread));
  }
  return out;
}

// The first iteration from `k` on that a part does not leave out; `trips` where there is none.
std::uint64_t Machine::iteration_from(const BoundStmt& s, std::int64_t lower, std::uint64_t trips,
                                      std::uint64_t k) const {
  if (part() == nullptr) return k;
  const auto found = part()->values.find(s.number);
  if (found == part()->values.end()) return k;
  const auto step = static_cast<std::uint64_t>(s.step);
  for (const auto& [first, last] : found->second) {
    // Distances from the lower bound: below 2^64, whatever the bounds are.
    const auto distance = [&](std::int64_t v) {
      return static_cast<std::uint64_t>(v) - static_cast<std::uint64_t>(lower);
    };
    if (last < lower) continue;
    const std::uint64_t from = first <= lower ? 0 : (distance(first) - 1) / step + 1;
    const std::uint64_t at = std::max(k, from);
    if (at <= distance(last) / step) return std::min(at, trips);
  }
  return trips;
}

// The groups of the two points, in the order that is asked for; those that the launch does not have are left out.
std::vector<std::vector<std::int64_t>> Machine::groups_ahead() const {
  std::vector<std::vector<std::int64_t>> out;
  if (!goes_ahead() && part() == nullptr) return out;
  const std::size_t first = focus_->what.ahead.value_or(0);
  for (const std::size_t k : {first, 1 - first}) {
    std::vector<std::int64_t> group = fitted(focus_->what.points[k].group, grid_extent_.size());
    if (inside(group, grid_extent_) && std::find(out.begin(), out.end(), group) == out.end())
      out.push_back(std::move(group));
  }
  return out;
}

// The two threads of one group, each up to its access or to where it waits (EXEC-83).
void Machine::run_ahead() {
  if (!goes_ahead() || !focus_->here[0] || !focus_->here[1]) return;
  const std::size_t first = *focus_->what.ahead;
  for (const std::size_t k : {first, 1 - first}) {
    Thread* t = thread_of(k);
    if (t == nullptr) continue;
    use(*t);
    while (!focus_->seen.points[k] && goes_on(*t)) turn();
  }
}

// The thread of a point, where all threads of its group are there.
Thread* Machine::thread_of(std::size_t point) {
  const std::vector<std::int64_t> position = fitted(focus_->what.points[point].thread, group_extent_.size());
  const auto found =
      std::find_if(threads_.begin(), threads_.end(), [&](const auto& t) { return t->position == position; });
  return found == threads_.end() ? nullptr : &**found;
}

void Machine::note_group() {
  for (std::size_t k = 0; k < 2; ++k) {
    focus_->here[k] =
        focus_->launch[k] == launch_number_ && fitted(focus_->what.points[k].group, grid_extent_.size()) == grid_;
    focus_->passed[k].reset();
  }
  focus_->interval = 0;
}

BarrierPass Machine::barrier_pass(const Wait& w, Thread& t) {
  BarrierPass out{w.at->number, w.at->source->where, {}};
  for (const BoundStmt* loop = w.at->loop; loop != nullptr; loop = loop->loop) {
    if (loop->axis == Axis::serial || loop->axis == Axis::unrolled)
      out.iteration.emplace_back(loop->source->name, static_cast<std::int64_t>(value_at(loop->slot, t.lane).bits));
  }
  std::reverse(out.iteration.begin(), out.iteration.end());
  return out;
}

// Every thread waits at `w`, unless they diverge or a @reduce loop holds some up.
void Machine::note_barrier(const Wait& w) {
  if (w.at == nullptr || (w.at->kind != StmtKind::barrier && w.at->axis == Axis::reduce)) return;
  if (!std::all_of(threads_.begin(), threads_.end(), [&](const auto& t) { return t->wait == w; })) return;
  ++focus_->interval;
  for (std::size_t k = 0; k < 2; ++k) {
    Thread* t = focus_->here[k] ? thread_of(k) : nullptr;
    if (t == nullptr) continue;
    focus_->passed[k] = barrier_pass(w, *t);
    if (focus_->seen.points[k] && !focus_->seen.after[k]) focus_->seen.after[k] = focus_->passed[k];
  }
}

void Machine::note_divergence() {
  focus_->seen.diverged = true;
  for (std::size_t k = 0; k < 2; ++k) {
    Thread* t = focus_->here[k] ? thread_of(k) : nullptr;
    if (t != nullptr && t->wait.at != nullptr) focus_->seen.waits[k] = barrier_pass(t->wait, *t);
  }
}

// The access in execution is that of the point: the same statement and iteration in the same thread, which is the one that
// the access counts for (EXEC-77, PLL-24).
bool Machine::is_of(const Focus::Point& p, const Memory* m) const {
  for (std::size_t slot = 0; slot < grid_.size(); ++slot) {
    if (grid_[slot] != at_slot(p.group, slot)) return false;
  }
  const BoundStmt* team = statement_->team;
  const bool product = team != nullptr && team->axis == Axis::tile;
  const bool leads = team != nullptr && !product && m == &memory_[static_cast<std::size_t>(statement_->reference)];
  for (std::size_t slot = 0; slot < group_extent_.size(); ++slot) {
    const bool of_team = team != nullptr && static_cast<int>(slot) == team->hardware_slot;
    if (of_team && product) continue;  // every lane makes the access
    const std::int64_t at = of_team && leads ? 0 : thread_->position[slot];
    if (at != at_slot(p.thread, slot)) return false;
  }
  for (const BoundStmt* loop = statement_->loop; loop != nullptr; loop = loop->loop) {
    if (product && loop == team) continue;
    const auto wanted = std::find_if(p.iteration.begin(), p.iteration.end(),
                                     [&](const auto& i) { return i.first == loop->source->name; });
    if (wanted == p.iteration.end()) return false;
    if (static_cast<std::int64_t>(value_at(loop->slot, lane_).bits) != wanted->second) return false;
  }
  return true;
}

void Machine::note(const Symbol& storage, const Memory* m, std::int64_t flat, bool store) {
  if (statement_ == nullptr || storage != focus_->what.storage) return;
  const auto& points = focus_->what.points;
  for (std::size_t k = 0; k < 2; ++k) {
    const Focus::Point& p = points[k];
    if (statement_->number != p.statement || focus_->launch[k] != launch_number_) continue;
    if (k == 0 || points[1].statement != points[0].statement) count_use(k, m, flat, store);
    if (p.writes != store || focus_->seen.points[k]) continue;
    if (m != nullptr && unflatten(flat, m->dims) != focus_->what.cell) continue;
    if (!is_of(p, m)) continue;
    Sight sight{access_, focus_->interval, {}};
    if (m != nullptr && !store && (m->states == nullptr || (m->states[flat] & defined) != 0))
      sight.value = Scalar{m->buffer->type, m->bits(flat), m->width == 16 ? m->high(flat) : 0};
    focus_->seen.points[k] = sight;
    focus_->seen.before[k] = focus_->passed[k];
  }
}

// Linear in the accesses of the two statements: of each cell is known which threads used it in the interval.
void Machine::count_use(std::size_t statement, const Memory* m, std::int64_t flat, bool store) {
  if (m == nullptr || m->size > most_counted || part() != nullptr) return;
  const bool counts = focus_->groups || focus_->here[0];
  if (!counts) return;
  if (focus_->uses.empty()) {
    focus_->uses.resize(static_cast<std::size_t>(m->size));
    focus_->seen.cells = m->size;
  }
  CellUse& use = focus_->uses[static_cast<std::size_t>(flat)];
  if (use.affected) return;
  std::uint32_t who = 0;
  if (focus_->groups) {
    for (std::size_t slot = grid_.size(); slot-- > 0;)
      who = who * static_cast<std::uint32_t>(grid_extent_[slot]) + static_cast<std::uint32_t>(grid_[slot]);
  } else {
    who = number_of_thread(*m);
    if (use.interval != focus_->interval) use = {{}, focus_->interval, false};
  }
  CellUse::Kind& own = use.by[statement][store ? 1 : 0];
  own.several = own.several || (own.any && own.thread != who);
  if (!own.any) own.thread = who;
  own.any = true;
  const std::size_t other = focus_->what.points[0].statement == focus_->what.points[1].statement ? 0 : 1;
  for (std::size_t x = 0; x < 2; ++x) {
    for (std::size_t y = 0; y < 2; ++y) {
      const bool conflict = (x == 1 || y == 1) && meet(use.by[0][x], use.by[other][y]);
      use.affected = use.affected || conflict;
    }
  }
}

}  // namespace assay::interp
