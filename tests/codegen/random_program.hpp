// Random program texts: every statement and expression form that generated C covers, mostly without faults.
#pragma once

#include <cstdint>
#include <string>

namespace assay::codegen::test {

/// A well-formed program with parameter `n` (3 <= n < 8), a function of the seed alone.
std::string random_program(std::uint64_t seed);

}  // namespace assay::codegen::test
