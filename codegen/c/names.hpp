// C identifiers for the names of a program.
//
// A name keeps its spelling where C allows it (`i.1` becomes `i_1`); a name that C, a library header or a helper of the
// generated unit may claim gets an underscore appended. Distinct names get distinct identifiers over the whole unit.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "ir/index.hpp"

namespace assay::codegen {

/// Whose words are not free: those of C, with those of C++ and CUDA, or with those of OpenCL.
enum class Words { c, cuda, opencl };

class Names {
 public:
  explicit Names(Words words = Words::c) : words_(words) {}

  /// The identifier of a program's symbol: the same for every call with one symbol.
  std::string of(const Symbol& symbol);
  /// A new identifier for a temporary: `stem` itself, or the first free of `stem_2`, `stem_3`, …
  std::string fresh(std::string_view stem);

 private:
  Words words_;
  std::map<Symbol, std::string> given_;
  std::set<std::string> used_;
  std::map<std::string, int> next_;
};

}  // namespace assay::codegen
