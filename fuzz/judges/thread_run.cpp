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
  for (const Buffer& b : p.buffers) {
    Storage& s = storages[b.name];
    s.buffer = &b;
    const auto dims = interp::shape(b, parameters);
    if (!dims || b.type == Type::u32x4) {
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
  bool in_lanes = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    numbers[&*s] = next++;
    in_lanes |= s->kind == StmtKind::loop && s->axis == Axis::vectorized;
    if (s->kind == StmtKind::loop && s->axis == Axis::reduce && slots.count(&*s) != 0 && is_collective(p, s))
      collectives.insert(&*s);
    return true;
  };
  visit(p.body, v);
  const auto shapes = launch_shapes(p, parameters, 1'000'000);
  covered = covered && !in_lanes && shapes.has_value();
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
  switch (s.kind) {
    case StmtKind::declare:
    case StmtKind::assign:
      if (!assign(s)) return false;
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
    case StmtKind::branch: {
      bool taken = false;
      if (!condition(s.value, taken)) return false;
      log_.clear();
      ++f.at;
      frames_.push_back({taken ? &s.body : &s.other});
      return true;
    }
    case StmtKind::loop:
      ++f.at;
      enter(s);
      return next_ != Next::fault;
  }
  log_.clear();
  ++frames_.back().at;
  return true;
}

bool ThreadRun::end_of_block(Frame& f) {
  if (f.loop != nullptr && f.iteration + 1 < f.trips) {
    ++f.iteration;
    f.value += f.loop->step;
    f.at = 0;
    slot(f.loop->name) = {index_scalar(f.value)};
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

bool ThreadRun::store(const StmtNode& s) {
  std::int64_t flat = 0;
  ThreadValue v;
  if (!place_of(s.name, s.indices, flat)) return false;
  if (!evaluate(s.value, v)) return false;
  if (flat < 0) return fail("RUN-1");
  const auto& storage = program_->storages.at(s.name);
  if (storage.buffer->kind == BufferKind::local) {
    const auto at = static_cast<std::size_t>(storage.first + flat);
    locals_[at] = {v.scalar, true};
    local_data_[at] = v.data;
    log_.clear();
    ++frames_.back().at;
    return true;
  }
  next_ = Next::store;
  cell_ = cell_number(storage, flat);
  stored_ = v.scalar;
  return false;
}

bool ThreadRun::zero(const StmtNode& s) {
  const auto& storage = program_->storages.at(s.name);
  const Scalar none{storage.buffer->type, 0};
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
  stored_ = none;
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
  stored_ = sum;
  return false;
}

}  // namespace assay::fuzz
