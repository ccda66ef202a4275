// Every thread is walked on its own; what it leaves is its list of barrier instances and its accesses, each with the number
// of barriers before it. Where the lists of a group agree, that number is the barrier interval of the access.
#include "fuzz/judges/thread_races.hpp"

#include <algorithm>

#include "fuzz/judges/values.hpp"
#include "ir/analysis/access.hpp"
#include "ir/traverse.hpp"

namespace assay::fuzz {
namespace {

using Place = std::map<int, std::int64_t>;  // slot -> coordinate

struct Touch {
  const Access* access;
  const Node* node;
  std::vector<std::int64_t> cell;
  std::size_t interval;
  Environment at;
  std::vector<std::int64_t> product;  // the instance of a tile product that it is part of; empty where of none
};

struct Trace {
  Place grid, group;
  std::vector<std::vector<std::int64_t>> barriers;  // the statement, then the iterations of the serial loops around it
  std::vector<Touch> touches;
};

bool is_reduce_loop(const Stmt& s) { return s->kind == StmtKind::loop && s->axis == Axis::reduce; }
bool is_group_loop(const Stmt& s) {
  return is_reduce_loop(s) || (s->kind == StmtKind::loop && s->axis == Axis::workgroup);
}
bool is_grid_loop(const Stmt& s) { return s->kind == StmtKind::loop && s->axis == Axis::grid; }

class Walk {
 public:
  Walk(const Program& p, const Extraction& extraction, const Environment& parameters, std::size_t limit)
      : program_(p), extraction_(extraction), parameters_(parameters), limit_(limit) {
    Visitor v;
    v.enter_stmt = [&](const Stmt& stmt) {
      number_[&*stmt] = next_++;
      return true;
    };
    // A scope's own statements are numbered too, and what they touch is not traced.
    v.enter_expr = [&](const Expr& e) {
      unknown_ |= e->op == Op::scope;
      return true;
    };
    visit(p.body, v);
  }

  // The traces of all threads of one launch.
  std::vector<Trace> launch(const Block& b) {
    slots_.clear();
    teams_.clear();
    find_teams(b);
    extent_[0].clear();
    extent_[1].clear();
    find_slots(b, is_grid_loop);
    find_slots(b, [&](const Stmt& s) { return is_group_loop(s) || is_team(s); });
    find_extents(b, parameters_);
    std::vector<Trace> out;
    each_place(extent_[0], [&](const Place& grid) {
      each_place(extent_[1], [&](const Place& group) {
        out.push_back({grid, group, {}, {}});
        trace_ = &out.back();
        iterations_.clear();
        block(b, parameters_);
      });
    });
    return out;
  }
  bool gave_up() const { return unknown_ || count_ > limit_; }

 private:
  // Among threads the lanes of a tile product are threads, too.
  void find_teams(const Block& b) {
    bool threads = false;
    std::set<const StmtNode*> tiles;
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      threads |= is_group_loop(s);
      if (s->kind == StmtKind::loop && s->axis == Axis::tile) tiles.insert(&*s);
      return true;
    };
    visit(b, v);
    if (threads) teams_ = std::move(tiles);
  }
  bool is_team(const Stmt& s) const { return teams_.count(&*s) != 0; }

  // A loop's slot is how deep loops of its kind are nested in it.
  template <typename Kind>
  int find_slots(const Block& b, Kind kind) {
    int depth = 0;
    for (const Stmt& s : b) {
      int below = std::max(find_slots(s->body, kind), find_slots(s->other, kind));
      if (kind(s)) slots_[&*s] = below++;
      depth = std::max(depth, below);
    }
    return depth;
  }

  void find_extents(const Block& b, const Environment& at) {
    for (const Stmt& s : b) {
      if (s->kind != StmtKind::loop) {
        find_extents(s->body, at);
        find_extents(s->other, at);
        continue;
      }
      const std::int64_t count = is_team(s) ? *value(s->hi, at) : trips(s, at);
      if (is_grid_loop(s) || is_group_loop(s) || is_team(s)) {
        std::int64_t& extent = extent_[is_grid_loop(s) ? 0 : 1][slots_[&*s]];
        extent = std::max({extent, count, std::int64_t{1}});
      }
      for (std::int64_t k = 0; k < count; ++k) find_extents(s->body, at_iteration(s, at, k));
    }
  }

  template <typename F>
  static void each_place(const std::map<int, std::int64_t>& extents, F f, Place place = {}) {
    const auto next =
        std::find_if(extents.begin(), extents.end(), [&](const auto& e) { return place.count(e.first) == 0; });
    if (next == extents.end()) return f(place);
    for (std::int64_t t = 0; t < next->second; ++t) {
      place[next->first] = t;
      each_place(extents, f, place);
    }
  }

  static Environment at_iteration(const Stmt& s, Environment at, std::int64_t k) {
    at[s->name] = *value(s->lo, at) + k * s->step;
    return at;
  }

  void block(const Block& b, const Environment& at) {
    for (const Stmt& s : b) {
      if (gave_up()) return;
      statement(s, at);
    }
  }

  void statement(const Stmt& s, const Environment& at) {
    if (is_reduce_loop(s)) return reduce(s, at);
    if (is_grid_loop(s) || is_group_loop(s)) {
      const std::int64_t t = (is_grid_loop(s) ? trace_->grid : trace_->group).at(slots_[&*s]);
      if (t < trips(s, at)) block(s->body, at_iteration(s, at, t));
      return;
    }
    if (is_team(s)) return product(s, at);
    if (s->kind == StmtKind::loop) {
      unknown_ |= s->axis == Axis::vectorized;
      for (std::int64_t k = 0; k < trips(s, at); ++k) {
        iterations_.push_back(k);
        block(s->body, at_iteration(s, at, k));
        iterations_.pop_back();
      }
      return;
    }
    if (s->kind == StmtKind::barrier) {
      trace_->barriers.push_back({number_[&*s]});
      trace_->barriers.back().insert(trace_->barriers.back().end(), iterations_.begin(), iterations_.end());
      return;
    }
    if (const Node* n = extraction_.find(number_[&*s])) accesses(*n, at);
    if (s->kind != StmtKind::branch) return;
    const auto taken = truth(s->value, at);
    unknown_ |= !taken;
    if (taken) block(*taken ? s->body : s->other, at);
  }

