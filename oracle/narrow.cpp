// Narrowing parameter ranges.
#include "oracle/narrow.hpp"

#include <charconv>
#include <set>

#include <fmt/format.h>

#include "ir/text/source.hpp"

namespace assay::oracle {
namespace {

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return v;
}

std::string unknown_help(const Program& p, const std::string& wrong) {
  std::vector<std::string> names;
  for (const Parameter& q : p.parameters) names.push_back(q.name);
  if (names.empty()) return "this program has no parameters";
  const std::string close = suggest(wrong, names);
  return close.empty() ? fmt::format("its parameters are {}", fmt::join(names, ", "))
                       : fmt::format("did you mean `{}`?", close);
}

}  // namespace

Result<Program> narrow_parameters(Program p, const std::vector<std::string>& assignments) {
  std::vector<Diagnostic> faults;
  std::set<std::string> seen;
  const auto complain = [&](std::string message, std::string help) {
    faults.push_back({"CLI-7", std::move(message), {}, std::move(help), {}});
  };
  for (const std::string& a : assignments) {
    const std::size_t equals = a.find('=');
    const std::string name = a.substr(0, equals);
    const auto value = equals == std::string::npos ? std::nullopt : integer(std::string_view(a).substr(equals + 1));
    if (!value) {
      complain(fmt::format("--param {} is not of the form NAME=INTEGER", a), "for example --param n=7");
      continue;
    }
    bool found = false;
    for (Parameter& q : p.parameters) {
      if (q.name != name) continue;
      found = true;
      if (!seen.insert(name).second) {
        complain(fmt::format("--param {} is given twice", name), {});
      } else if (*value < q.lo || *value >= q.hi) {
        complain(fmt::format("--param {}: {} is in {}..{}", a, name, q.lo, q.hi),
                 fmt::format("take a value from {} to {}", q.lo, q.hi - 1));
      } else {
        q.lo = *value;
        q.hi = *value + 1;
      }
    }
    if (!found) complain(fmt::format("{} has no parameter `{}`", p.name, name), unknown_help(p, name));
  }
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return p;
}

}  // namespace assay::oracle
