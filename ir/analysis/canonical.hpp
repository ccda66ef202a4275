// The canonical form of a program: one representative of all programs that differ in names alone (spec/analysis.md).
//
// Programs that are equal up to a one-to-one renaming of binders have the same canonical form, and those that are not
// have different ones. Nothing else is evened out: a search that wants to treat two programs as one must prove it.
#pragma once

#include "ir/program.hpp"

namespace assay {

/// A well-formed program under names of its own: parameters `p0`, `p1`, … as declared, loops `l0`, … and variables `v0`, …
/// in preorder, buffers `b0`, … by first use; places and provenance are dropped.
Program canonical(const Program& p);

}  // namespace assay
