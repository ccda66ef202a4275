// One table of resources; a device is a name for numbers in it.
#include "ir/analysis/limits.hpp"

#include <fmt/format.h>

#include <charconv>

#include "ir/text/source.hpp"

namespace assay {
namespace {

struct ResourceInfo {
  std::string_view word, description, code;
};
constexpr std::array<ResourceInfo, resource_count> table{{
    {"threads", "threads in a group", "LIM-10"},
    {"shared", "bytes of shared memory", "LIM-11"},
    {"workgroup.x", "threads in slot 0 (x)", "LIM-12"},
    {"workgroup.y", "threads in slot 1 (y)", "LIM-12"},
    {"workgroup.z", "threads in slot 2 (z)", "LIM-12"},
    {"grid.x", "groups in slot 0 (x)", "LIM-13"},
    {"grid.y", "groups in slot 1 (y)", "LIM-13"},
    {"grid.z", "groups in the slots from 2 up (z)", "LIM-13"},
    {"registers", "registers for the private cells of a thread", "LIM-17"},
}};

struct Device {
  std::string_view word;
  std::array<std::optional<std::int64_t>, resource_count> most;
};
// What every device of the kind has: CUDA of compute capability 3.0 and later, with the shared memory that needs no opt-in. How many
// registers a thread has differs among them, and a thread that needs more runs all the same.
constexpr Device devices[] = {{"cuda", {1024, 49152, 1024, 1024, 64, 2147483647, 65535, 65535, {}}}};

tl::unexpected<std::vector<Diagnostic>> wrong(std::string message, std::string help) {
  return fail({"LIM-14", std::move(message), {}, std::move(help), {}, Severity::error});
}

}  // namespace

std::string_view name(Resource r) { return table[static_cast<std::size_t>(r)].word; }
std::string_view description(Resource r) { return table[static_cast<std::size_t>(r)].description; }
std::string_view limit_code(Resource r) { return table[static_cast<std::size_t>(r)].code; }

std::string limit_claim(std::size_t launch, Resource r, std::int64_t most) {
  return fmt::format("launch {} asks for at most {} {}", launch + 1, most, description(r));
}

Result<DeviceLimits> parse_limits(std::string_view text) {
  DeviceLimits out;
  out.text = std::string(text);
  std::vector<std::string> words;
  for (const ResourceInfo& r : table) words.emplace_back(r.word);
  for (const Device& d : devices) words.emplace_back(d.word);
  const std::string known = fmt::format("a list of {} and RESOURCE=INT, the resources being {}", devices[0].word,
                                        fmt::join(words.begin(), words.begin() + resource_count, ", "));
  while (true) {
    const std::string_view item = text.substr(0, text.find(','));
    const std::string_view word = item.substr(0, item.find('='));
    std::size_t found = 0;
    while (found < words.size() && words[found] != word) ++found;
    if (found == words.size()) {
      const std::string close = suggest(word, words);
      return wrong(fmt::format("`{}` names no limit", word),
                   close.empty() ? known : fmt::format("did you mean `{}`?", close));
    }
    const bool device = found >= resource_count;
    if (device != (word.size() == item.size())) {
      return wrong(fmt::format("`{}` {}", word, device ? "takes no value" : "needs a value"), known);
    }
    if (device) {
      for (std::size_t r = 0; r < resource_count; ++r)
        if (const auto& n = devices[found - resource_count].most[r]) out.most[r] = n;
    } else {
      const std::string_view digits = item.substr(word.size() + 1);
      std::int64_t value = 0;
      const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (failure != std::errc() || end != digits.data() + digits.size() || value < 0)
        return wrong(fmt::format("`{}` is no number of {}", digits, table[found].description), known);
      out.most[found] = value;
    }
    if (item.size() == text.size()) return out;
    text.remove_prefix(item.size() + 1);
  }
}

std::optional<std::int64_t> requested(const LaunchShape& shape, Resource r) {
  if (r == Resource::shared) return shape.shared_bytes;
  if (r == Resource::registers) return shape.registers;
  const bool grid = r >= Resource::grid_x;
  const auto extents = in_three_dimensions(grid ? shape.grid : shape.workgroup);
  if (!extents) return std::nullopt;
  if (r == Resource::threads) {
    std::int64_t all = 1;
    for (const std::int64_t e : *extents) {
      if (__builtin_mul_overflow(all, e, &all)) return std::nullopt;
    }
    return all;
  }
  return (*extents)[static_cast<std::size_t>(r) -
                    static_cast<std::size_t>(grid ? Resource::grid_x : Resource::workgroup_x)];
}

}  // namespace assay
