// The part of a program that two of its threads are about, where the whole of it is too large to be run (RPL-11).
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "interp/focus.hpp"

namespace assay::oracle {

struct ThreadPart {
  Program program{};       // the same statements; what nothing in the part depends on is memory without a value
  interp::Focus focus{};   // with the part
  bool asks_data = false;  // a condition or an index in it reads an input
};
/// The part for a focus on two accesses of a buffer, or on two threads at a barrier. The error is a sentence: where the part
/// lies, or what it does, depends on what the rest computes.
tl::expected<ThreadPart, std::string> part_of(const Program& p, const interp::Focus& focus);

}  // namespace assay::oracle
