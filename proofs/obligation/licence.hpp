// Licences: how far a step may change the bits (design: exact < reassociates < rounds).
#pragma once

#include <cstdint>
#include <string_view>

namespace assay {

/// exact: same bits for every input. reassociates: the same terms added in another order. rounds: rounding moves.
enum class Licence : std::uint8_t { exact, reassociates, rounds };
inline std::string_view name(Licence l) {
  return l == Licence::exact ? "exact" : l == Licence::reassociates ? "reassociates" : "rounds";
}

}  // namespace assay
