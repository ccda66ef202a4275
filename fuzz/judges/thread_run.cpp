// Statements and loops. A frame is a block in execution; a hardware loop binds its symbol and does not come back.
#include "fuzz/judges/thread_run.hpp"

#include <algorithm>

#include "interp/interpreter.hpp"
#include "interp/numerics.hpp"
#include "ir/analysis/launch.hpp"
#include "ir/traverse.hpp"

namespace assay::fuzz {

ThreadedProgram::ThreadedProgram(const Program& p, const ParameterMap& given)
    : program(p), parameters(given), slots(hardware_slots(p)) {
  for (const Symbol& s : p.bound_names()) names.emplace(s, static_cast<int>(names.size()));
  depths.assign(names.size(), 0);
  for (const Buffer& b : p.buffers) {
    Storage& s = storages[b.name];
    s.buffer = &b;
    const auto dims = interp::shape(b, parameters);
    if (!dims) {
      covered = false;
      return;
    }
    s.dims = *dims;
    s.size = 1;
    for (const std::int64_t d : s.dims) s.size = s.size > 100000 ? s.size : s.size * d;
    covered &= s.size <= 100000;
    std::int64_t& cells = b.kind == BufferKind::shared  ? shared_cells
                          : b.kind == BufferKind::local ? local_cells
                                                        : device_cells;
    s.first = cells;
    cells += s.size;
  }
  int next = 0;
  std::size_t depth = 0, closed = 0;  // @vectorized loops around; scopes and collectives around
  const auto bind = [&](const Symbol& s) {
    if (const auto at = names.find(s); at != names.end()) depths[static_cast<std::size_t>(at->second)] = depth;
  };
  const auto collects = [&](const Stmt& s) {
    return s->kind == StmtKind::loop && s->axis == Axis::reduce && slots.count(&*s) != 0 && is_collective(p, s);
  };
  const auto opens_lanes = [](const Stmt& s) { return s->kind == StmtKind::loop && s->axis == Axis::vectorized; };
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    numbers[&*s] = next++;
    if (opens_lanes(s)) {
      covered = covered && closed == 0;
      ++depth;
    }
    if (s->kind == StmtKind::loop || s->kind == StmtKind::declare) bind(s->name);
    if (collects(s)) {
      collectives.insert(&*s);
      ++closed;
    }
    return true;
  };
  v.leave_stmt = [&](const Stmt& s) {
    if (opens_lanes(s)) --depth;
    if (collects(s)) --closed;
  };
  v.enter_expr = [&](const Expr& e) {
    if (e->op == Op::scope) {
      bind(e->name);
      ++closed;
    }
    return true;
  };
  v.leave_expr = [&](const Expr& e) {
    if (e->op == Op::scope) --closed;
  };
  visit(p.body, v);
  const auto shapes = launch_shapes(p, parameters, 1'000'000);
  covered = covered && shapes.has_value();
  if (!covered) return;
  const std::set<const StmtNode*> teams = tiles_among_threads(p);
  launches.emplace_back();
  for (const Stmt& s : p.body) {
    if (s->kind == StmtKind::launch) {
      launches.emplace_back();
      continue;
    }
    launches.back().body.push_back(s);
  }
  for (std::size_t k = 0; k < launches.size(); ++k) {
    Launch& l = launches[k];
    l.grid = (*shapes)[k].grid;
    l.group = (*shapes)[k].workgroup;
    Visitor w;
    w.enter_stmt = [&](const Stmt& s) {
      if (s->kind == StmtKind::store || s->kind == StmtKind::zero) l.written.insert(s->name);
      if (teams.count(&*s) != 0) l.teams.insert(&*s);
      return true;
    };
    visit(l.body, w);
  }
}

ThreadRun::ThreadRun(const ThreadedProgram& program, const ThreadedProgram::Launch& launch,
                     std::vector<std::int64_t> grid, std::vector<std::int64_t> group, std::int64_t group_number,
                     std::int64_t tile_lane)
    : program_(&program),
      launch_(&launch),
      grid_(std::move(grid)),
      group_(std::move(group)),
      group_number_(group_number),
      tile_lane_(tile_lane),
      values_(program.names.size()),
      locals_(static_cast<std::size_t>(program.local_cells)),
      local_data_(locals_.size(), false) {
  for (ThreadValue& v : values_) v.defined = false;
  for (const auto& [name, value] : program.parameters) slot(name) = {index_scalar(value)};
  frames_.push_back({&launch.body});
}

void ThreadRun::proceed(const std::vector<MemoryCell>& memory) {
  memory_ = &memory;
  while (step()) {}
}

