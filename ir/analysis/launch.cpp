// Extents are found by walking the loops around hardware loops, so that a bound that depends on an outer symbol counts with
// its largest value.
#include "ir/analysis/launch.hpp"

#include <algorithm>
#include <set>

#include "ir/traverse.hpp"

namespace assay {
namespace {

/// Numbers the loops of one slot space in `b`; the depth of its deepest nest of them. In lanes no loop has a slot (EXEC-33).
int number_slots(const Block& b, Axis kind, const std::set<const StmtNode*>& tiles,
                 std::map<const StmtNode*, int>& slots) {
  int deepest = 0;
  for (const Stmt& s : b) {
    const bool loop = s->kind == StmtKind::loop;
    if (loop && s->axis == Axis::vectorized) continue;
    int depth = std::max(number_slots(s->body, kind, tiles, slots), number_slots(s->other, kind, tiles, slots));
    const bool of_kind = slot_kind(s->axis) == kind || (kind == Axis::workgroup && tiles.count(&*s) != 0);
    if (loop && of_kind) slots[&*s] = depth++;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

bool multiply(std::int64_t& value, std::int64_t factor) { return !__builtin_mul_overflow(value, factor, &value); }

class Walk {
 public:
  Walk(const Program& p, const ParameterMap& parameters, std::int64_t budget)
      : program_(p), values_(parameters), left_(budget), tiles_(tiles_among_threads(p)), slots_(hardware_slots(p)) {}

  std::optional<std::vector<LaunchShape>> run() {
    std::vector<LaunchShape> out;
    Block launch;
    const auto finish = [&] {
      std::optional<LaunchShape> shape = of_launch(launch);
      launch.clear();
      if (!shape) return false;
      out.push_back(*std::move(shape));
      return true;
    };
    for (const Stmt& s : program_.body) {
      if (s->kind != StmtKind::launch) {
        launch.push_back(s);
      } else if (!finish()) {
        return std::nullopt;
      }
    }
    if (!finish()) return std::nullopt;
    return out;
  }

 private:
  struct Extents {
    std::int64_t least = 0, greatest = 0;
  };

  std::optional<LaunchShape> of_launch(const Block& statements) {
    seen_.clear();
    LaunchShape shape;
    std::map<const StmtNode*, int> ignored;
    shape.grid.assign(static_cast<std::size_t>(number_slots(statements, Axis::grid, tiles_, ignored)), 1);
    shape.workgroup.assign(static_cast<std::size_t>(number_slots(statements, Axis::workgroup, tiles_, ignored)), 1);
    if (!block(statements)) return std::nullopt;
    for (const auto& [loop, extents] : seen_) {
      std::vector<std::int64_t>& of_kind = slot_kind(loop->axis) == Axis::grid ? shape.grid : shape.workgroup;
      std::int64_t& extent = of_kind[static_cast<std::size_t>(slots_.at(loop))];
      extent = std::max(extent, extents.greatest);
    }
    for (const auto& [loop, extents] : seen_) {
      const std::vector<std::int64_t>& of_kind = slot_kind(loop->axis) == Axis::grid ? shape.grid : shape.workgroup;
      if (extents.least < of_kind[static_cast<std::size_t>(slots_.at(loop))]) shape.guarded.push_back(loop->name);
    }
    std::sort(shape.guarded.begin(), shape.guarded.end());
    const std::set<Symbol> used = used_names(statements);
    const auto bytes = sum_of(BufferKind::shared, used, byte_width);
    const auto cells = sum_of(BufferKind::local, used, registers_of);
    if (!bytes || !cells) return std::nullopt;
    shape.shared_bytes = *bytes;
    if (__builtin_add_overflow(*cells, most_variables(statements), &shape.registers)) return std::nullopt;
    return shape;
  }

  std::optional<std::int64_t> value(const Index& e) const {
    return e.evaluate([&](const Symbol& s) -> std::optional<std::int64_t> {
      const auto it = values_.find(s);
      return it == values_.end() ? std::nullopt : std::optional(it->second);
    });
  }

  /// Whether a hardware loop stands inside, so that the values of a symbol around it matter.
  bool holds_hardware(const Block& b) const {
    bool found = false;
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      found = found || slots_.count(&*s) != 0;
      return !found;
    };
    v.enter_expr = [](const Expr&) { return false; };
    visit(b, v);
    return found;
  }

  bool block(const Block& b) {
    for (const Stmt& s : b) {
      if (s->kind == StmtKind::loop && !loop(s)) return false;
      if (s->kind == StmtKind::branch && !(block(s->body) && block(s->other))) return false;
    }
    return true;
  }

  bool loop(const Stmt& s) {
    const auto lo = value(s->lo), hi = value(s->hi);
    std::int64_t span = 0;
    if (!lo || !hi || __builtin_sub_overflow(*hi, *lo, &span) || --left_ < 0) return false;
    const std::int64_t trips = span <= 0 ? 0 : 1 + (span - 1) / s->step;
    if (slots_.count(&*s) != 0) {
      const auto [it, fresh] = seen_.try_emplace(&*s, Extents{trips, trips});
      if (!fresh) it->second = {std::min(it->second.least, trips), std::max(it->second.greatest, trips)};
    }
    if (!holds_hardware(s->body)) return true;
    bool fine = true;
    for (std::int64_t k = 0; k < trips && fine; ++k) {
      values_[s->name] = *lo + k * s->step;
      fine = --left_ >= 0 && block(s->body);
      if (!bounds_mention(s->body, s->name)) break;  // one iteration stands for all
    }
    values_.erase(s->name);
    return fine;
  }

  // What the buffers of a kind take together, `each` being what a cell of a type takes.
  template <typename Each>
  std::optional<std::int64_t> sum_of(BufferKind kind, const std::set<Symbol>& used, const Each& each) const {
    std::int64_t sum = 0;
    for (const Buffer& b : program_.buffers) {
      if (b.kind != kind || used.count(b.name) == 0) continue;
      std::int64_t all = each(b.type);
      for (const Index& d : b.dims) {
        const auto extent = value(d);
        if (!extent || !multiply(all, *extent)) return std::nullopt;
      }
      if (__builtin_add_overflow(sum, all, &sum)) return std::nullopt;
    }
    return sum;
  }

  static std::int64_t registers_of(Type t) { return std::max<std::int64_t>(1, byte_width(t) / 4); }

  // The registers of the variables that are there at once, where they are most: a walk through the text that counts those
  // whose block has begun and not ended.
  static std::int64_t most_variables(const Block& b) {
    std::int64_t own = 0, most = 0;
    for (const Stmt& s : b) {
      // A scope is evaluated with the variables that are there before its statement.
      Visitor scopes;
      scopes.enter_expr = [&](const Expr& e) {
        if (e->op != Op::scope) return true;
        most = std::max(most, own + registers_of(e->type) + most_variables(e->body));
        return false;
      };
      for (const Expr& e : s->indices) visit(e, scopes);
      if (s->value) visit(s->value, scopes);
      if (s->kind == StmtKind::declare) own += registers_of(s->type);
      most = std::max({most, own, own + most_variables(s->body), own + most_variables(s->other)});
    }
    return most;
  }

  const Program& program_;
  std::map<Symbol, std::int64_t> values_;
  std::int64_t left_;
  std::set<const StmtNode*> tiles_;
  std::map<const StmtNode*, int> slots_;
  std::map<const StmtNode*, Extents> seen_;
};

}  // namespace

std::set<Symbol> used_names(const Block& b) {
  std::set<Symbol> used;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    used.insert(s->name);
    return true;
  };
  v.enter_expr = [&](const Expr& e) {
    used.insert(e->name);
    return true;
  };
  visit(b, v);
  return used;
}

bool bounds_mention(const Block& b, const Symbol& symbol) {
  return std::any_of(b.begin(), b.end(), [&](const Stmt& s) {
    return s->lo.mentions(symbol) || s->hi.mentions(symbol) || bounds_mention(s->body, symbol) ||
           bounds_mention(s->other, symbol);
  });
}

bool has_loop(const Stmt& s, std::initializer_list<Axis> axes) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& t) {
    found = found || (t->kind == StmtKind::loop && std::find(axes.begin(), axes.end(), t->axis) != axes.end());
    return !found;
  };
  visit(s, v);
  return found;
}

