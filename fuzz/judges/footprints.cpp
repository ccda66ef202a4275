// Cells of `shared` copies are told apart by their numbers.
#include "fuzz/judges/footprints.hpp"

namespace assay::fuzz {

Footprints::Footprints(const ThreadedProgram& program, const std::vector<ThreadRun>& threads,
                       const std::vector<MemoryCell>& memory)
    : touches_(memory.size()),
      unknown_(threads.size(), false),
      device_cells_(program.device_cells),
      shared_cells_(program.shared_cells) {
  for (std::size_t i = 0; i < threads.size(); ++i) {
    group_.push_back(threads[i].group_number());
    unknown_[i] = !follow(threads[i], i, memory);
  }
}

bool Footprints::follow(ThreadRun run, std::size_t thread, const std::vector<MemoryCell>& memory) {
  constexpr std::size_t longest = 100'000;
  run.assume_loads();
  std::size_t interval = 0;
  for (std::size_t access = 0; access < longest; run.proceed(memory)) {
    if (run.data_dependent()) return false;
    switch (run.next()) {
      case ThreadRun::Next::load:
      case ThreadRun::Next::store: {
        const bool writes = run.next() == ThreadRun::Next::store;
        touches_[static_cast<std::size_t>(run.cell())].push_back({thread, access++, interval, writes});
        if (writes) {
          run.release();
        } else {
          run.load({{memory[static_cast<std::size_t>(run.cell())].value}, true});
        }
        break;
      }
      case ThreadRun::Next::barrier:
        ++interval;
        run.release();
        break;
      case ThreadRun::Next::deposit:
      case ThreadRun::Next::gather: return false;  // the cell of a @reduce loop is named by those who contribute
      case ThreadRun::Next::done:
      case ThreadRun::Next::fault: return true;
    }
  }
  return false;
}

std::vector<std::size_t> Footprints::rivals(std::size_t i, std::int64_t cell, bool writes,
                                            const std::vector<Progress>& progress) const {
  std::vector<std::size_t> out;
  for (const Touch& t : touches_[static_cast<std::size_t>(cell)]) {
    if (t.thread == i || unknown_[t.thread] || !(writes || t.writes) || t.access < progress[t.thread].accesses)
      continue;
    if (group_[t.thread] == group_[i] && t.interval != progress[i].interval) continue;
    if (out.empty() || out.back() != t.thread) out.push_back(t.thread);
  }
  const std::int64_t owner = cell < device_cells_ ? -1 : (cell - device_cells_) / shared_cells_;
  for (std::size_t j = 0; j < unknown_.size(); ++j) {
    if (unknown_[j] && j != i && !progress[j].done && (owner < 0 || owner == group_[j])) out.push_back(j);
  }
  return out;
}

}  // namespace assay::fuzz
