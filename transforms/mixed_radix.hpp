// Several loops that run through one dimension without gaps and without meeting, as one loop: digits of one number.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ir/program.hpp"

namespace assay {

/// index = base + unit · number, where the number runs from 0 to count - 1 and takes each value in one iteration of the loops.
struct MixedRadix {
  Index base{}, count{};
  std::int64_t unit = 1;
  /// The value of each loop's symbol in the iteration that gives `number`.
  std::map<Symbol, Index> symbols_at(const Index& number) const;

  struct Digit {
    Stmt loop{};
    std::int64_t weight = 1;  // of one iteration, in numbers
    std::int64_t extent = 0;  // its iterations; 0 for the greatest digit, whose number of them may depend on parameters
  };
  std::vector<Digit> digits{};  // the least one first
};

/// `e` over `loops`, each of which occurs in it; nothing where they are no digits, or bounds depend on more than parameters.
std::optional<MixedRadix> mixed_radix(const Program& p, const Index& e, const std::vector<Stmt>& loops);

}  // namespace assay
