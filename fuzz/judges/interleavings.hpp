// A judge of threads by running them in every order: from each state on, every thread may be the next to load or store one
// cell of memory.
//
// What a program may end in is looked for, not races: no notion of order, of key or of happens-before, no access extraction, no
// proofs. Threads of all groups run side by side; barriers and what @reduce loops gather are the only meetings. States that were
// seen are not gone through again, and where some threads' next accesses touch no cell that any other thread can still touch
// before the next barrier, only they go on. Lanes (`@vectorized`) of a thread are one actor: all load,
// one after the other, then all store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/program.hpp"
#include "ir/tensor.hpp"

namespace assay::fuzz {

/// How a run ends: in a fault (RUN-1 to RUN-8), or with the contents of the observed buffers.
struct Ending {
  std::string fault{};
  TensorMap outputs{};
  bool operator==(const Ending&) const = default;
};

struct Interleavings {
  bool complete = false;  // every order was looked at; otherwise the limit was reached, or two endings were found
  std::vector<Ending> endings{};  // different ones, at most two
  std::size_t states = 0;         // at which several orders were tried
  std::size_t steps = 0;
  /// Whether different orders end differently, or in a fault.
  bool differs() const { return endings.size() > 1 || (endings.size() == 1 && !endings[0].fault.empty()); }
};

struct InterleavingLimits {
  std::size_t states = 2000, steps = 200'000;
  std::int64_t threads = 512;
  std::int64_t tile_lane = 0;  // the lane of a team that computes a tile product
};

/// Nothing where something is not covered.
std::optional<Interleavings> explore_interleavings(const Program& p, const ParameterMap& parameters,
                                                   const TensorMap& inputs, const InterleavingLimits& limits = {});

}  // namespace assay::fuzz
