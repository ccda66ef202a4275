// Depth first over states. A state goes on by itself while there is a thread that meets no other; where there is none, each of
// the smallest set of threads that meet only one another goes first once.
#include "fuzz/judges/interleavings.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_set>

#include "fuzz/judges/footprints.hpp"
#include "fuzz/judges/thread_run.hpp"

namespace assay::fuzz {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15U;
  return h ^ (h >> 29);
}

struct State {
  std::size_t launch = 0;
  std::vector<MemoryCell> memory{};
  std::vector<ThreadRun> threads{};
  std::vector<Footprints::Progress> progress{};
  std::vector<std::uint64_t> history{};  // of each thread: what it has loaded; the rest of it follows from that
  std::map<std::vector<std::int64_t>, std::vector<std::pair<std::size_t, std::vector<Contribution>>>> deposits{};
  std::shared_ptr<const Footprints> footprints{};
};

class Explorer {
 public:
  Explorer(const ThreadedProgram& program, const TensorMap& inputs, const InterleavingLimits& limits)
      : program_(program), limits_(limits) {
    for (const auto& l : program.launches) {
      std::int64_t groups = 1, threads = 1;
      for (const std::int64_t e : l.grid) groups = std::min<std::int64_t>(groups * e, 1'000'000);
      for (const std::int64_t e : l.group) threads = std::min<std::int64_t>(threads * e, 1'000'000);
      most_groups_ = std::max(most_groups_, groups);
      too_large_ = too_large_ || groups * threads > limits.threads;
    }
    too_large_ = too_large_ || program.device_cells + most_groups_ * program.shared_cells > 1'000'000;
    if (too_large_) return;
    State first;
    first.memory.resize(static_cast<std::size_t>(program.device_cells + most_groups_ * program.shared_cells));
    for (const auto& [name, s] : program.storages) {
      const auto at = inputs.find(name);
      for (std::int64_t k = 0; k < s.size; ++k) {
        MemoryCell& cell = first.memory[static_cast<std::size_t>(s.first + k)];
        if (at != inputs.end()) {
          cell = {at->second.get(k), true};
        } else if (s.buffer->kind == BufferKind::constant) {
          cell = {s.buffer->data[static_cast<std::size_t>(k)], true};
        }
      }
    }
    begin_launch(first);
    open_.push_back(std::move(first));
  }
  bool too_large() const { return too_large_; }

  Interleavings run() {
    while (!open_.empty()) {
      State s = std::move(open_.back());
      open_.pop_back();
      follow(std::move(s));
      if (out_.endings.size() > 1) return std::move(out_);
      if (out_.states > limits_.states || out_.steps > limits_.steps) return std::move(out_);
    }
    out_.complete = true;
    return std::move(out_);
  }

 private:
  void begin_launch(State& s) {
    for (std::size_t k = static_cast<std::size_t>(program_.device_cells); k < s.memory.size(); ++k) s.memory[k] = {};
    s.threads.clear();
    s.deposits.clear();
    const auto& launch = program_.launches[s.launch];
    std::int64_t number = 0;
    each_place(launch.grid, [&](const std::vector<std::int64_t>& grid) {
      each_place(launch.group, [&](const std::vector<std::int64_t>& group) {
        s.threads.emplace_back(program_, launch, grid, group, number, limits_.tile_lane);
      });
      ++number;
    });
    s.progress.assign(s.threads.size(), {});
    s.history.assign(s.threads.size(), 0);
    for (ThreadRun& t : s.threads) t.proceed(s.memory);
    s.footprints = std::make_shared<const Footprints>(program_, s.threads, s.memory);
    last_ = 0;
    for (std::size_t i = 0; i < s.threads.size(); ++i) meet(s, i);
    settle(s);
  }

  template <typename F>
  static void each_place(const std::vector<std::int64_t>& extents, F f) {
    std::vector<std::int64_t> at(extents.size(), 0);
    while (true) {
      f(at);
      std::size_t k = 0;
      for (; k < at.size() && ++at[k] == extents[k]; ++k) at[k] = 0;
      if (k == at.size()) return;
    }
  }

