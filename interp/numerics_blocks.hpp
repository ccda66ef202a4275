// The counter-based random functions on the words of a block (NUM-42 …): what scalar functions and typed loops share.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace assay::numerics {

using Words = std::array<std::uint32_t, 4>;

using Rotations = std::array<int, 4>;
inline constexpr Rotations first_rotations{13, 15, 26, 6}, second_rotations{17, 29, 16, 24};

/// Two mixing steps of both pairs of words.
inline void mix(Words& x, const Rotations& r) {
  for (std::size_t i = 0; i < 4; i += 2) {
    x[0] += x[1];
    x[1] = std::rotl(x[1], r[i]) ^ x[0];
    x[2] += x[3];
    x[3] = std::rotl(x[3], r[i + 1]) ^ x[2];
    std::swap(x[1], x[3]);
  }
}

/// Adds the words of the key from number `round` on, cyclically among five, and the round's number to the last word.
inline void inject(Words& x, const std::array<std::uint32_t, 5>& key, std::uint32_t round) {
  for (std::uint32_t i = 0; i < 4; ++i) x[i] += key[(round + i) % 5];
  x[3] += round;
}

/// The function of `groups` groups of eight mixing steps; of four steps where it is 0.
template <std::uint32_t groups>
Words threefry(const Words& k, Words w) {
  const std::array<std::uint32_t, 5> key{k[0], k[1], k[2], k[3], k[0] ^ k[1] ^ k[2] ^ k[3] ^ 0x1BD11BDAU};
  inject(w, key, 0);
  for (std::uint32_t round = 1; round <= (groups == 0 ? 1 : groups); ++round) {
    for (int i = 0; i < (groups == 0 ? 1 : 2); ++i) {
      mix(w, first_rotations);
      mix(w, second_rotations);
    }
    inject(w, key, round);
  }
  return w;
}

}  // namespace assay::numerics
