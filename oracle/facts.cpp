// A list of lines `what: value`, in a fixed order.
#include "oracle/facts.hpp"

#include <fmt/format.h>

#include "ir/analysis/launch.hpp"
#include "ir/analysis/spans.hpp"
#include "oracle/menu.hpp"

namespace assay::oracle {
namespace {

constexpr std::int64_t launch_budget = 10'000'000;

std::string launch_text(const LaunchShape& shape) {
  const auto groups = in_three_dimensions(shape.grid), threads = in_three_dimensions(shape.workgroup);
  if (!groups || !threads) return "more than 2^63 groups or threads";
  std::string out =
      fmt::format("{} groups, {} threads in a group", fmt::join(*groups, " x "), fmt::join(*threads, " x "));
  if (shape.shared_bytes > 0) out += fmt::format(", {} bytes shared", shape.shared_bytes);
  if (!shape.guarded.empty()) out += fmt::format("; fewer iterations than their slot: {}", join(shape.guarded));
  return out;
}

}  // namespace

std::string facts_text(const Program& p, const ParameterMap& parameters) {
  std::string out = fmt::format("program {}\n  digest    {}\n", p.name, program_digest(p));
  if (!parameters.empty()) out += fmt::format("  at        {}\n", text(parameters));
  if (const auto launches = launch_shapes(p, parameters, launch_budget)) {
    for (std::size_t k = 0; k < launches->size(); ++k)
      out += fmt::format("  launch {}  {}\n", k + 1, launch_text((*launches)[k]));
  } else {
    out += "  launches  too large to work out\n";
  }
  const auto spans = access_spans(p);
  for (const Buffer& b : p.buffers) {
    const auto span = spans.find(b.name);
    out += fmt::format("  {:<9} {}: {}\n", name(b.kind), b.name,
                       span == spans.end() ? std::string("not used")
                                           : fmt::format("used from {} to {}", span->second.first, span->second.last));
  }
  return out;
}

}  // namespace assay::oracle
