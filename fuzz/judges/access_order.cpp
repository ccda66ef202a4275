// The enumeration: a walk in canonical order with a clock. In a lockstep instance all lanes share the clock's tick, loads
// at its even and stores at its odd half. Executions of different grid groups have no order.
#include "fuzz/judges/access_order.hpp"

#include <algorithm>
#include <functional>

#include "fuzz/judges/values.hpp"
#include "ir/analysis/access.hpp"

namespace assay::fuzz {
namespace {

using Thread = std::map<int, std::int64_t>;  // grid slot -> coordinate

struct Execution {
  int statement;
  const StmtNode* stmt;
  Environment at;
  Thread thread;
  std::int64_t tick;
  int launch;
  std::vector<std::int64_t> cell{};  // of a `zero`, which counts as one execution per cell
};

class Enumeration {
 public:
  Enumeration(const Program& p, const Environment& parameters, std::size_t limit) : program_(p), limit_(limit) {
    number(p.body);
    slots(p.body);
    for (const Stmt& s : p.body) {
      if (s->kind == StmtKind::launch) {
        ++launch_;
        continue;
      }
      extents({s}, parameters);
      block({s}, {{parameters, {}}});
    }
  }
  std::vector<Execution> executions;
  bool too_many = false;
  std::map<int, std::map<int, std::int64_t>> slot_extent;  // by launch
  std::map<const StmtNode*, int> slot;

 private:
  struct Lane {
    Environment at;
    Thread thread;
  };

  void number(const Block& b) {
    for (const Stmt& s : b) {
      number_[&*s] = next_++;
      for (const Expr& e : s->indices) number(e);
      if (s->value) number(s->value);
      number(s->body);
      number(s->other);
    }
  }
  void number(const Expr& e) {
    for (const Expr& a : e->args) number(a);
    number(e->body);
  }
  int slots(const Block& b) {
    int depth = 0;
    for (const Stmt& s : b) {
      int below = std::max(slots(s->body), slots(s->other));
      if (s->kind == StmtKind::loop && s->axis == Axis::grid) slot[&*s] = below++;
      depth = std::max(depth, below);
    }
    return depth;
  }

  // The extent of a slot is the greatest trip count of its loops, whatever the conditions around them say.
  void extents(const Block& b, const Environment& at) {
    for (const Stmt& s : b) {
      extents(s->other, at);
      if (s->kind != StmtKind::loop) {
        extents(s->body, at);
        continue;
      }
      const std::int64_t count = trips(s, at);
      if (s->axis == Axis::grid) {
        std::int64_t& extent = slot_extent[launch_][slot[&*s]];
        extent = std::max(extent, count);
      }
      if (slot.empty()) return;
      for (std::int64_t k = 0; k < count; ++k) {
        Environment inner = at;
        inner[s->name] = *value(s->lo, at) + k * s->step;
        extents(s->body, inner);
      }
    }
  }

  void block(const Block& b, const std::vector<Lane>& lanes) {
    for (const Stmt& s : b) {
      if (too_many || lanes.empty()) return;
      statement(s, lanes);
    }
  }

  void statement(const Stmt& s, const std::vector<Lane>& lanes) {
    if (s->kind == StmtKind::loop) {
      const auto iteration = [&](const Lane& l, std::int64_t k) {
        Lane inner = l;
        inner.at[s->name] = *value(s->lo, l.at) + k * s->step;
        return inner;
      };
      if (s->axis == Axis::vectorized) {
        std::vector<Lane> all;
        for (const Lane& l : lanes) {
          for (std::int64_t k = 0; k < trips(s, l.at); ++k) all.push_back(iteration(l, k));
        }
        block(s->body, all);
        return;
      }
      for (std::int64_t k = 0;; ++k) {
        std::vector<Lane> active;
        for (const Lane& l : lanes) {
          if (k >= trips(s, l.at)) continue;
          active.push_back(iteration(l, k));
          if (s->axis == Axis::grid) active.back().thread[slot[&*s]] = k;
        }
        if (active.empty() || too_many) return;
        block(s->body, active);
      }
    }
    for (const Lane& l : lanes) {
      for (const Expr& e : s->indices) scopes(e, l);
      if (s->value) scopes(s->value, l);
    }
    ++clock_;
    for (const Lane& l : lanes) {
      const Execution x{number_[&*s], &*s, l.at, l.thread, clock_, launch_, {}};
      if (s->kind == StmtKind::zero) {
        every_cell(x, *program_.find_buffer(s->name));
      } else {
        executions.push_back(x);
      }
    }
    too_many |= executions.size() > limit_;
    if (s->kind != StmtKind::branch) return;
    for (const bool arm : {true, false}) {
      std::vector<Lane> into;
      for (const Lane& l : lanes) {
        const auto c = truth(s->value, l.at);
        if (!c || *c == arm) into.push_back(l);
      }
      block(arm ? s->body : s->other, into);
    }
  }