bool ThreadRun::fail(const char* code) {
  next_ = Next::fault;
  fault_ = code;
  return false;
}

// True while there is nothing to wait for.
bool ThreadRun::step() {
  if (next_ == Next::fault) return false;
  if (leads_) return leader();
  if (frames_.empty()) {
    next_ = Next::done;
    return false;
  }
  Frame& f = frames_.back();
  if (f.at == f.block->size()) return end_of_block(f);
  const StmtNode& s = *(*f.block)[f.at];
  log_at_ = 0;
  if (!pending_.empty()) {
    next_ = Next::store;
    cell_ = pending_.front().cell;
    return false;
  }
  lane_.clear();
  switch (s.kind) {
    case StmtKind::declare:
    case StmtKind::assign:
      if (!assign_in_lanes(s)) return false;
      break;
    case StmtKind::store:
      if (collective_ != nullptr) return contribute(s);
      return store(s);
    case StmtKind::zero: return zero(s);
    case StmtKind::barrier:
      next_ = Next::barrier;
      instance_ = instance_of(s);
      return false;
    case StmtKind::launch: break;
    case StmtKind::branch: return branch(s);
    case StmtKind::loop:
      if (s.axis == Axis::vectorized || f.lanes != nullptr) {
        enter_in_lanes(s);
      } else {
        ++f.at;
        enter(s);
      }
      return next_ != Next::fault;
  }
  log_.clear();
  ++frames_.back().at;
  return true;
}

bool ThreadRun::end_of_block(Frame& f) {
  if (f.loop != nullptr && f.iteration + 1 < f.trips) {
    ++f.iteration;
    f.at = 0;
    next_iteration(f);
    return true;
  }
  if (f.loop != nullptr && !f.left && launch_->teams.count(f.loop) != 0) {  // the barrier behind a tile product
    next_ = Next::barrier;
    instance_ = instance_of(*f.loop);
    return false;
  }
  if (f.loop != nullptr && !f.left && program_->collectives.count(f.loop) != 0) {
    next_ = Next::deposit;
    instance_ = instance_of(*f.loop);
    const auto own = static_cast<std::size_t>(program_->slots.at(f.loop));
    for (std::size_t k = 0; k < group_.size(); ++k) instance_.push_back(k == own ? -1 : group_[k]);
    instance_.push_back(group_number_);
    team_ = launch_->group[own];
    return false;
  }
  frames_.pop_back();
  return true;
}

void ThreadRun::next_iteration(Frame& f) {
  if (f.lanes == nullptr) {
    lane_.clear();
    f.value += f.loop->step;
    slot(f.loop->name) = {index_scalar(f.value)};
    return;
  }
  auto lanes = std::make_shared<Lanes>();  // EXEC-23
  lanes->entered = f.lanes->entered;
  for (const Lanes::Entered& e : lanes->entered) {
    if (e.trips <= f.iteration) continue;
    lanes->active.push_back(e.lane);
    lane_ = e.lane;
    slot(f.loop->name) = {index_scalar(e.lower + static_cast<std::int64_t>(f.iteration) * f.loop->step)};
  }
  f.lanes = std::move(lanes);
}

std::vector<Lane> ThreadRun::active() const {
  const auto& lanes = frames_.back().lanes;
  return lanes ? lanes->active : std::vector<Lane>{{}};
}

// New lanes, or an iteration of a serial loop for all of them that have one. The bounds of loops read no data.
void ThreadRun::enter_in_lanes(const StmtNode& loop) {
  const std::vector<Lane> around = active();
  ++frames_.back().at;
  auto lanes = std::make_shared<Lanes>();
  Frame f{&loop.body, 0, &loop, 0, 0, 0};
  for (const Lane& lane : around) {
    lane_ = lane;
    std::int64_t lower = 0;
    std::uint64_t count = trips(loop, lower);
    if (next_ == Next::fault) return;
    if (loop.axis == Axis::vectorized) {
      for (std::uint64_t k = 0; k < count; ++k) {
        lanes->active.push_back(lane);
        lanes->active.back().push_back(static_cast<std::int64_t>(k));
        lane_ = lanes->active.back();
        slot(loop.name) = {index_scalar(lower + static_cast<std::int64_t>(k) * loop.step)};
      }
      f.trips = 1;
    } else if (count > 0) {
      lanes->active.push_back(lane);
      lanes->entered.push_back({lane, lower, count});
      f.trips = std::max(f.trips, count);
      slot(loop.name) = {index_scalar(lower)};
    }
  }
  if (lanes->active.empty()) return;
  f.lanes = std::move(lanes);
  frames_.push_back(std::move(f));
}

