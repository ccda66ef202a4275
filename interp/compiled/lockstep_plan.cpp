// Which launches can run with their threads in lockstep: statement by statement, each for all threads of a group at once.
//
// Threads run one after the other from barrier to barrier (EXEC-17). Lockstep gives the same where no two threads touch one
// cell in one interval between barriers, one of them storing. Accesses are collected with their intervals; two that may
// meet become a question about the launch's extents, which is answered when they are known (lockstep.cpp). An index that is not
// understood, or a statement that couples threads in another way, leaves the launch to run thread by thread. Several groups run
// together where no two of them touch one cell, one of them storing, in the whole launch.
#include <algorithm>
#include <map>
#include <numeric>

#include "interp/compiled/compiler.hpp"

namespace assay::interp::compiled {
namespace {

constexpr std::size_t most_accesses = 256;  // pairs are looked at one by one

// An index as Σ coefficient·thread coordinate + what is the same in all threads + something in [lo, hi].
struct IndexForm {
  bool known = true;
  std::vector<std::int64_t> threads{};    // by slot
  std::map<int, std::int64_t> uniform{};  // by parameter, or −1 − slot of the grid
  std::int64_t lo = 0, hi = 0;
};
struct ThreadAccess {
  int buffer = 0;
  bool store = false;
  int interval = 0;
  std::vector<IndexForm> dims{};
};

// What is known of a loop symbol.
struct SymbolKind {
  enum { unknown, thread, grid, bounded } kind = unknown;
  int slot = 0;
  std::int64_t lo = 0, step = 1, last = 0;
};

class LockstepPlanner {
 public:
  LockstepPlanner(const BoundProgram& program, const BoundLaunch& launch) : program_(program), launch_(launch) {}

  std::unique_ptr<LockstepPlan> run() {
    if (launch_.group_slots == 0) return nullptr;
    intervals_.push_back(0);
    if (!block(launch_.body)) return nullptr;
    auto plan = std::make_unique<LockstepPlan>();
    for (std::size_t i = 0; i < accesses_.size(); ++i) {
      for (std::size_t j = i; j < accesses_.size(); ++j) {
        const ThreadAccess &a = accesses_[i], &b = accesses_[j];
        if (a.buffer != b.buffer || !(a.store || b.store)) continue;
        LockstepMeeting m = meeting(a, b);
        if (!is_shared(a.buffer)) plan->across.push_back(m);
        if (find(a.interval) != find(b.interval)) continue;
        if (m.dims.empty()) return nullptr;
        plan->meetings.push_back(std::move(m));
      }
    }
    plan->batches = launch_.grid_slots > 0;
    return plan;
  }

 private:
  bool block(const BoundBlock& b) {
    return std::all_of(b.begin(), b.end(), [&](const auto& s) { return statement(*s); });
  }

  bool is_shared(int buffer) const {
    return program_.source->buffers[static_cast<std::size_t>(buffer)].kind == BufferKind::shared;
  }

  bool statement(const BoundStmt& s) {
    for (const auto* list : {&s.indices, &s.value}) {
      for (const BoundExpr& e : *list) {
        if (writes_outside(e) || !expression(e)) return false;
      }
    }
    switch (s.kind) {
      case StmtKind::zero: return false;
      case StmtKind::barrier: interval_ = new_interval(); return true;
      case StmtKind::store: return access(s.reference, true, s.indices);
      case StmtKind::branch: {
        const int before = interval_;
        if (!block(s.body)) return false;
        const int after = interval_;
        interval_ = before;
        if (!block(s.other)) return false;
        join(after, interval_);
        return true;
      }
      case StmtKind::loop: {
        if (s.axis == Axis::reduce || s.axis == Axis::tile) return false;
        symbols_[{s.slot.level, s.slot.index}] = kind_of(s);
        // What is behind the last barrier of an iteration is in one interval with what is before the first of the next.
        const int before = interval_;
        if (!block(s.body)) return false;
        join(before, interval_);
        return true;
      }
      default: return true;
    }
  }

  bool expression(const BoundExpr& e) {
    for (const BoundExpr& a : e.args) {
      if (!expression(a)) return false;
    }
    if (e.form == Form::load) return access(e.reference, false, e.args);
    return block(e.body);
  }

  bool access(int buffer, bool store, const std::vector<BoundExpr>& indices) {
    const BufferKind kind = program_.source->buffers[static_cast<std::size_t>(buffer)].kind;
    if (kind == BufferKind::local || !is_writable(kind)) return true;
    if (accesses_.size() == most_accesses) return false;
    ThreadAccess a{buffer, store, interval_, {}};
    for (const BoundExpr& e : indices) a.dims.push_back(form(e));
    accesses_.push_back(std::move(a));
    return true;
  }

