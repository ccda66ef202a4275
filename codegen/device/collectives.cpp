// Which way the threads of a `@reduce` loop can take.
//
// By shuffles where its slot has 1, 2, 4, 8, 16 or 32 threads, whatever the parameters, or where the whole group has no more than
// 32: then the threads that differ only in it are lanes of one warp, side by side. Otherwise through memory of the group, and then
// all threads of the group have to come: every hardware loop around has as many iterations as its slot has threads, and every condition and
// every bound around is the same for all threads, told by what it mentions.
#include "codegen/device/collectives.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "codegen/device/device.hpp"
#include "ir/analysis/launch.hpp"
#include "ir/traverse.hpp"

namespace assay::codegen {
namespace {

constexpr std::int64_t warp_lanes = 32;

std::optional<std::int64_t> constant_trips(const StmtNode& loop) {
  const Index span = loop.hi - loop.lo;
  if (!span.is_constant()) return std::nullopt;
  return span.constant() <= 0 ? 0 : (span.constant() - 1) / loop.step + 1;
}

class Ways {
 public:
  Ways(const Program& launch, Dialect dialect) : launch_(launch), dialect_(dialect), slots_(hardware_slots(launch)) {
    for (const auto& [loop, slot] : slots_) {
      if (slot_kind(loop->axis) != Axis::grid) of_slot_[slot].push_back(loop);
    }
  }

  std::map<const StmtNode*, std::optional<Collective>> all() {
    block(launch_.body, true);
    return std::move(found_);
  }
  const StmtNode* uneven_barrier() {
    block(launch_.body, true);
    return uneven_barrier_;
  }

 private:
  void block(const Block& b, bool all_come) {
    for (const Stmt& s : b) {
      if (s->kind == StmtKind::branch) {
        const bool same = all_come && is_same(s->value);
        block(s->body, same);
        block(s->other, same);
      } else if (s->kind == StmtKind::loop) {
        loop(s, all_come);
      } else if (s->kind == StmtKind::barrier && uneven_loops_ > 0 && uneven_barrier_ == nullptr) {
        uneven_barrier_ = &*s;
      }
    }
  }

  void loop(const Stmt& s, bool all_come) {
    const auto slot = slots_.find(&*s);
    if (s->axis == Axis::reduce) {
      if (slot != slots_.end() && is_collective(launch_, s)) found_[&*s] = way(slot->second, all_come);
      return;
    }
    const bool of_threads = slot != slots_.end() && slot_kind(s->axis) != Axis::grid;
    if (of_threads || !is_same(s->lo) || !is_same(s->hi)) differing_.insert(s->name);
    if (of_threads) {
      all_come = all_come && fills_slot(*s, slot->second);
    } else if (slot == slots_.end()) {  // a loop of groups keeps out whole groups
      all_come = all_come && is_same(s->lo) && is_same(s->hi);
    }
    const bool uneven = slot == slots_.end() && !is_same(s->hi - s->lo);
    uneven_loops_ += uneven ? 1 : 0;
    // All threads of the group wait behind a tile product of theirs.
    if (of_threads && s->axis == Axis::tile && uneven_loops_ > 0 && uneven_barrier_ == nullptr) uneven_barrier_ = &*s;
    block(s->body, all_come);
    uneven_loops_ -= uneven ? 1 : 0;
  }

  std::optional<Collective> way(int slot, bool all_come) const {
    const std::optional<std::int64_t> threads = constant_extent(slot);
    const bool lanes = threads && *threads <= warp_lanes && (*threads & (*threads - 1)) == 0;
    if (lanes && (is_cuda(dialect_) || *threads == 1))
      return Collective{Collective::Way::warp, static_cast<int>(*threads)};
    if (all_come) return Collective{Collective::Way::group};
    if (is_cuda(dialect_) && group_is_a_warp()) return Collective{Collective::Way::warp, static_cast<int>(*threads)};
    return std::nullopt;
  }

  bool group_is_a_warp() const {
    std::int64_t threads = 1;
    return std::all_of(of_slot_.begin(), of_slot_.end(), [&](const auto& slot) {
      const auto extent = constant_extent(slot.first);
      return extent && !__builtin_mul_overflow(threads, *extent, &threads) && threads <= warp_lanes;
    });
  }

  std::optional<std::int64_t> constant_extent(int slot) const {
    std::int64_t greatest = 1;
    for (const StmtNode* loop : of_slot_.at(slot)) {
      const auto trips = constant_trips(*loop);
      if (!trips) return std::nullopt;
      greatest = std::max(greatest, *trips);
    }
    return greatest;
  }

  /// Whether a loop has an iteration for each thread of its slot, or for none.
  bool fills_slot(const StmtNode& loop, int slot) const {
    if (const auto extent = constant_extent(slot)) return constant_trips(loop) == extent;
    const Index span = loop.hi - loop.lo;
    std::set<Symbol> symbols;
    span.collect_symbols(symbols);
    const std::vector<const StmtNode*>& loops = of_slot_.at(slot);
    return std::all_of(symbols.begin(), symbols.end(),
                       [&](const Symbol& s) { return launch_.find_parameter(s) != nullptr; }) &&
           std::all_of(loops.begin(), loops.end(), [&](const StmtNode* other) {
             return other->hi - other->lo == span && other->step == loop.step;
           });
  }

  /// Whether the value is the same in all threads of a group: no symbol of threads, no variable, no cell that a thread may write.
  bool is_same(const Index& e) const {
    return std::none_of(differing_.begin(), differing_.end(), [&](const Symbol& s) { return e.mentions(s); });
  }
  bool is_same(const Expr& e) const {
    bool same = true;
    Visitor v;
    v.enter_expr = [&](const Expr& x) {
      if (x->op == Op::variable || x->op == Op::scope) same = false;
      if (x->op == Op::index) same = same && is_same(x->index);
      if (x->op == Op::load) {
        const Buffer* b = launch_.find_buffer(x->name);
        same = same && b != nullptr && (b->kind == BufferKind::input || b->kind == BufferKind::constant);
      }
      return same;
    };
    visit(e, v);
    return same;
  }

  const Program& launch_;
  Dialect dialect_;
  std::map<const StmtNode*, int> slots_;
  std::map<int, std::vector<const StmtNode*>> of_slot_{};  // the loops of threads by slot
  std::set<Symbol> differing_{};
  std::map<const StmtNode*, std::optional<Collective>> found_{};
  int uneven_loops_ = 0;
  const StmtNode* uneven_barrier_ = nullptr;
};

}  // namespace

std::map<const StmtNode*, std::optional<Collective>> collectives_of(const Program& launch, Dialect dialect) {
  return Ways(launch, dialect).all();
}

const StmtNode* barrier_in_uneven_loop(const Program& launch) { return Ways(launch, Dialect::opencl).uneven_barrier(); }

}  // namespace assay::codegen
