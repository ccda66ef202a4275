// What is told about a point of execution.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interp/compiled/machine.hpp"

namespace assay::interp::compiled {
namespace {

bool several(const std::vector<std::int64_t>& extents) {
  return std::any_of(extents.begin(), extents.end(), [](std::int64_t e) { return e > 1; });
}
std::vector<std::int64_t> highest_first(const std::vector<std::int64_t>& by_slot) {
  return {by_slot.rbegin(), by_slot.rend()};
}

}  // namespace

// The symbols are in the frame of the statement's lanes and those outside; a strip never comes here.
Instance Machine::instance() const {
  Instance at;
  if (statement_ == nullptr) return at;
  at.where = statement_->source->where;
  at.statement = statement_->number;
  std::vector<std::pair<const Frame*, std::uint32_t>> frames;  // by level, innermost first
  std::uint32_t lane = lane_;
  for (const Frame* f = frame_; f != nullptr; f = f->outer) {
    frames.emplace_back(f, lane);
    lane = f->parent != nullptr ? f->parent[lane] : 0;
  }
  for (const BoundStmt* l = statement_->loop; l != nullptr; l = l->loop) {
    const auto& [f, in_lane] = frames[frames.size() - 1 - static_cast<std::size_t>(l->slot.level)];
    const SymbolValue& s = f->symbols[l->slot.index];
    const std::int64_t value = s.column ? reinterpret_cast<const std::int64_t*>(f->column(l->slot.index))[in_lane]
                                        : s.base + s.stride * static_cast<std::int64_t>(in_lane);
    at.iteration.emplace_back(l->source->name, value);
  }
  std::reverse(at.iteration.begin(), at.iteration.end());
  if (several(grid_extent_)) at.group = highest_first(grid_);
  if (several(group_extent_)) at.thread = highest_first(thread_->coordinates);
  return at;
}

std::string Machine::coordinates(const std::vector<std::int64_t>& by_slot) const {
  return fmt::format("({})", fmt::join(highest_first(by_slot), ", "));
}

void Machine::fault(const char* code, std::string message, Location access, const Symbol& buffer,
                    std::vector<std::int64_t> cell) const {
  sure();
  Instance at = instance();
  if (!access.known()) access = at.where;
  throw Faulted{{code, std::move(message), std::move(at), access, buffer, std::move(cell)}};
}

void Machine::outside(const Access& access, Frame& f, std::uint32_t lane, bool store) {
  sure();
  const Memory& m = memory(access.buffer);
  std::vector<std::int64_t> cell;
  for (const Dimension& d : access.dims) cell.push_back(coordinate(d, f, lane));
  std::string message =
      fmt::format("{} `{}` outside its bounds: [{}] in a buffer of shape [{}]", store ? "stores to" : "reads",
                  m.buffer->name, fmt::join(cell, ", "), fmt::join(m.dims, ", "));
  fault("RUN-1", std::move(message), access.where, m.buffer->name, std::move(cell));
}

void Machine::exhausted() const {
  // Of a start what has run is enough, unless what comes next alone is too much.
  if (!mode_.precise && !(partial_ && operations_ > budget_)) throw Restart{};
  throw Exhausted{fmt::format("the budget of {} operations is used up", budget_)};
}

}  // namespace assay::interp::compiled
