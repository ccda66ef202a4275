// Running what a message about two threads says: both accesses in one run, and both orders (RPL-2 to RPL-4, RPL-11).
#pragma once

#include "oracle/compare.hpp"
#include "oracle/report.hpp"

namespace assay::oracle {

/// Two threads of a program, and the case on which to look at them.
struct ThreadQuestion {
  interp::Focus focus{};
  ParameterMap parameters{};
  InputChoice inputs{};
  bool exact = true;  // a violated obligation says so: what a whole run does not show contradicts it
  bool of_new_program = false;
};

struct ThreadReplay {
  enum class Result : std::uint8_t { confirmed, contradicted, open } result = Result::open;
  std::string why{};                    // contradicted, open: as a sentence
  std::optional<ThreadPair> threads{};  // confirmed
  std::vector<std::string> remarks{};   // confirmed: how many cells, what the two orders leave
  std::optional<interp::Race> race{};   // that the detector saw
  std::optional<interp::Fault> fault{};
  bool alone = false;  // the program is too large to be run: the two threads ran by themselves (RPL-11)
};

/// The question that the witness of an obligation about threads asks; nothing where it names no two threads.
std::optional<ThreadQuestion> question_of(const Program& p, const Witness& w);
/// The one that an observed race asks.
ThreadQuestion question_of(const Observation& seen);

/// Two accesses that race.
ThreadReplay replay_race(const Program& p, const ThreadQuestion& question, Purse& purse);
/// Two threads of which one waits at a barrier instance that the other does not reach.
ThreadReplay replay_divergence(const Program& p, const ThreadQuestion& question, Purse& purse);

}  // namespace assay::oracle
