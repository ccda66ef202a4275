// Single runs of a program with an eye on two of its threads, for their replays.
#pragma once

#include "oracle/thread_replay.hpp"

namespace assay::oracle {

inline constexpr const char* thread_letters[] = {"A", "B"};

/// Coordinates by slot; missing ones are 0.
bool same_coordinates(std::vector<std::int64_t> a, std::vector<std::int64_t> b);
/// One run of a replay; nothing when it does not fit.
std::optional<interp::Outcome> run_focused(const Program& p, const ThreadQuestion& q, const interp::Focus& focus,
                                           const TensorMap& inputs, Purse& purse);
/// The inputs of a case; nothing where its buffers do not fit.
std::optional<TensorMap> inputs_of(const Program& p, const ThreadQuestion& q, const InputChoice& choice, Purse& purse);
/// The run went through to its end: an output that is left undefined does not matter here.
bool ended(const interp::Outcome& o);
std::string case_text(const ThreadQuestion& q, const InputChoice& inputs);
/// "writes S[255]", of one of the two.
std::string access_text(const interp::Focus& focus, std::size_t k);

/// The sentence for an access that a thread does not make.
std::string is_not_done(const Program& p, const ThreadQuestion& q, std::size_t k, const std::string& at);

/// The two threads with what each does: two accesses, or a barrier that one reaches.
ThreadPair table_of(const Program& p, const ThreadQuestion& q);
ThreadPair divergence_table(const Program& p, const ThreadQuestion& q);

ThreadReplay contradicted(std::string why);
ThreadReplay open(std::string why);
/// What a run does not show contradicts the question, where it says for certain what happens.
ThreadReplay not_shown(bool certain, std::string why);

}  // namespace assay::oracle
