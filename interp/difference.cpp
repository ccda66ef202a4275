// One field after the other; the first that differs is told.
#include "interp/difference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::interp {
namespace {

std::string text(const Instance& at) {
  std::string iteration;
  for (const auto& [symbol, value] : at.iteration) iteration += fmt::format(" {}={}", symbol, value);
  return fmt::format("statement {} at {}:{}{} group ({}) thread ({})", at.statement, at.where.line, at.where.column,
                     iteration, fmt::join(at.group, ", "), fmt::join(at.thread, ", "));
}
std::string text(const std::optional<Fault>& f) {
  if (!f) return "none";
  return fmt::format("{} {} | {} | access {}:{} | {}[{}]", f->code, f->message, text(f->at), f->access.line,
                     f->access.column, f->buffer, fmt::join(f->cell, ", "));
}
std::string text(const std::optional<Race>& r) {
  if (!r) return "none";
  return fmt::format("{}[{}] | {} {} | {} {}", r->buffer, fmt::join(r->cell, ", "), text(r->first), r->first_writes,
                     text(r->second), r->second_writes);
}
const char* text(Status s) { return s == Status::ok ? "ok" : s == Status::fault ? "fault" : "budget"; }

}  // namespace

std::string difference(const Outcome& a, const Outcome& b) {
  const auto differ = [](const char* what, const auto& x, const auto& y) {
    return fmt::format("{}: {}\n  against {}", what, x, y);
  };
  if (a.status != b.status || text(a.fault) != text(b.fault))
    return differ("end", std::string(text(a.status)) + " " + text(a.fault),
                  std::string(text(b.status)) + " " + text(b.fault));
  if (a.limit != b.limit) return differ("limit", a.limit, b.limit);
  if (a.operations != b.operations) return differ("operations", a.operations, b.operations);
  if (text(a.race) != text(b.race)) return differ("race", text(a.race), text(b.race));
  if (a.outputs.size() != b.outputs.size()) return "outputs: other buffers";
  for (const auto& [name, t] : a.outputs) {
    const auto other = b.outputs.find(name);
    if (other == b.outputs.end() || !(t == other->second)) return fmt::format("outputs: `{}`", name);
  }
  if (a.tainted != b.tainted) return "marks of cells";
  return {};
}

}  // namespace assay::interp
