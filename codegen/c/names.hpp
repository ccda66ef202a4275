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

class Names {
 public:
  /// `cuda`: the words of C++ and CUDA are not free either.
  explicit Names(bool cuda = false) : cuda_(cuda) {}

  /// The identifier of a program's symbol: the same for every call with one symbol.
  std::string of(const Symbol& symbol);
  /// A new identifier for a temporary: `stem` itself, or the first free of `stem_2`, `stem_3`, …
  std::string fresh(std::string_view stem);

 private:
  bool cuda_;
  std::map<Symbol, std::string> given_;
  std::set<std::string> used_;
  std::map<std::string, int> next_;
};

}  // namespace assay::codegen