// All active lanes evaluate the condition; those for which it holds run the first arm, then the others the second (EXEC-22).
bool ThreadRun::branch(const StmtNode& s) {
  const bool scalar = frames_.back().lanes == nullptr;
  std::shared_ptr<Lanes> arms[2] = {std::make_shared<Lanes>(), std::make_shared<Lanes>()};
  for (const Lane& lane : active()) {
    lane_ = lane;
    bool taken = false;
    if (!condition(s.value, taken)) return false;
    arms[taken ? 0 : 1]->active.push_back(lane);
  }
  log_.clear();
  ++frames_.back().at;
  for (const int arm : {1, 0}) {
    if (arms[arm]->active.empty()) continue;
    Frame f{arm == 0 ? &s.body : &s.other};
    if (!scalar) f.lanes = std::move(arms[arm]);
    frames_.push_back(std::move(f));
  }
  return true;
}

// A loop's upper bound is not evaluated again; its symbol is set before each iteration.
void ThreadRun::enter(const StmtNode& loop) {
  static const Block nothing;
  std::int64_t lower = 0;
  std::uint64_t count = trips(loop, lower);
  if (next_ == Next::fault) return;
  const auto own = program_->slots.find(&loop);
  const bool team = launch_->teams.count(&loop) != 0;
  const bool collective = program_->collectives.count(&loop) != 0;
  const bool binds = loop.axis == Axis::grid || loop.axis == Axis::workgroup || collective || team;
  Frame f{&loop.body, 0, &loop, lower, 0, 1};
  if (loop.axis == Axis::tile && !team) count = std::min<std::uint64_t>(count, 1);
  if (!binds) {
    if (count == 0) return;
    f.trips = count;
  } else {
    const auto s = static_cast<std::size_t>(own->second);
    const std::int64_t t = loop.axis == Axis::grid ? grid_[s] : group_[s];
    const bool passes = static_cast<std::uint64_t>(t) < count;
    if (!passes && !collective) return;
    f.value = lower + t * loop.step;
    if (team) {
      const bool runs = t == std::min(tile_lane_, static_cast<std::int64_t>(count) - 1);
      f.value = lower;
      if (!runs) f.block = &nothing;
    }
    if (collective) {
      collective_ = &loop;
      deposited_.clear();
      if (!passes) f.block = &nothing;
    }
  }
  slot(loop.name) = {index_scalar(f.value)};
  frames_.push_back(f);
}

std::uint64_t ThreadRun::trips(const StmtNode& loop, std::int64_t& lower) {
  const auto lo = index(loop.lo), hi = index(loop.hi);
  if (!lo || !hi) {
    fail("RUN-4");
    return 0;
  }
  lower = *lo;
  return *lo >= *hi ? 0 : static_cast<std::uint64_t>((*hi - *lo - 1) / loop.step + 1);
}

// The iterations of the serial loops around the place where the thread stands.
std::vector<std::int64_t> ThreadRun::instance_of(const StmtNode& s) const {
  std::vector<std::int64_t> out{program_->numbers.at(&s)};
  for (const Frame& f : frames_) {
    if (f.loop != nullptr && f.loop != &s && program_->slots.count(f.loop) == 0)
      out.push_back(static_cast<std::int64_t>(f.iteration));
  }
  return out;
}

bool ThreadRun::assign(const StmtNode& s) {
  ThreadValue v{};
  v.defined = false;
  if (s.value && !evaluate(s.value, v)) return false;
  slot(s.name) = v;
  return true;
}

// Two lanes with one target are a fault (RUN-7), of variables too.
bool ThreadRun::assign_in_lanes(const StmtNode& s) {
  if (frames_.back().lanes == nullptr) return assign(s);
  const std::size_t depth = program_->depths[static_cast<std::size_t>(program_->names.at(s.name))];
  std::vector<ThreadValue> values;
  std::set<Lane> targets;
  const std::vector<Lane> lanes = active();
  for (const Lane& lane : lanes) {
    lane_ = lane;
    ThreadValue v{};
    v.defined = false;
    if (s.value && !evaluate(s.value, v)) return false;
    values.push_back(v);
    targets.emplace(lane.begin(), lane.begin() + static_cast<std::ptrdiff_t>(depth));
  }
  if (targets.size() < lanes.size()) return fail("RUN-7");
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    lane_ = lanes[k];
    slot(s.name) = values[k];
  }
  return true;
}

