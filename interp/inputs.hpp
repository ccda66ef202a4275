// Input generators: exact, adversarial, special (spec/numerics.md). Deterministic functions of (program, parameters,
// seed).
#pragma once

#include "interp/interpreter.hpp"

namespace assay::interp {

enum class InputKind { exact, adversarial, special };
std::string_view name(InputKind k);
std::optional<InputKind> parse_input_kind(std::string_view text);

/// Tensors for every input and inout buffer. Declared ranges are obeyed. Equal arguments give equal tensors on any
/// machine.
TensorMap generate_inputs(const Program& p, const ParameterMap& parameters, InputKind kind, std::uint64_t seed);

}  // namespace assay::interp
