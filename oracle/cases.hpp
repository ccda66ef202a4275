// Cases: parameter values and inputs on which programs are run, what a case costs, and which inputs there are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/program.hpp"
#include "ir/tensor.hpp"
#include "oracle/report.hpp"

namespace assay::oracle {

/// Tensors for every input and inout buffer. The shapes must exist (footprint has a value).
TensorMap make_inputs(const Program& p, const ParameterMap& parameters, const InputChoice& choice);

/// Inputs in waves: every size sees the first wave before any size sees the second.
using Waves = std::vector<std::vector<InputChoice>>;
/// All zero and one seed of every generator, then further seeds, one more in each wave; `special` fills whole buffers with
/// one value per seed, so it gets twice as many.
Waves standard_waves(int seeds);

/// How many different inputs there are, when at most `most`; inputs of kind `enumerated` are then numbered below it.
std::optional<std::uint64_t> count_inputs(const Program& p, const ParameterMap& parameters, std::uint64_t most);

/// Bytes of all buffers together; nothing when a shape is negative or the sum leaves int64.
std::optional<std::int64_t> footprint(const Program& p, const ParameterMap& parameters);
/// No case uses more memory than this for the buffers of one program.
inline constexpr std::int64_t largest_footprint = std::int64_t{256} << 20;
/// Making a case's buffers and inputs counts as one operation for this many bytes (CHK-2).
inline constexpr std::uint64_t bytes_per_operation = 16;

/// About how many operations an interpretation takes: exact for rectangular nests, the midpoint's count for others; both
/// arms of a branch are counted as the costlier one. Grows without overflow.
double estimated_work(const Program& p, const ParameterMap& parameters);

/// Whether there are hardware loops, so that a run has to be watched for races (EXEC-28, PLL-11).
bool can_race(const Program& p);

/// Admissible parameter values of the witnesses of obligations that are not proved (for undecided ones these are candidates),
/// cheapest first, each once.
std::vector<ParameterMap> witness_sizes(const Program& p, const std::vector<ObligationReport>& list);

}  // namespace assay::oracle
