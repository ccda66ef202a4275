// Where a sum can be kept apart from memory: `assay parse --as sums` (ANA-10 to ANA-12).
#pragma once

#include <string>
#include <vector>

#include "proofs/obligation/query.hpp"

namespace assay::oracle {

/// What stands between one statement `X[c] = X[c] ⊕ e` and a loop around it, asked about that loop.
struct SumLevel {
  Stmt loop{};
  int levels = 0;                     // loops from there to the statement, when the cell can be kept across all of them
  std::vector<std::string> guards{};  // for each condition on the way, outermost first, what it is
  std::string refusal{};              // why the cell cannot be kept, else empty
};
struct Sum {
  Stmt update{};
  Op op = Op::add;
  std::vector<SumLevel> around{};  // from the inside out
};
/// All accumulations of the program in the order of the text.
std::vector<Sum> find_sums(const Program& p, Query& query);

/// A line for each accumulation, and below it one for each loop around it.
std::string sums_text(const Program& p, Query& query);

}  // namespace assay::oracle
