// Which cells the threads of a launch touch from some point on, found by letting each run alone on guessed values. Where guesses
// decide what a thread does, all cells of the buffers that the launch writes count.
#pragma once

#include <cstdint>
#include <vector>

#include "fuzz/judges/thread_run.hpp"

namespace assay::fuzz {

class Footprints {
 public:
  /// `threads` stand at the beginning of a launch.
  Footprints(const ThreadedProgram& program, const std::vector<ThreadRun>& threads,
             const std::vector<MemoryCell>& memory);

  /// How far a thread has come: accesses made, and barriers left.
  struct Progress {
    std::size_t accesses = 0, interval = 0;
    bool done = false;
  };
  /// The threads that may still touch the cell, one of the two storing, before thread `i` has to be waited for.
  std::vector<std::size_t> rivals(std::size_t i, std::int64_t cell, bool writes,
                                  const std::vector<Progress>& progress) const;

 private:
  struct Touch {
    std::size_t thread, access, interval;
    bool writes;
  };
  bool follow(ThreadRun run, std::size_t thread, const std::vector<MemoryCell>& memory);

  std::vector<std::vector<Touch>> touches_;  // by cell
  std::vector<std::int64_t> group_;          // of each thread
  std::vector<bool> unknown_;                // threads that may touch any cell
  std::int64_t device_cells_, shared_cells_;
};

}  // namespace assay::fuzz