  SymbolKind kind_of(const BoundStmt& loop) const {
    SymbolKind k;
    k.slot = loop.hardware_slot;
    k.lo = loop.lo.constant;
    k.step = loop.step;
    if (!loop.lo.terms.empty() || loop.lo.overflowed) return k;
    if (loop.axis == Axis::grid) {
      k.kind = SymbolKind::grid;
    } else if (loop.axis == Axis::workgroup) {
      k.kind = SymbolKind::thread;
    } else if (loop.hi.terms.empty() && !loop.hi.overflowed && loop.hi.constant > loop.lo.constant) {
      k.kind = SymbolKind::bounded;
      k.last = loop.hi.constant - 1;
    }
    return k;
  }

  IndexForm form(const BoundExpr& e) const {
    IndexForm f;
    f.threads.resize(static_cast<std::size_t>(launch_.group_slots));
    f.known = e.form == interp::Form::index && add_terms(e.index, f);
    return f;
  }
  bool add_terms(const BoundIndex& e, IndexForm& f) const {
    if (e.overflowed) return false;
    f.lo = f.hi = e.constant;
    for (const BoundIndexTerm& t : e.terms) {
      if (t.kind != IndexAtom::Kind::symbol) return false;
      if (t.slot.level == 0 && static_cast<std::size_t>(t.slot.index) < program_.source->parameters.size()) {
        if (!add_product(f.uniform[t.slot.index], t.coefficient, 1)) return false;
        continue;
      }
      const auto it = symbols_.find({t.slot.level, t.slot.index});
      if (it == symbols_.end()) return false;
      const SymbolKind& k = it->second;
      const bool rises = t.coefficient > 0;
      switch (k.kind) {
        case SymbolKind::thread:
        case SymbolKind::grid: {
          std::int64_t& c =
              k.kind == SymbolKind::thread ? f.threads[static_cast<std::size_t>(k.slot)] : f.uniform[-1 - k.slot];
          if (!add_product(c, t.coefficient, k.step)) return false;
          if (!add_product(f.lo, t.coefficient, k.lo) || !add_product(f.hi, t.coefficient, k.lo)) return false;
          break;
        }
        case SymbolKind::bounded:
          if (!add_product(f.lo, t.coefficient, rises ? k.lo : k.last)) return false;
          if (!add_product(f.hi, t.coefficient, rises ? k.last : k.lo)) return false;
          break;
        default: return false;
      }
    }
    return true;
  }

  // The dimensions whose difference between two threads is a sum over their coordinates and a small rest.
  LockstepMeeting meeting(const ThreadAccess& a, const ThreadAccess& b) const {
    LockstepMeeting m;
    for (std::size_t d = 0; d < a.dims.size(); ++d) {
      const IndexForm &x = a.dims[d], &y = b.dims[d];
      if (!x.known || !y.known || x.threads != y.threads || x.uniform != y.uniform) continue;
      std::int64_t up = 0, down = 0;
      if (__builtin_sub_overflow(x.hi, y.lo, &up) || __builtin_sub_overflow(y.hi, x.lo, &down)) continue;
      m.dims.push_back({x.threads, std::max(up, down)});
      for (int g = 0; g < launch_.grid_slots; ++g) {
        const auto c = x.uniform.find(-1 - g);
        m.dims.back().coefficients.push_back(c == x.uniform.end() ? 0 : c->second);
      }
    }
    return m;
  }

  int new_interval() {
    intervals_.push_back(static_cast<int>(intervals_.size()));
    return intervals_.back();
  }
  int find(int i) const {
    while (intervals_[static_cast<std::size_t>(i)] != i) i = intervals_[static_cast<std::size_t>(i)];
    return i;
  }
  void join(int a, int b) { intervals_[static_cast<std::size_t>(find(a))] = find(b); }

  const BoundProgram& program_;
  const BoundLaunch& launch_;
  std::vector<ThreadAccess> accesses_{};
  std::map<std::pair<int, int>, SymbolKind> symbols_{};
  std::vector<int> intervals_{};  // by interval: another one that it is joined with
  int interval_ = 0;
};

}  // namespace

std::unique_ptr<LockstepPlan> plan_lockstep(const BoundProgram& program, const BoundLaunch& launch) {
  return LockstepPlanner(program, launch).run();
}

}  // namespace assay::interp::compiled