bool has_loop(const Block& b, std::initializer_list<Axis> axes) {
  return std::any_of(b.begin(), b.end(), [&](const Stmt& s) { return has_loop(s, axes); });
}

bool needs_parallel_meaning(const Program& p) {
  bool found =
      has_loop(p.body, {Axis::workgroup}) ||
      std::any_of(p.buffers.begin(), p.buffers.end(), [](const Buffer& b) { return b.kind == BufferKind::shared; });
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    found = found || s->kind == StmtKind::barrier;
    return !found;
  };
  visit(p.body, v);
  return found;
}

std::optional<Axis> slot_kind(Axis axis) {
  if (axis == Axis::grid) return Axis::grid;
  if (axis == Axis::workgroup || axis == Axis::reduce) return Axis::workgroup;
  return std::nullopt;
}

std::set<const StmtNode*> tiles_among_threads(const Program& p) {
  std::set<const StmtNode*> found, of_launch;
  bool threads = false;
  const auto finish = [&] {
    if (threads) found.insert(of_launch.begin(), of_launch.end());
    of_launch.clear();
    threads = false;
  };
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::launch) finish();
    if (s->kind != StmtKind::loop) return true;
    if (s->axis == Axis::tile) of_launch.insert(&*s);
    threads = threads || s->axis == Axis::workgroup;
    return true;
  };
  v.enter_expr = [](const Expr&) { return false; };
  visit(p.body, v);
  finish();
  return found;
}

bool is_collective(const Program& p, const Stmt& reduce) {
  bool shared = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    const Buffer* target = s->kind == StmtKind::store ? p.find_buffer(s->name) : nullptr;
    shared = shared || (target && !is_private(target->kind));
    return !shared;
  };
  v.enter_expr = [](const Expr&) { return false; };
  visit(reduce, v);
  return shared;
}

std::map<const StmtNode*, int> hardware_slots(const Program& p) {
  std::map<const StmtNode*, int> slots;
  const std::set<const StmtNode*> tiles = tiles_among_threads(p);
  number_slots(p.body, Axis::grid, tiles, slots);
  number_slots(p.body, Axis::workgroup, tiles, slots);
  return slots;
}

std::optional<std::vector<LaunchShape>> launch_shapes(const Program& p, const ParameterMap& parameters,
                                                      std::int64_t budget) {
  return Walk(p, parameters, budget).run();
}

std::optional<std::array<std::int64_t, 3>> in_three_dimensions(const std::vector<std::int64_t>& slots) {
  std::array<std::int64_t, 3> out{1, 1, 1};
  for (std::size_t q = 0; q < slots.size(); ++q) {
    if (!multiply(out[std::min<std::size_t>(q, 2)], slots[q])) return std::nullopt;
  }
  return out;
}

std::vector<Index> unfold(const Index& z, const std::vector<std::int64_t>& slots) {
  std::vector<Index> out;
  std::int64_t stride = 1;
  for (std::size_t q = 2; q < slots.size(); ++q) {
    const Index quotient = floordiv(z, stride);
    out.push_back(q + 1 == slots.size() ? quotient : floormod(quotient, slots[q]));
    stride *= slots[q];
  }
  return out;
}

}  // namespace assay
