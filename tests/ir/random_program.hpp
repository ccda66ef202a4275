// Random well-formed programs that use the whole language. They are meant for texts and trees, not for running: subscripts
// may be out of bounds and cells undefined.
#pragma once

#include <cstdint>

#include "ir/program.hpp"

namespace assay::test {

/// A function of its arguments alone. `size` bounds the number of statements and, roughly, of operations.
Program random_program(std::uint64_t seed, int size);
/// A random index value over the given symbols.
Index random_index(std::uint64_t seed, const std::vector<Symbol>& symbols, int depth);

}  // namespace assay::test
