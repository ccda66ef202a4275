// A block's operation compiled and called in this process: a whole sweep moves no results between processes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "f32_blocks.hpp"

namespace assay::sweep {

class Direct {
 public:
  /// Nothing, with the reason in `error`, when the compiler fails. The in-memory compiler has no such form.
  static std::unique_ptr<Direct> make(const Subject& s, const codegen::CompilerSpec& compiler, std::string& error);
  virtual ~Direct() = default;
  /// The hash of the results of a block, as hash() has it; nothing when the kernel refuses its arguments.
  virtual std::optional<std::uint64_t> hash(std::uint64_t block) = 0;
};

}  // namespace assay::sweep
