// The pseudo-random numbers of input generators and law checks: SplitMix64, the same on every machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "ir/type.hpp"

namespace assay::interp {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// 64 uniform bits.
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
  }
  /// Uniform in 0..n; n > 0.
  std::uint64_t below(std::uint64_t n) { return static_cast<std::uint64_t>(static_cast<UInt128>(next()) * n >> 64); }
  /// Uniform in lo..=hi; at most 2^64 values.
  Int128 between(Int128 lo, Int128 hi) {
    const auto count = static_cast<UInt128>(hi - lo) + 1;
    return lo + (count > ~std::uint64_t{0} ? static_cast<Int128>(next())
                                           : static_cast<Int128>(below(static_cast<std::uint64_t>(count))));
  }
  bool coin() { return (next() & 1) != 0; }

 private:
  __extension__ typedef unsigned __int128 UInt128;
  std::uint64_t state_;
};

/// A seed of its own for every (text, seed) pair: FNV-1a over the text, started from the mixed seed.
inline std::uint64_t seed_for(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ Random(seed).next();
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

}  // namespace assay::interp
