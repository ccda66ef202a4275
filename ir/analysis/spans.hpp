// When a buffer is in use, by position in the program: what decides whether two buffers may share storage
// (spec/analysis.md).
#pragma once

#include <map>

#include "ir/program.hpp"

namespace assay {

/// The positions from the first to the last statement that uses a buffer, both included.
struct Span {
  int first = 0, last = 0;
  bool overlaps(const Span& other) const { return first <= other.last && other.first <= last; }
};
/// A position for each top-level statement; those of a launch with hardware loops share one, because nothing orders what
/// its groups and threads do. A statement that never runs counts, and so does a `zero`.
std::map<Symbol, Span> access_spans(const Program& p);
/// Whether the statement, with all that stands inside it, uses the buffer.
bool uses_buffer(const Stmt& s, const Symbol& buffer);

}  // namespace assay
