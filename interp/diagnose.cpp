// What is told about a point of execution: instances, faults, races, and limits.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interp/machine.hpp"

namespace assay::interp {
namespace {

bool several(const std::vector<std::int64_t>& extents) {
  return std::any_of(extents.begin(), extents.end(), [](std::int64_t e) { return e > 1; });
}
std::vector<std::int64_t> highest_first(const std::vector<std::int64_t>& by_slot) {
  return {by_slot.rbegin(), by_slot.rend()};
}

}  // namespace

Instance Machine::instance() const {
  Instance at;
  if (statement_ == nullptr) return at;
  at.where = statement_->source->where;
  at.statement = statement_->number;
  for (const BoundStmt* loop = statement_->loop; loop != nullptr; loop = loop->loop) {
    at.iteration.emplace_back(loop->source->name, static_cast<std::int64_t>(value_at(loop->slot, lane_).bits));
  }
  std::reverse(at.iteration.begin(), at.iteration.end());
  if (several(grid_extent_)) at.group = highest_first(grid_);
  if (several(group_extent_)) at.thread = highest_first(thread_->position);
  return at;
}

std::string Machine::coordinates(const std::vector<std::int64_t>& by_slot) const {
  return fmt::format("({})", fmt::join(highest_first(by_slot), ", "));
}

void Machine::fault(const char* code, std::string message, Location access, const Symbol& buffer,
                    std::vector<std::int64_t> cell) const {
  Instance at = instance();
  if (!access.known()) access = at.where;
  throw Faulted{{code, std::move(message), std::move(at), access, buffer, std::move(cell)}};
}

// The indices are evaluated again for the report; they are pure, and do not count again.
void Machine::outside(const Memory& m, const std::vector<BoundExpr>& indices, Lane lane, Location access, bool store) {
  std::vector<std::int64_t> cell;
  const std::uint64_t counted = operations_;
  for (const BoundExpr& e : indices) cell.push_back(coordinate(e, lane));
  operations_ = counted;
  std::string message =
      fmt::format("{} `{}` outside its bounds: [{}] in a buffer of shape [{}]", store ? "stores to" : "reads",
                  m.buffer->name, fmt::join(cell, ", "), fmt::join(m.dims, ", "));
  fault("RUN-1", std::move(message), access, m.buffer->name, std::move(cell));
}

void Machine::exhausted() const { throw Exhausted{fmt::format("the budget of {} operations is used up", budget_)}; }

void Machine::watch(const Memory& m, std::int64_t flat, bool store) {
  watch(m.shadow == nullptr ? nullptr : &m.shadow[flat], m.recent == nullptr ? nullptr : &m.recent[flat], store,
        m.buffer->name, &m, flat);
}

// The thread that an access counts for: the cell that a collective reduce loop accumulates into is used by the first thread
// of those that contribute (PLL-24), and a tile product of several lanes is a thread of its own (EXEC-77).
std::uint32_t Machine::number_of_thread(const Memory& m) const {
  const BoundStmt* team = statement_ == nullptr ? nullptr : statement_->team;
  const bool product = team != nullptr && team->axis == Axis::tile;
  const bool leads = team != nullptr && !product && &m == &memory_[static_cast<std::size_t>(statement_->reference)];
  std::int64_t number = product && !(team->source->hi == Index(1)) ? 1 : 0;
  for (std::size_t slot = group_extent_.size(); slot-- > 0;) {
    const bool first = leads && static_cast<int>(slot) == team->hardware_slot;
    number = number * group_extent_[slot] + (first ? 0 : thread_->position[slot]);
  }
  return static_cast<std::uint32_t>(number);
}

// Groups run one after the other, so that an access is of another group exactly when its ordinal is below the group's
// first; and the first load and the first store of a cell in a launch are of an earlier group if any access is. The threads
// of a barrier interval may take turns: what they did is kept with their numbers.
void Machine::watch(Shadow* launch, ThreadShadow* interval, bool store, const Symbol& name, const Memory* m,
                    std::int64_t flat) {
  const std::uint64_t ordinal = ++access_;
  if (ordinal == locate_) throw Located{instance()};
  if (focus_) note(name, m, flat, store);
  if (race_) return;
  std::uint64_t other = 0;
  bool other_writes = false;
  const auto consider = [&](std::uint64_t o, bool writes) {
    if (o == 0 || (other != 0 && o > other)) return;
    other = o;
    other_writes = writes;
  };
  if (launch != nullptr) {
    const auto of_another_group = [&](std::uint64_t o) { return o >= launch_first_ && o < group_first_ ? o : 0; };
    consider(of_another_group(launch->store), true);
    if (store) consider(of_another_group(launch->load), false);
    std::uint64_t& first = store ? launch->store : launch->load;
    if (first < launch_first_) first = ordinal;
  }
  if (interval != nullptr) {
    ThreadShadow& s = *interval;
    const std::uint32_t thread = number_of_thread(*m);
    if (s.store < interval_first_) s.store = 0;
    if (s.load < interval_first_) s.load = s.other_load = 0;
    if (s.storer != thread) consider(s.store, true);
    if (store) consider(s.loader != thread ? s.load : s.other_load, false);
    if (store && s.store == 0) {
      s.store = ordinal;
      s.storer = thread;
    } else if (!store && s.load == 0) {
      s.load = ordinal;
      s.loader = thread;
    } else if (!store && s.loader != thread && s.other_load == 0) {
      s.other_load = ordinal;
    }
  }
  if (other != 0) {
    race_.emplace();
    race_->buffer = name;
    if (m != nullptr) race_->cell = unflatten(flat, m->dims);
    race_->second = instance();
    race_->first_writes = other_writes;
    race_->second_writes = store;
    race_first_ = other;
  }
}

void Machine::watch_variable(int variable, bool store) {
  const auto v = static_cast<std::size_t>(variable);
  if (program_.variables[v].set_in_grid)
    watch(&variable_shadows_[v], nullptr, store, *program_.variables[v].name, nullptr, 0);
}

}  // namespace assay::interp
