// Linear maps on bit vectors over GF(2), the field of the two bits with exclusive or as its sum.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace assay {

/// x ↦ the exclusive or of the columns whose bit is set in x. At most 64 bits in and out.
class BitMap {
 public:
  explicit BitMap(std::vector<std::uint64_t> columns) : columns_(std::move(columns)) {}
  static BitMap identity(int bits);

  int bits() const { return static_cast<int>(columns_.size()); }
  const std::vector<std::uint64_t>& columns() const { return columns_; }
  std::uint64_t apply(std::uint64_t x) const;
  /// How many of the columns are independent: the map is one-to-one exactly when all are.
  int rank() const;
  /// The map that undoes this one; nothing when it is not one-to-one onto the vectors of `bits()` bits.
  std::optional<BitMap> inverse() const;

 private:
  std::vector<std::uint64_t> columns_;
};

}  // namespace assay
