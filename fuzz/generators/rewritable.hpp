// Random programs in which there is something to rewrite: larger sides of laws, repeated expressions, scratch buffers.
#pragma once

#include "interp/random.hpp"
#include "ir/program.hpp"
#include "ir/text/source.hpp"

namespace assay::fuzz {

/// `p` with expressions written in longer forms of the same value (laws of the table, read backwards), with expressions that
/// several statements share, or with a value that takes its way through a `temp` buffer, sometimes computed too early.
Program rewritable(interp::Random& random, const Program& p);

/// A line of a rewriting operation that may fit.
ScheduleLine random_rewrite_line(interp::Random& random, const Program& p, std::string_view operation);

}  // namespace assay::fuzz
