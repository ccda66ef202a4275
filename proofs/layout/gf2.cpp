// Gaussian elimination on words.
#include "proofs/layout/gf2.hpp"

namespace assay {

BitMap BitMap::identity(int bits) {
  std::vector<std::uint64_t> columns;
  for (int i = 0; i < bits; ++i) columns.push_back(std::uint64_t{1} << i);
  return BitMap(std::move(columns));
}

std::uint64_t BitMap::apply(std::uint64_t x) const {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if ((x >> i & 1) != 0) out ^= columns_[i];
  }
  return out;
}

int BitMap::rank() const {
  std::vector<std::uint64_t> left = columns_;
  int rank = 0;
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t mask = std::uint64_t{1} << bit;
    for (std::size_t p = static_cast<std::size_t>(rank); p < left.size(); ++p) {
      if ((left[p] & mask) == 0) continue;
      std::swap(left[p], left[static_cast<std::size_t>(rank)]);
      const std::uint64_t pivot = left[static_cast<std::size_t>(rank)];
      for (std::size_t q = static_cast<std::size_t>(rank) + 1; q < left.size(); ++q) {
        if ((left[q] & mask) != 0) left[q] ^= pivot;
      }
      ++rank;
      break;
    }
  }
  return rank;
}

std::optional<BitMap> BitMap::inverse() const {
  // Columns become the unit vectors; the same steps on the unit vectors give what maps to them.
  std::vector<std::uint64_t> left = columns_, right = identity(bits()).columns();
  const std::size_t n = left.size();
  for (std::size_t bit = 0; bit < n; ++bit) {
    const std::uint64_t mask = std::uint64_t{1} << bit;
    std::size_t p = bit;
    while (p < n && (left[p] & mask) == 0) ++p;
    if (p == n) return std::nullopt;
    std::swap(left[p], left[bit]);
    std::swap(right[p], right[bit]);
    for (std::size_t q = 0; q < n; ++q) {
      if (q == bit || (left[q] & mask) == 0) continue;
      left[q] ^= left[bit];
      right[q] ^= right[bit];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (left[i] != std::uint64_t{1} << i) return std::nullopt;  // a bit outside the vectors of n bits
  }
  return BitMap(std::move(right));
}

}  // namespace assay
