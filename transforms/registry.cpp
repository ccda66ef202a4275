// The registry of schedule operations, and the application of one schedule line.
#include <algorithm>

#include "transforms/define.hpp"

namespace assay {

const std::vector<OperationEntry>& operations() {
  static const std::vector<OperationEntry> entries = [] {
    std::vector<OperationEntry> all = collect_operations();
    std::sort(all.begin(), all.end(),
              [](const OperationEntry& a, const OperationEntry& b) { return a.declaration.name < b.declaration.name; });
    return all;
  }();
  return entries;
}

const OperationEntry* find_operation(std::string_view wanted) {
  for (const OperationEntry& e : operations()) {
    if (e.declaration.name == wanted) return &e;
  }
  return nullptr;
}

namespace {

Refusal unknown_operation(const ScheduleLine& line) {
  std::vector<std::string> names;
  for (const OperationEntry& e : operations()) names.push_back(e.declaration.name);
  return error("SCH-5", line.where, fmt::format("unknown operation `{}`", line.op), did_you_mean(line.op, names));
}

}  // namespace

StepResult apply_line(const Program& before, const ScheduleLine& line, Query& query) {
  const OperationEntry* entry = find_operation(line.op);
  if (entry == nullptr) return tl::unexpected(unknown_operation(line));
  auto operation = entry->bind(line, before);
  if (!operation) return tl::unexpected(std::move(operation).error());
  return (*operation)->apply(number_statements(before), query);
}

}  // namespace assay
