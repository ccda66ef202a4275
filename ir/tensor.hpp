// Dense tensors: what programs read and write at run time, shared by interpreter, generated code and files.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "ir/index.hpp"
#include "ir/type.hpp"

namespace assay {

/// A row-major tensor of a storage type. `bytes` holds elements in the machine's (little-endian) storage layout.
struct Tensor {
  Type type = Type::f32;
  std::vector<std::int64_t> dims{};
  std::vector<unsigned char> bytes{};

  Tensor() = default;
  Tensor(Type t, std::vector<std::int64_t> d) : type(t), dims(std::move(d)) {
    bytes.resize(static_cast<std::size_t>(size() * byte_width(type)));
  }
  /// Number of elements (1 for rank 0).
  std::int64_t size() const {
    std::int64_t n = 1;
    for (auto d : dims) n *= d;
    return n;
  }
  Scalar get(std::int64_t flat) const {
    Scalar s{type, 0};
    const int width = byte_width(type);
    const unsigned char* const element = bytes.data() + flat * width;
    std::memcpy(&s.bits, element, static_cast<std::size_t>(width < 8 ? width : 8));
    if (width > 8) std::memcpy(&s.high, element + 8, 8);
    return s;
  }
  void set(std::int64_t flat, Scalar s) {
    const int width = byte_width(type);
    unsigned char* const element = bytes.data() + flat * width;
    std::memcpy(element, &s.bits, static_cast<std::size_t>(width < 8 ? width : 8));
    if (width > 8) std::memcpy(element + 8, &s.high, 8);
  }
  bool operator==(const Tensor&) const = default;
};

/// Tensors by buffer name.
using TensorMap = std::map<std::string, Tensor>;
/// Values of the parameters.
using ParameterMap = std::map<Symbol, std::int64_t>;

/// Whether a float bit pattern is a NaN (never for other types).
bool is_nan(Scalar s);
/// Equality of observed values: same bits, or both NaN (NUM-2: there is one NaN).
bool same_value(Scalar a, Scalar b);
/// The bytes of one element's coordinates for a flat row-major offset.
std::vector<std::int64_t> unflatten(std::int64_t flat, const std::vector<std::int64_t>& dims);

}  // namespace assay
