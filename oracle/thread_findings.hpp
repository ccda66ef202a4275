// Messages about two threads, each with its table and its replay (RPL-1 to RPL-8).
#pragma once

#include "oracle/findings.hpp"
#include "oracle/thread_replay.hpp"

namespace assay::oracle {

/// What the replays of one violated obligation about threads came to.
struct ObligationReplay {
  ThreadReplay::Result result = ThreadReplay::Result::open;
  std::string why{};                         // contradicted: as a sentence
  std::vector<Finding> findings{};           // one for each pair of statements that was seen to race
  std::optional<Observation> observation{};  // of the first
  bool alone = false;                        // which was seen of its two threads alone (RPL-11)
};
/// Whether an obligation is about threads: its witness names two.
bool is_about_threads(const ObligationReport& o);
/// Replays a violated one in the program that it is about: of a step the one after it (`of_new_program`).
ObligationReplay replay_obligation(const Program& p, const ObligationReport& o, bool of_new_program,
                                   const Places& places, Purse& purse);
/// "two threads of a group use S[255] without a barrier between them", of what the table shows.
std::string thread_headline(const ThreadQuestion& q);
/// Adds the table and the replay to a message about a race that a run of `p` showed.
void add_threads(Finding& f, const Program& p, const Observation& seen, bool of_new_program, Purse& purse);

}  // namespace assay::oracle