  void every_cell(Execution x, const Buffer& b) {
    if (x.cell.size() == b.dims.size()) {
      too_many |= executions.size() > limit_;
      executions.push_back(std::move(x));
      return;
    }
    const std::int64_t extent = *value(b.dims[x.cell.size()], x.at);
    for (std::int64_t k = 0; k < extent && !too_many; ++k) {
      Execution inner = x;
      inner.cell.push_back(k);
      every_cell(std::move(inner), b);
    }
  }

  void scopes(const Expr& e, const Lane& l) {
    if (e->op == Op::scope) {
      block(e->body, {l});
      return;
    }
    if (e->op == Op::choice || e->op == Op::land || e->op == Op::lor) {
      scopes(e->args[0], l);
      const auto c = truth(e->args[0], l.at);
      if (e->op == Op::choice) {
        if (!c || *c) scopes(e->args[1], l);
        if (!c || !*c) scopes(e->args[2], l);
      } else if (!c || *c == (e->op == Op::land)) {
        scopes(e->args[1], l);
      }
      return;
    }
    for (const Expr& a : e->args) scopes(a, l);
  }

  const Program& program_;
  std::size_t limit_;
  int launch_ = 0;
  std::map<const StmtNode*, int> number_;
  int next_ = 0;
  std::int64_t clock_ = 0;
};

struct Touch {
  std::size_t execution;  // index into the executions before
  bool writes;
  std::vector<std::optional<std::int64_t>> cell;  // open coordinates are dynamic
};

bool may_meet(const Touch& a, const Touch& b) {
  for (std::size_t d = 0; d < a.cell.size() && d < b.cell.size(); ++d) {
    if (a.cell[d] && b.cell[d] && *a.cell[d] != *b.cell[d]) return false;
  }
  return true;
}

// Threads and groups are those of one launch.
bool same_group(const Execution& x, const Execution& y) {
  return x.launch == y.launch && std::none_of(x.thread.begin(), x.thread.end(), [&](const auto& entry) {
           const auto it = y.thread.find(entry.first);
           return it != y.thread.end() && it->second != entry.second;
         });
}

// One of them, under no loop of a slot, happens in every group of it; the other in one.
bool in_other_groups_too(const Execution& x, const Execution& y, const Enumeration& now) {
  const auto extents = now.slot_extent.find(x.launch);
  if (x.launch != y.launch || extents == now.slot_extent.end()) return false;
  return std::any_of(extents->second.begin(), extents->second.end(), [&](const auto& entry) {
    return entry.second > 1 && x.thread.count(entry.first) != y.thread.count(entry.first);
  });
}

bool ordered(const Execution& x, bool x_writes, const Execution& y, bool y_writes) {
  if (x.launch != y.launch) return x.launch < y.launch;
  if (!same_group(x, y)) return false;
  return x.tick < y.tick || (x.tick == y.tick && !x_writes && y_writes);
}

std::string describe(const Execution& x) {
  std::string out = "statement " + std::to_string(x.statement) + " at";
  for (const auto& [s, v] : x.at) out += " " + s + "=" + std::to_string(v);
  return out;
}

// The cell that an execution of a `zero`, or of a store with plain indices, writes.
std::vector<std::int64_t> stored_cell(const Execution& x) {
  if (x.stmt->kind == StmtKind::zero) return x.cell;
  std::vector<std::int64_t> cell;
  for (const Expr& e : x.stmt->indices) {
    const auto v = e->op == Op::index ? value(e->index, x.at) : std::nullopt;
    if (v) cell.push_back(*v);
  }
  return cell;
}

bool affine_branch(const Execution& x) {
  return x.stmt->kind == StmtKind::branch && truth(x.stmt->value, x.at).has_value();
}

}  // namespace

std::optional<OrderFinding> find_broken_pair(const Program& before, const Program& after,
                                             const ParameterMap& parameters, std::size_t limit) {
  const Environment environment(parameters.begin(), parameters.end());
  const Enumeration old(before, environment, limit);
  const Enumeration now(after, environment, limit);
  if (old.too_many || now.too_many) return std::nullopt;
  const Extraction extraction = extract(before);

  // Where each old execution went. The loop symbols of the source statement identify the execution, and the cell does
  // where that is a `zero`.
  struct Key {
    int statement;
    std::vector<std::int64_t> point, cell;
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr): a mistake of clang-tidy 14
  };
  std::map<Key, std::size_t> where;
  const auto key = [&](int statement,
                       const std::function<std::optional<std::int64_t>(const Symbol&)>& at) -> std::optional<Key> {
    const Node* n = extraction.find(statement);
    if (!n) return std::nullopt;
    Key k{statement, {}, {}};
    for (const Stmt& loop : n->loops) {
      const auto v = at(loop->name);
      if (!v) return std::nullopt;
      k.point.push_back(*v);
    }
    return k;
  };
  for (std::size_t i = 0; i < old.executions.size(); ++i) {
    const Execution& x = old.executions[i];
    if (affine_branch(x)) continue;
    auto k = key(x.statement, [&](const Symbol& s) { return std::optional<std::int64_t>(x.at.at(s)); });
    if (!k) continue;
    k->cell = x.cell;
    where[*k] = i;
  }
  std::vector<const Execution*> went(old.executions.size(), nullptr);
  for (const Execution& y : now.executions) {
    if (affine_branch(y)) continue;
    const auto& p = y.stmt->provenance;
    auto k = p ? key(p->statement,
                     [&](const Symbol& s) -> std::optional<std::int64_t> {
                       const auto it = p->to_source.find(s);
                       return it == p->to_source.end() ? std::nullopt : value(it->second, y.at);
                     })
               : std::nullopt;
    if (k && extraction.find(p->statement)->stmt->kind == StmtKind::zero) k->cell = stored_cell(y);
    const auto it = k ? where.find(*k) : where.end();
    if (it == where.end()) return OrderFinding{OrderFinding::Kind::domain, "invented: " + describe(y)};
    if (went[it->second]) return OrderFinding{OrderFinding::Kind::domain, "doubled: " + describe(y)};
    went[it->second] = &y;
  }
  for (const auto& [k, i] : where) {
    if (!went[i]) return OrderFinding{OrderFinding::Kind::domain, "missing: " + describe(old.executions[i])};
  }

