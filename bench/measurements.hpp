// Measurements that are registered at run time, one for each file found.
#pragma once

namespace assay::bench {

/// `check/NAME` for every folder of examples/.
void register_checks();

}  // namespace assay::bench
