// What lanes do that came into a launch for the sake of one statement: everything else is left to the first of them.
#pragma once

#include "ir/program.hpp"

namespace assay {

/// Stores to device and shared memory in the launch of loop `in`, under no loop of slot 0, are run by the first of `width`
/// lanes: `for lane in 0..width @workgroup { if lane == 0 { … } }` around each largest nest that does nothing else. `named`
/// stems the symbols of the new loops.
Program led_by_first_lane(Program p, const Symbol& in, std::int64_t width, const Symbol& named, NameSupply& names);

}  // namespace assay