  // Every lane makes every access of the nest, then comes a barrier.
  void product(const Stmt& s, const Environment& at) {
    const int slot = slots_[&*s];
    if (trace_->group.at(slot) >= *value(s->hi, at)) return;
    product_ = {number_[&*s]};
    product_.insert(product_.end(), iterations_.begin(), iterations_.end());
    for (const auto& [other, coordinate] : trace_->group) {
      if (other != slot) product_.push_back(coordinate);
    }
    block(s->body, at_iteration(s, at, 0));
    product_.clear();
    trace_->barriers.push_back({number_[&*s]});
    trace_->barriers.back().insert(trace_->barriers.back().end(), iterations_.begin(), iterations_.end());
  }

  // Of a cell that is kept by the thread itself all iterations are its own. Of another one the thread contributes its
  // iteration, and the first thread makes all accesses to the cell.
  void reduce(const Stmt& loop, const Environment& at) {
    Stmt update = loop;
    while (update->kind != StmtKind::store && update->kind != StmtKind::assign) update = update->body[0];
    const Buffer* target = update->kind == StmtKind::store ? program_.find_buffer(update->name) : nullptr;
    const std::int64_t t = trace_->group.at(slots_[&*loop]);
    const bool alone = !target || target->kind == BufferKind::local;
    for (std::int64_t k = 0; k < trips(loop, at); ++k) {
      for (const bool of_target : {false, true}) {
        if (!alone && (of_target ? t != 0 : t != k)) continue;
        update_ = &*update;
        of_target_ = of_target;
        block(loop->body, at_iteration(loop, at, k));
        update_ = nullptr;
      }
    }
  }

  void accesses(const Node& n, const Environment& at) {
    for (const Access& a : n.accesses) {
      if (a.variable) continue;
      if (update_ && (a.storage == update_->name) != of_target_) continue;
      const auto affine = [](const Expr& e) { return e->op == Op::index; };
      unknown_ |= !a.guards.empty() || !std::all_of(a.indices.begin(), a.indices.end(), affine);
      if (unknown_) return;
      Touch t{&a, &n, {}, trace_->barriers.size(), at, product_};
      for (const Expr& e : a.indices) t.cell.push_back(*value(e->index, at));
      trace_->touches.push_back(std::move(t));
      ++count_;
    }
  }

  const Program& program_;
  const Extraction& extraction_;
  const Environment& parameters_;
  std::size_t limit_, count_ = 0;
  bool unknown_ = false;  // something that is not covered
  std::map<const StmtNode*, int> number_, slots_;
  std::set<const StmtNode*> teams_;    // tile loops whose lanes are threads
  std::vector<std::int64_t> product_;  // the instance of a tile product that is run
  int next_ = 0;
  std::map<int, std::int64_t> extent_[2];
  Trace* trace_ = nullptr;
  const StmtNode* update_ = nullptr;  // in a reduce loop: its accumulation,
  bool of_target_ = false;            // and whether accesses to its cell or the others count now
  std::vector<std::int64_t> iterations_;
};

std::string describe(const Touch& t) {
  std::string out = t.access->writes ? "store of" : "load of";
  out += " statement " + std::to_string(t.node->statement);
  for (const auto& [s, v] : t.at) out += " " + s + "=" + std::to_string(v);
  return out;
}

void compare(const Program& p, const Trace& x, const Trace& y, ThreadFindings& into) {
  const bool one_group = x.grid == y.grid;
  if (one_group && x.barriers != y.barriers) into.uniform = false;
  for (const Touch& a : x.touches) {
    const BufferKind kind = p.find_buffer(a.access->storage)->kind;
    if (kind == BufferKind::local || (kind == BufferKind::shared && !one_group)) continue;
    for (const Touch& b : y.touches) {
      if (a.access->storage != b.access->storage || (!a.access->writes && !b.access->writes)) continue;
      if (!a.access->whole && !b.access->whole && a.cell != b.cell) continue;
      if (one_group && (a.interval != b.interval || (!a.product.empty() && a.product == b.product))) continue;
      auto& found = one_group ? into.thread_race : into.group_race;
      if (!found) found = a.access->storage + ": " + describe(a) + " / " + describe(b);
    }
  }
}

}  // namespace

std::optional<ThreadFindings> find_thread_races(const Program& p, const ParameterMap& parameters, std::size_t limit) {
  const Environment environment(parameters.begin(), parameters.end());
  const Extraction extraction = extract(p);
  Walk walk(p, extraction, environment, limit);
  ThreadFindings out;
  Block launch;
  for (std::size_t k = 0; k <= p.body.size(); ++k) {
    if (k < p.body.size() && p.body[k]->kind != StmtKind::launch) {
      launch.push_back(p.body[k]);
      continue;
    }
    const std::vector<Trace> traces = walk.launch(launch);
    if (walk.gave_up()) return std::nullopt;
    for (std::size_t i = 0; i < traces.size(); ++i) {
      for (std::size_t j = i + 1; j < traces.size(); ++j) compare(p, traces[i], traces[j], out);
    }
    launch.clear();
  }
  return out;
}

}  // namespace assay::fuzz
