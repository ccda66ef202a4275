// The property of programs with threads: where all obligations hold, every order of accesses ends in one and the same memory, that
// of canonical execution, and no run sees a race.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/program.hpp"
#include "ir/tensor.hpp"
#include "proofs/obligation/query.hpp"

namespace assay::fuzz {

/// Small parameter values at which a program is explored, few at a time.
std::vector<ParameterMap> small_sizes(const Program& p);

struct ThreadPropertyCounts {
  int programs = 0;
  int clean = 0, refuted = 0, undecided = 0;  // by the obligations
  int equal = 0;                              // clean, every order was looked at and ends alike
  int unexplored = 0;                         // clean, and too large to be explored, or of a form that is not
  int differing = 0;                          // not clean, and orders end differently or in a fault
  int harmless = 0;                           // not clean, and every order ends alike at the sizes explored
  int seen = 0;                               // refuted, and a run at the witness's size sees a race or a fault
  int unseen = 0;                             // refuted, and that run sees none
  std::map<std::string, int> open{};          // undecided obligations by kind and code
  std::vector<std::string> failures{};        // wrong answers: program and why
  std::vector<std::string> notes{};           // programs that are refuted and unseen, or undecided
};

/// Judges one program by its obligations, by runs with different turns, and by exploring orders.
void judge_threads(const Program& p, Query& query, ThreadPropertyCounts& counts);

std::string summary(const ThreadPropertyCounts& c);

}  // namespace assay::fuzz
