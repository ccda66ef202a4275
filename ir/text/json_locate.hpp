// Where a value stands in a JSON text: the JSON library keeps no places.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.hpp"

namespace assay::text {

/// From the root: member names and, for array elements, their positions in decimal.
using JsonPath = std::vector<std::string>;
/// "/programs/0/body/3".
std::string path_text(const JsonPath& path);
/// The place of the value at `path` in a well-formed JSON text; of the deepest value on the way when it does not exist.
Location locate(std::string_view text, const JsonPath& path);
/// Line and column of an offset.
Location place_at(std::string_view text, std::size_t offset);

}  // namespace assay::text
