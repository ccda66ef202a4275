// Since nothing may hide a visible name, one binding for each visible name is enough.
#include "ir/text/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/text/source.hpp"

namespace assay::text {
namespace {

std::string_view noun(Binding::Kind kind) {
  switch (kind) {
    case Binding::Kind::parameter: return "a parameter";
    case Binding::Kind::buffer: return "a buffer";
    case Binding::Kind::loop: return "a loop symbol";
    case Binding::Kind::variable: return "a variable";
    case Binding::Kind::broken: return "a name";
  }
  return "a name";
}

}  // namespace

bool Names::declare_global(std::string_view name, Binding binding) {
  const auto [it, fresh] = visible_.try_emplace(std::string(name), binding);
  if (!fresh) {
    reporter_.error("NAME-2", binding.where, fmt::format("`{}` is declared twice", name),
                    fmt::format("it is {} since line {}", noun(it->second.kind), it->second.where.line));
    return false;
  }
  supply_.take(it->first);
  it->second.symbol = it->first;
  return true;
}

Symbol Names::introduce(std::string_view name, Binding::Kind kind, Type type, Location where) {
  std::string key(name);
  Binding binding{kind, {}, type, 0, where};
  const auto [it, fresh] = visible_.try_emplace(key, binding);
  if (!fresh) {
    const Binding& old = it->second;
    const bool global = old.kind == Binding::Kind::parameter || old.kind == Binding::Kind::buffer;
    reporter_.error(global ? "NAME-2" : "NAME-3", where, fmt::format("`{}` is already {} here", name, noun(old.kind)),
                    fmt::format("it is introduced in line {}; choose another name", old.where.line));
    return supply_.fresh(key);
  }
  it->second.symbol = supply_.fresh(key);
  introduced_.push_back(std::move(key));
  return it->second.symbol;
}

const Binding* Names::find(std::string_view name) const {
  const auto it = visible_.find(std::string(name));
  return it == visible_.end() ? nullptr : &it->second;
}

void Names::report_unknown(std::string_view name, Location where) {
  std::string help;
  if (const auto it = ended_.find(std::string(name)); it != ended_.end()) {
    help = fmt::format("the `{}` of line {} is visible only to the end of its block", name, it->second.line);
  } else {
    std::vector<std::string> candidates;
    candidates.reserve(visible_.size());
    for (const auto& [candidate, binding] : visible_) candidates.push_back(candidate);
    std::sort(candidates.begin(), candidates.end());  // the answer must not depend on hashing
    if (const std::string close = suggest(name, candidates); !close.empty())
      help = fmt::format("did you mean `{}`?", close);
  }
  reporter_.error("NAME-1", where, fmt::format("unknown name `{}`", name), help);
}

void Names::release(std::size_t mark) {
  while (introduced_.size() > mark) {
    const auto it = visible_.find(introduced_.back());
    ended_[it->first] = it->second.where;
    visible_.erase(it);
    introduced_.pop_back();
  }
}

}  // namespace assay::text