  // Does what thread `i` does next.
  void go_on(State& s, std::size_t i) {
    ++out_.steps;
    ThreadRun& t = s.threads[i];
    if (t.next() == ThreadRun::Next::load) {
      const MemoryCell& cell = s.memory[static_cast<std::size_t>(t.cell())];
      s.history[i] = mix(mix(mix(s.history[i], cell.value.bits), cell.value.high), cell.defined ? 1 : 2);
      t.load(cell);
      ++s.progress[i].accesses;
    } else if (t.next() == ThreadRun::Next::store) {
      s.memory[static_cast<std::size_t>(t.cell())] = {t.stored(), true};
      s.history[i] = mix(s.history[i], 3);
      t.release();
      ++s.progress[i].accesses;
    } else {  // all of its team have contributed
      s.history[i] = mix(s.history[i], 4);
      auto& terms = s.deposits.at(t.instance());
      std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      std::vector<Contribution> all;
      for (auto& [thread, list] : terms) {
        for (const Contribution& c : list) {
          for (const Scalar& v : c.operands) s.history[i] = mix(mix(s.history[i], v.bits), v.high);
          all.push_back(c);
        }
      }
      t.gather(std::move(all));
    }
    t.proceed(s.memory);
    meet(s, i);
  }

  // What needs no turn: contributions, and leaving a barrier at which all are.
  void meet(State& s, std::size_t i) {
    while (s.threads[i].next() == ThreadRun::Next::deposit) {
      ThreadRun& t = s.threads[i];
      s.deposits[t.instance()].emplace_back(i, t.deposited());
      t.release();
      if (t.next() != ThreadRun::Next::gather) t.proceed(s.memory);
    }
    s.progress[i].done = s.threads[i].next() == ThreadRun::Next::done;
    if (s.threads[i].next() != ThreadRun::Next::barrier) return;
    const std::int64_t group = s.threads[i].group_number();
    for (const ThreadRun& t : s.threads) {
      if (t.group_number() != group) continue;
      if (t.next() != ThreadRun::Next::barrier || t.instance() != s.threads[i].instance()) return;
    }
    std::vector<std::size_t> released;
    for (std::size_t j = 0; j < s.threads.size(); ++j) {
      if (s.threads[j].group_number() != group) continue;
      s.threads[j].release();
      ++s.progress[j].interval;
      released.push_back(j);
    }
    for (const std::size_t j : released) s.threads[j].proceed(s.memory);
    for (const std::size_t j : released) meet_later_.push_back(j);
  }

  void settle(State& s) {
    while (!meet_later_.empty()) {
      const std::size_t j = meet_later_.back();
      meet_later_.pop_back();
      meet(s, j);
    }
  }

  bool enabled(const State& s, std::size_t i) const {
    const ThreadRun& t = s.threads[i];
    if (t.next() == ThreadRun::Next::load || t.next() == ThreadRun::Next::store) return true;
    if (t.next() != ThreadRun::Next::gather) return false;
    const auto at = s.deposits.find(t.instance());
    return at != s.deposits.end() && static_cast<std::int64_t>(at->second.size()) == t.team();
  }

  std::vector<std::size_t> rivals(const State& s, std::size_t i) const {
    const ThreadRun& t = s.threads[i];
    if (t.next() == ThreadRun::Next::gather) return {};
    return s.footprints->rivals(i, t.cell(), t.next() == ThreadRun::Next::store, s.progress);
  }

