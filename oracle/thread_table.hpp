// The table of two threads: one column for each, one line for each hardware index, serial loop and access (RPL-5).
#pragma once

#include "interp/interpreter.hpp"
#include "oracle/report.hpp"

namespace assay::oracle {

/// A statement by its preorder number; null where there is none.
Stmt find_statement(const Program& p, int number);
/// The two threads of a focus in program `p`. What each does, and the interval that it does it in, are the caller's to add.
ThreadPair thread_pair(const Program& p, const interp::Focus& focus);
/// A line for each statement of the two, in the order of the text, with what the threads do there.
void add_statement_rows(ThreadPair& pair, const Program& p);
/// A line that says between which barrier instances both accesses are.
void add_interval_row(ThreadPair& pair, const interp::Seen& seen, bool same_group);
/// "the barrier of line 9 (k=1)".
std::string text(const interp::BarrierPass& barrier);
/// The same of two threads that ran alone, whose barriers have no numbers.
void add_interval_row_of_part(ThreadPair& pair, const interp::Seen& seen, bool same_group);
/// The lines as text, their columns aligned.
std::vector<std::string> table_lines(const ThreadPair& pair);

}  // namespace assay::oracle
