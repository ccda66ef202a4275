// Unary operations of f32 over all 2^32 arguments, block by block: what they give, hashed.
//
// Storing every result would take gigabytes, so one hash stands for the results of 2^21 consecutive arguments (patterns
// in increasing order). The hashes of a whole sweep of the interpreter's arithmetic are kept in tests/data/f32/; anything
// that computes the same operation is checked exhaustively by recomputing hashes, and a block that differs names the two
// million arguments to look at.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/c.hpp"
#include "ir/expr.hpp"

namespace assay::sweep {

inline constexpr int block_bits = 21;
inline constexpr std::uint64_t block_size = std::uint64_t{1} << block_bits;
inline constexpr std::uint64_t block_count = std::uint64_t{1} << (32 - block_bits);

/// An operation of one f32: its name ("exp", "to_f16", …) and the expression that applies it to `argument`.
struct Subject {
  std::string name;
  Expr (*apply)(Expr argument);
};
/// Every unary operation with a float result, and every conversion to a narrower float.
const std::vector<Subject>& subjects();
const Subject* find_subject(const std::string& name);

/// The operation on a block: input `a`, output `r`.
Program block_program(const Subject& s);

// FNV-1a on whole values: any single difference changes it, for each step is a bijection.
inline constexpr std::uint64_t hash_start = 0xcbf29ce484222325U;
inline std::uint64_t hash_step(std::uint64_t h, std::uint64_t bits) { return (h ^ bits) * 0x100000001b3U; }
template <typename Bits, typename IsNan>
std::uint64_t hash_bits(const Bits* results, std::uint64_t count, IsNan is_nan, std::uint64_t nan) {
  std::uint64_t h = hash_start;
  for (std::uint64_t i = 0; i < count; ++i) h = hash_step(h, is_nan(results[i]) ? nan : results[i]);
  return h;
}
/// The hash of the results of a block: every NaN counts as the one NaN.
std::uint64_t hash(const Tensor& results);
/// That hash of the interpreter's arithmetic, without the tensor.
std::uint64_t interpreted_hash(const Subject& s, std::uint64_t block);
/// The results of the interpreter's arithmetic on a block.
Tensor interpreted(const Subject& s, std::uint64_t block);

/// The operation as a compiled kernel over a block.
class Compiled {
 public:
  /// Nothing, with the reason in `error`, when the compiler fails.
  static std::optional<Compiled> make(const Subject& s, const codegen::CompilerSpec& compiler, std::string& error);
  /// Nothing, with the reason in `error`, when the kernel does not return.
  std::optional<Tensor> results(std::uint64_t block, std::string& error) const;

 private:
  std::shared_ptr<codegen::Kernel> kernel_{};
};

/// tests/data/f32/NAME.hashes: block_count 64-bit little-endian numbers; nothing when no sweep was kept.
std::string kept_path(const Subject& s);
std::optional<std::vector<std::uint64_t>> kept_hashes(const Subject& s);

}  // namespace assay::sweep