  // Threads one of which has to go first, whatever the others do before.
  std::vector<std::size_t> choices(const State& s) {
    std::vector<std::size_t> able;
    for (std::size_t k = 0; k < s.threads.size(); ++k) {
      const std::size_t i = (last_ + k) % s.threads.size();
      if (!enabled(s, i)) continue;
      able.push_back(i);
      if (rivals(s, i).empty()) return {last_ = i};
    }
    std::vector<std::size_t> best = able;
    for (const std::size_t i : able) {
      std::vector<std::size_t> set{i};
      std::size_t k = 0;
      bool whole = true;  // whoever can touch these cells before is among them
      for (; k < set.size() && whole && set.size() < best.size(); ++k) {
        if (!enabled(s, set[k])) continue;
        for (const std::size_t j : rivals(s, set[k])) {
          // At a barrier it waits for the thread whose cell it could touch, if that is of its group.
          const bool waits = s.threads[j].next() == ThreadRun::Next::barrier &&
                             s.threads[j].group_number() == s.threads[set[k]].group_number();
          whole = whole && (enabled(s, j) || waits);
          if (!waits && std::find(set.begin(), set.end(), j) == set.end()) set.push_back(j);
        }
      }
      if (whole && k == set.size() && set.size() < best.size()) best = set;
    }
    return best;
  }

  void follow(State s) {
    while (true) {
      if (out_.steps > limits_.steps) return;
      const auto fails = [](const ThreadRun& t) { return t.next() == ThreadRun::Next::fault; };
      const auto faulty = std::find_if(s.threads.begin(), s.threads.end(), fails);
      if (faulty != s.threads.end()) return end({faulty->fault(), {}});
      const std::vector<std::size_t> next = choices(s);
      if (next.empty()) {
        const bool all = std::all_of(s.threads.begin(), s.threads.end(),
                                     [](const ThreadRun& t) { return t.next() == ThreadRun::Next::done; });
        if (!all) return end({"RUN-8", {}});
        if (++s.launch == program_.launches.size()) return end(outputs(s));
        begin_launch(s);
        continue;
      }
      if (next.size() == 1) {
        go_on(s, next[0]);
        settle(s);
        continue;
      }
      if (!seen_.insert(digest(s)).second) return;
      if (++out_.states > limits_.states) return;
      const auto open = [&](State branch, auto with) {
        go_on(branch, with);
        settle(branch);
        open_.push_back(std::move(branch));
      };
      for (std::size_t k = next.size() - 1; k > 0; --k) open(s, next[k]);
      open(std::move(s), next[0]);
      return;
    }
  }

  static std::uint64_t digest(const State& s) {
    std::uint64_t h = s.launch;
    for (const MemoryCell& c : s.memory) h = mix(mix(mix(h, c.value.bits), c.value.high), c.defined ? 1 : 0);
    for (std::size_t i = 0; i < s.threads.size(); ++i)
      h = mix(mix(mix(h, s.history[i]), s.progress[i].accesses), s.progress[i].interval);
    return h;
  }

  Ending outputs(const State& s) const {
    Ending e;
    for (const Buffer& b : program_.program.buffers) {
      if (!is_observed(b.kind)) continue;
      const auto& storage = program_.storages.at(b.name);
      Tensor t(b.type, storage.dims);
      for (std::int64_t k = 0; k < storage.size; ++k) {
        const MemoryCell& c = s.memory[static_cast<std::size_t>(storage.first + k)];
        if (!c.defined) return {"RUN-6", {}};
        t.set(k, c.value);
      }
      e.outputs.emplace(b.name, std::move(t));
    }
    return e;
  }

  void end(Ending e) {
    if (std::find(out_.endings.begin(), out_.endings.end(), e) == out_.endings.end())
      out_.endings.push_back(std::move(e));
  }

  const ThreadedProgram& program_;
  const InterleavingLimits& limits_;
  std::int64_t most_groups_ = 1;
  bool too_large_ = false;
  std::size_t last_ = 0;
  std::vector<std::size_t> meet_later_;
  std::vector<State> open_;
  std::unordered_set<std::uint64_t> seen_;
  Interleavings out_;
};

}  // namespace

std::optional<Interleavings> explore_interleavings(const Program& p, const ParameterMap& parameters,
                                                   const TensorMap& inputs, const InterleavingLimits& limits) {
  const ThreadedProgram program(p, parameters);
  if (!program.covered) return std::nullopt;
  Explorer explorer(program, inputs, limits);
  if (explorer.too_large()) return std::nullopt;
  return explorer.run();
}

}  // namespace assay::fuzz
