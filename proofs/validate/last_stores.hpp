// What a load gives, where it matters which of several stores was the last one.
#pragma once

#include "proofs/validate/instance.hpp"

namespace assay::derive {

/// As stored_term, of stores that come before and after which no other one certainly (PRF-21) stored to that cell. `x` has been
/// given places. In a program that is free of races.
Term last_stored_term(const Instance& x, const Expr& e, const std::string& moment);

}  // namespace assay::derive
