// Replays in a program that is too large to be run: its two threads alone (RPL-11).
#pragma once

#include "oracle/thread_replay.hpp"

namespace assay::oracle {

/// Two accesses that race.
ThreadReplay replay_race_alone(const Program& p, const ThreadQuestion& question, Purse& purse);
/// A barrier that one thread reaches and the other does not.
ThreadReplay replay_divergence_alone(const Program& p, const ThreadQuestion& question, Purse& purse);
/// Whether both accesses happen in one barrier interval; nothing where that cannot be seen.
std::optional<bool> meet_alone(const Program& p, const ThreadQuestion& question, Purse& purse);

}  // namespace assay::oracle