bool ThreadRun::store(const StmtNode& s) {
  const auto& storage = program_->storages.at(s.name);
  const bool local = storage.buffer->kind == BufferKind::local;
  std::vector<Pending> stores;
  std::vector<bool> data;
  std::set<std::int64_t> targets;
  for (const Lane& lane : active()) {
    lane_ = lane;
    std::int64_t flat = 0;
    ThreadValue v;
    if (!place_of(s.name, s.indices, flat)) return false;
    if (!evaluate(s.value, v)) return false;
    if (flat < 0) return fail("RUN-1");
    stores.push_back({local ? storage.first + flat : cell_number(storage, flat), v.scalar});
    data.push_back(v.data);
    targets.insert(flat);
  }
  if (targets.size() < stores.size()) return fail("RUN-7");
  if (local) {
    for (std::size_t k = 0; k < stores.size(); ++k) {
      const auto at = static_cast<std::size_t>(stores[k].cell);
      locals_[at] = {stores[k].value, true};
      local_data_[at] = data[k];
    }
    log_.clear();
    ++frames_.back().at;
    return true;
  }
  pending_ = std::move(stores);
  next_ = Next::store;
  cell_ = pending_.front().cell;
  return false;
}

bool ThreadRun::zero(const StmtNode& s) {
  const auto& storage = program_->storages.at(s.name);
  const Scalar none{storage.buffer->type, 0};
  if (active().size() > 1 && storage.size > 0) return fail("RUN-7");
  if (storage.buffer->kind == BufferKind::local) {
    for (std::int64_t k = 0; k < storage.size; ++k) locals_[static_cast<std::size_t>(storage.first + k)] = {none, true};
    zero_at_ = storage.size;
  }
  if (zero_at_ >= storage.size) {
    zero_at_ = 0;
    ++frames_.back().at;
    return true;
  }
  next_ = Next::store;
  cell_ = cell_number(storage, zero_at_);
  pending_ = {{cell_, none}};
  return false;
}

void ThreadRun::load(const MemoryCell& cell) {
  if (!cell.defined) {
    fail("RUN-2");
  } else {
    log_.push_back(cell.value);
  }
}

void ThreadRun::release() {
  if (next_ == Next::store) {
    pending_.erase(pending_.begin());
    if (!pending_.empty()) return;
  }
  if (next_ == Next::store && leads_) {
    leads_ = false;
    collective_ = nullptr;
    frames_.pop_back();
    log_.clear();
    return;
  }
  if (next_ == Next::deposit) {
    const auto own = static_cast<std::size_t>(program_->slots.at(collective_));
    if (group_[own] == 0) {
      next_ = Next::gather;
      return;
    }
    collective_ = nullptr;
    frames_.pop_back();
    return;
  }
  Frame& f = frames_.back();
  if (next_ == Next::barrier && f.at == f.block->size()) {  // behind a tile product
    f.left = true;
    return;
  }
  if (next_ == Next::store && (*f.block)[f.at]->kind == StmtKind::zero) {
    ++zero_at_;
    return;
  }
  log_.clear();
  ++f.at;
}

// Instead of the update of a @reduce loop: its operands beside the cell.
bool ThreadRun::contribute(const StmtNode& s) {
  Contribution c{&s, 0, {}};
  std::int64_t flat = 0;
  if (!place_of(s.name, s.indices, flat)) return false;
  for (const Expr& e : s.value->args) {
    if (e->op == Op::load && e->name == s.name) continue;
    ThreadValue v;
    if (!evaluate(e, v)) return false;
    c.operands.push_back(v.scalar);
  }
  if (flat < 0) return fail("RUN-1");
  c.cell = cell_number(program_->storages.at(s.name), flat);
  deposited_.push_back(std::move(c));
  log_.clear();
  ++frames_.back().at;
  return true;
}

void ThreadRun::gather(std::vector<Contribution> terms) {
  deposited_ = std::move(terms);
  log_.clear();
  leads_ = !deposited_.empty();
  if (leads_) return;
  collective_ = nullptr;
  frames_.pop_back();
}

// The first thread of the team: one load, all operations, one store.
bool ThreadRun::leader() {
  cell_ = deposited_[0].cell;
  next_ = Next::load;
  if (log_.empty()) return false;
  Scalar sum = log_[0];
  for (const Contribution& c : deposited_) {
    const ExprNode& value = *c.update->value;
    std::vector<Scalar> args;
    auto operand = c.operands.begin();
    for (const Expr& e : value.args) args.push_back(e->op == Op::load && e->name == c.update->name ? sum : *operand++);
    numerics::Flags flags;
    sum = numerics::apply(value.op, args.data(), flags);
  }
  next_ = Next::store;
  pending_ = {{cell_, sum}};
  return false;
}

}  // namespace assay::fuzz
