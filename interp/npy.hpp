// NumPy's .npy files: reading into and writing of tensors (NPY-… of spec/numerics.md).
//
// bf16 has no code in the format: it is written as unsigned 16-bit integers that hold the bit patterns, and read back
// from such a file (or from the 2-byte void that ml_dtypes writes) when the caller says that bf16 is meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/diagnostic.hpp"
#include "ir/tensor.hpp"

namespace assay::interp {

/// Files beyond this many bytes are refused (NPY-7).
inline constexpr std::uint64_t npy_size_limit = std::uint64_t{1} << 31;

/// The tensor in a file. `as` is the element type that is wanted; without it the file decides (u16 for a file of bf16).
/// Errors have code NPY-n, the path in `file`, and never more memory than about twice the file's size.
Result<Tensor> read_npy(const std::string& path, std::optional<Type> as);
/// The same for the bytes of a file. `name` is what messages call it.
Result<Tensor> from_npy(std::string_view bytes, std::optional<Type> as, const std::string& name);

/// The bytes of a file, version 1.0, little-endian, row major.
std::string to_npy(const Tensor& t);

}  // namespace assay::interp
