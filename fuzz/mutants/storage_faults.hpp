// Planted faults of operations on whole buffers and on barriers: alias, sink_zero, zero_margins, elide_barriers.
#pragma once

#include <vector>

#include "fuzz/mutants/step_faults.hpp"

namespace assay::fuzz {

/// `p` with loads of `buffer`, stores to it, or both in `storage`, `shift` cells further in the first dimension. Where both go and
/// nothing is shifted, `buffer` is no longer declared.
Program with_storage(const Program& p, const Symbol& buffer, const Symbol& storage, bool loads, bool stores, int shift);

/// What may be wrong with a top-level `zero`: changes the statements around it, or returns false.
struct ZeroFault {
  const char* name;
  bool (*plant)(Block& body, std::size_t zero);
};
const std::vector<ZeroFault>& zero_faults();

const std::vector<StepFault>& storage_faults();

}  // namespace assay::fuzz
