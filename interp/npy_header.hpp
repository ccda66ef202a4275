// The header of a .npy file: magic, version, and a Python dictionary with exactly three keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.hpp"

namespace assay::interp {

struct NpyHeader {
  std::string descr;  // "<f4", …
  bool fortran_order = false;
  std::vector<std::int64_t> shape{};
  std::size_t payload = 0;  // where the elements begin
};

/// Parses the beginning of a file. A message has a code (NPY-6, NPY-7) and no file name.
Result<NpyHeader> parse_npy_header(std::string_view bytes);

}  // namespace assay::interp