  // All accesses by storage, in old coordinates.
  std::map<Symbol, std::vector<Touch>> touches;
  for (const auto& [k, i] : where) {
    const Execution& x = old.executions[i];
    for (const Access& a : extraction.find(x.statement)->accesses) {
      const bool impossible = std::any_of(a.guards.begin(), a.guards.end(), [&](const Guard& g) {
        const auto c = truth(g.condition, x.at);
        return c && *c != g.positive;
      });
      if (impossible) continue;
      Touch t{i, a.writes, {}};
      if (a.variable) {
        const Variable& v = extraction.variables.at(a.storage);
        for (const Stmt& loop : v.around) t.cell.emplace_back(x.at.at(loop->name));
      } else if (a.whole) {
        t.cell.assign(x.cell.begin(), x.cell.end());
      } else {
        for (const Expr& e : a.indices) t.cell.push_back(e->op == Op::index ? value(e->index, x.at) : std::nullopt);
      }
      touches[a.storage].push_back(std::move(t));
    }
  }
  for (const auto& [storage, list] : touches) {
    const Buffer* buffer = before.find_buffer(storage);
    const bool per_thread = buffer && is_private(buffer->kind);
    const auto missed = [&](const Execution& writer, const Execution& reader) {
      if (writer.launch != reader.launch) return true;
      const auto extents = now.slot_extent.find(writer.launch);
      return extents != now.slot_extent.end() &&
             std::any_of(extents->second.begin(), extents->second.end(), [&](const auto& entry) {
               return entry.second > 1 && writer.thread.count(entry.first) != 0 &&
                      reader.thread.count(entry.first) == 0;
             });
    };
    for (const Touch& a : list) {
      for (const Touch& b : list) {
        if ((!a.writes && !b.writes) || !may_meet(a, b)) continue;
        const Execution& x = old.executions[a.execution];
        const Execution& y = old.executions[b.execution];
        const Execution& x2 = *went[a.execution];
        const Execution& y2 = *went[b.execution];
        if (per_thread && a.writes && !b.writes && !same_group(x, y) && ordered(x2, true, y2, false)) {
          // Copies that were separate have become one, and the read meets a store of another group.
          const bool covered = std::any_of(list.begin(), list.end(), [&](const Touch& w) {
            const Execution& between = *went[w.execution];
            return w.writes && w.cell == b.cell && ordered(x2, true, between, true) &&
                   ordered(between, true, y2, false);
          });
          if (!covered)
            return OrderFinding{OrderFinding::Kind::unordered, storage + ": " + describe(x) + " meets " + describe(y)};
        }
        if (!ordered(x, a.writes, y, b.writes)) continue;
        const bool shared = buffer && !per_thread;
        const bool copied = per_thread || (!buffer && x2.launch != y2.launch);  // variables, too, end with a launch
        if (copied && a.writes && !b.writes) {
          // A value travels only from the last store before the read; that one must reach every group of the reader.
          const bool overwritten = std::any_of(list.begin(), list.end(), [&](const Touch& w) {
            const Execution& between = old.executions[w.execution];
            return w.writes && w.cell == b.cell && ordered(x, true, between, true) && ordered(between, true, y, false);
          });
          if (overwritten) continue;
          if (missed(x2, y2))
            return OrderFinding{OrderFinding::Kind::unordered,
                                storage + ": " + describe(x) + " / " + describe(y) + " in other groups"};
        }
        if (ordered(x2, a.writes, y2, b.writes) && !(shared && in_other_groups_too(x2, y2, now))) continue;
        const bool reversed = ordered(y2, b.writes, x2, a.writes);
        if (per_thread && !same_group(x2, y2) && !(a.writes && !b.writes)) continue;  // separate copies
        return OrderFinding{reversed ? OrderFinding::Kind::reversed : OrderFinding::Kind::unordered,
                            storage + ": " + describe(x) + " / " + describe(y)};
      }
    }
    // Two lanes that store one cell, whatever the order was before: separate copies may have become one.
    for (const Touch& a : list) {
      for (const Touch& b : list) {
        const Execution& x = *went[a.execution];
        const Execution& y = *went[b.execution];
        if (a.writes && b.writes && &x != &y && x.tick == y.tick && same_group(x, y) && may_meet(a, b)) {
          return OrderFinding{OrderFinding::Kind::unordered, storage + ": lanes " + describe(x) + " / " + describe(y)};
        }
      }
    }
    // A store outside the loops of a slot with several groups happens in each of them.
    if (!buffer || per_thread) continue;
    for (const Touch& a : list) {
      if (!a.writes) continue;
      const auto extents = now.slot_extent.find(went[a.execution]->launch);
      if (extents == now.slot_extent.end()) continue;
      for (const auto& [slot, extent] : extents->second) {
        if (extent > 1 && went[a.execution]->thread.count(slot) == 0) {
          return OrderFinding{OrderFinding::Kind::coverage, storage + ": " + describe(*went[a.execution])};
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace assay::fuzz
