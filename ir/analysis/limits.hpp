// How much of each resource a device has for a launch, and what a launch exceeds (spec/analysis.md).
#pragma once

#include <string>
#include <string_view>

#include "ir/analysis/launch.hpp"
#include "ir/diagnostic.hpp"

namespace assay {

/// The resources, in the order in which they are looked at.
enum class Resource : std::uint8_t {
  threads,
  shared,
  workgroup_x,
  workgroup_y,
  workgroup_z,
  grid_x,
  grid_y,
  grid_z,
  registers
};
inline constexpr std::size_t resource_count = static_cast<std::size_t>(Resource::registers) + 1;
/// "threads", "shared", "workgroup.x", …: the word in a list of limits.
std::string_view name(Resource r);
/// "threads in a group", "bytes of shared memory", …
std::string_view description(Resource r);
/// LIM-10 to LIM-13, LIM-17.
std::string_view limit_code(Resource r);
/// What is claimed of launch number `launch`, from 0: "launch 1 asks for at most 1024 threads in a group".
std::string limit_claim(std::size_t launch, Resource r, std::int64_t most);

struct DeviceLimits {
  std::string text{};  // as it was asked for
  std::array<std::optional<std::int64_t>, resource_count> most{};
  const std::optional<std::int64_t>& of(Resource r) const { return most[static_cast<std::size_t>(r)]; }
};
/// A comma-separated list of names of devices and of RESOURCE=INT; the later one counts (LIM-14).
Result<DeviceLimits> parse_limits(std::string_view text);

/// How much of a resource a launch asks for; nothing when a product leaves int64.
std::optional<std::int64_t> requested(const LaunchShape& shape, Resource r);

}  // namespace assay
