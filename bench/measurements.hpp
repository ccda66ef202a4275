// Measurements that are registered at run time, one for each file found.
#pragma once

namespace assay::bench {

/// `check/NAME` for every folder of examples/.
void register_checks();

/// `pipeline/NAME` for every folder of examples/.
void register_pipelines();

/// `threads/…`: proofs and runs of programs with threads, and the race detector.
void register_threads();

/// `interpreter/…`: the compiled interpreter by type and feature, the tree walk, tracking of marks; `enclosure`.
void register_interpreters();

}  // namespace assay::bench
