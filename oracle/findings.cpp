// Messages about obligations and observations.
#include "oracle/findings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/literal.hpp"

namespace assay::oracle {
namespace {

bool has_second(const Witness& w) { return w.second.statement >= 0; }

/// What goes wrong, in the terms of the obligation's kind.
std::string headline(const Obligation& o, const std::string& op) {
  const std::string subject = op.empty() ? "the program" : op;
  if (o.status == Obligation::Status::undecided) return fmt::format("could not decide that {}", o.claim);
  if (o.kind == "dependence-order" && o.witness && has_second(*o.witness)) {
    const Witness& w = *o.witness;
    if (w.first.writes && w.second.writes) return fmt::format("{} would exchange two writes to one cell", subject);
    if (w.first.writes) return fmt::format("{} would run a read before the write that it needs", subject);
    return fmt::format("{} would run a write before a read of the old value", subject);
  }
  return fmt::format("{}: it does not hold that {}", o.kind, o.claim);
}

std::string verb(const Witness::Point& p) { return p.writes ? "writes" : "reads"; }

void add_witness(Finding& f, const Witness& w, const Places& places) {
  const std::string cell = w.buffer.empty() ? std::string() : " " + cell_text(w.buffer, w.cell);
  const auto label = [&](const Witness::Point& p, std::string_view number) {
    const std::string at = p.iteration.empty() ? std::string() : " at " + text(p.iteration);
    f.labels.push_back({places.program_file, p.where, fmt::format("{}{}{}{}", number, verb(p), cell, at)});
  };
  if (has_second(w)) {
    label(w.first, "(1) ");
    label(w.second, "(2) ");
  } else if (w.first.statement >= 0) {
    label(w.first, "");
  }
}

std::string case_text(const Observation& seen) {
  std::string out = text(seen.inputs);
  if (!seen.parameters.empty()) out += " at " + text(seen.parameters);
  if (!seen.turns.empty()) out += ", threads in turns " + seen.turns;
  if (!seen.input_values.empty()) {
    std::vector<std::string> parts;
    for (const auto& [buffer, values] : seen.input_values) parts.push_back(fmt::format("{} = {}", buffer, values));
    out += fmt::format(" ({})", join(parts));
  }
  return out;
}

std::string access_text(const interp::Instance& at, bool writes) {
  const std::string where =
      at.where.known() ? fmt::format("line {}", at.where.line) : fmt::format("statement {}", at.statement);
  const std::string when = at.iteration.empty() ? std::string() : " with " + text(at.iteration);
  // Which group it was: a statement outside the grid loops happens in several, at the same iteration.
  const std::string group = at.group.empty() ? std::string() : fmt::format(" in group ({})", fmt::join(at.group, ", "));
  const std::string thread =
      at.thread.empty() ? std::string() : fmt::format(" in thread ({})", fmt::join(at.thread, ", "));
  return fmt::format("{} {}{}{}{}", where, writes ? "writes" : "reads", when, group, thread);
}

/// The two accesses are of one group.
bool between_threads(const interp::Race& r) { return r.first.group == r.second.group; }

/// The two accesses are of one thread: one of them is made by the other lanes of a tile product too (EXEC-77).
bool with_own_lanes(const interp::Race& r) { return between_threads(r) && r.first.thread == r.second.thread; }

}  // namespace

std::string observation_text(const Observation& seen, const std::string& first_name, const std::string& second_name) {
  switch (seen.kind) {
    case Observation::Kind::difference:
      return fmt::format("{}: {} is {} {}, {} {}; {} of {} cells differ", case_text(seen),
                         cell_text(seen.buffer, seen.cell), to_text(seen.before), first_name, to_text(seen.after),
                         second_name, seen.differing, seen.compared);
    case Observation::Kind::fault: {
      const std::string when =
          seen.fault->at.iteration.empty() ? std::string() : fmt::format(" with {}", text(seen.fault->at.iteration));
      const std::string cell = seen.fault->cell.empty()
                                   ? std::string()
                                   : fmt::format(" ({})", cell_text(seen.fault->buffer, seen.fault->cell));
      return fmt::format("{}: {}{}{}", case_text(seen), seen.fault->message, cell, when);
    }
    case Observation::Kind::race:
      return fmt::format(
          "{}: {} and {} use {} in no order{}", case_text(seen), access_text(seen.race->first, seen.race->first_writes),
          access_text(seen.race->second, seen.race->second_writes), cell_text(seen.race->buffer, seen.race->cell),
          with_own_lanes(*seen.race) ? ": every lane of a tile product makes all its accesses" : "");
  }
  return {};
}

Finding obligation_finding(const ObligationReport& o, const std::optional<Observation>& seen, const StepPlace* step,
                           const Places& places) {
  Finding f;
  const bool open = o.obligation.status == Obligation::Status::undecided;
  f.kind = seen ? FindingKind::error : FindingKind::unknown;
  f.diagnostic.code = o.obligation.code;
  f.diagnostic.message = headline(o.obligation, step != nullptr ? step->op : std::string());
  f.diagnostic.help = o.obligation.hint;
  if (step != nullptr) {
    f.diagnostic.where = step->where;
    f.diagnostic.file = places.schedule_file;
  } else {
    f.diagnostic.file = places.program_file;
    if (o.obligation.witness) f.diagnostic.where = o.obligation.witness->first.where;
  }
  if (o.obligation.witness && step != nullptr) add_witness(f, *o.obligation.witness, places);
  if (o.obligation.witness && step == nullptr && has_second(*o.obligation.witness))
    add_witness(f, *o.obligation.witness, places);
  f.remarks.push_back(fmt::format("claim {} ({}): {}", o.id, o.obligation.kind, o.obligation.claim));
  if (o.obligation.witness && !o.obligation.witness->parameters.empty())
    f.remarks.push_back((open ? "candidate at " : "witness at ") + text(o.obligation.witness->parameters));
  if (open)
    f.remarks.push_back(fmt::format("{}: {}", o.obligation.engine.empty() ? "no engine" : o.obligation.engine,
                                    o.obligation.reason.empty() ? "no answer" : o.obligation.reason));
  if (o.obligation.witness && has_second(*o.obligation.witness) && o.obligation.kind == "dependence-order") {
    f.remarks.emplace_back("before: (1) then (2)      after: (2) then (1)");
  }
  if (seen) f.remarks.push_back("replayed on " + observation_text(*seen));
  return f;
}

Finding observation_finding(const Observation& seen, const ObligationReport* foretold, const Places& places) {
  Finding f;
  f.kind = FindingKind::error;
  f.diagnostic.file = places.program_file;
  if (seen.kind == Observation::Kind::race) {
    const interp::Race& r = *seen.race;
    f.diagnostic.code = between_threads(r) ? "RACE-2" : "RACE-1";
    const std::string cell = cell_text(r.buffer, r.cell);
    f.diagnostic.message = between_threads(r)
                               ? fmt::format("two threads of a group use {} without a barrier between them", cell)
                               : fmt::format("two iterations that nothing orders use {}", cell);
    f.diagnostic.where = r.first.where;
    const auto label = [&](const interp::Instance& at, bool writes, std::string_view number) {
      f.labels.push_back({places.program_file, at.where,
                          fmt::format("{} {} {} at {}", number, writes ? "writes" : "reads",
                                      cell_text(r.buffer, r.cell), text(at.iteration))});
    };
    label(r.first, r.first_writes, "(1)");
    label(r.second, r.second_writes, "(2)");
  } else if (seen.kind == Observation::Kind::fault) {
    f.diagnostic.code = seen.fault->code;
    f.diagnostic.message = seen.fault->message;
    f.diagnostic.where = seen.fault->access.known() ? seen.fault->access : seen.fault->at.where;
    if (!seen.fault->at.iteration.empty()) f.remarks.push_back("in the iteration " + text(seen.fault->at.iteration));
  } else {
    f.diagnostic.code = "TURN-3";
    f.diagnostic.message = fmt::format("the turns of the threads change {}", cell_text(seen.buffer, seen.cell));
  }
  if (foretold != nullptr) {
    if (!foretold->obligation.code.empty()) f.diagnostic.code = foretold->obligation.code;
    f.diagnostic.help = foretold->obligation.hint;
    f.remarks.push_back(fmt::format("claim {} ({}) does not hold: {}", foretold->id, foretold->obligation.kind,
                                    foretold->obligation.claim));
  }
  f.remarks.push_back("observed on " + observation_text(seen, "canonically", "then"));
  return f;
}

std::string domain_text(const Program& p) {
  if (p.parameters.empty()) return "every input";
  std::vector<std::string> ranges;
  for (const Parameter& q : p.parameters) {
    ranges.push_back(q.hi - q.lo == 1 ? fmt::format("{} = {}", q.name, q.lo)
                                      : fmt::format("every {} in {}..{}", q.name, q.lo, q.hi));
  }
  return fmt::format("every input and {}{}", join(ranges),
                     p.requirements.empty() ? "" : " that meets the requirements");
}

std::string sizes_text(const std::vector<ParameterMap>& sizes, std::size_t most) {
  if (sizes.empty() || sizes.front().empty()) return {};
  std::vector<std::string> names, parts;
  for (const auto& [symbol, value] : sizes.front()) names.push_back(symbol);
  // When there are too many: the first ones and the last.
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes.size() > most && i + 1 >= most && i + 1 != sizes.size()) {
      if (i + 1 == most) parts.push_back(fmt::format("... {} more ...", sizes.size() - most));
      continue;
    }
    std::vector<std::string> values;
    for (const auto& [symbol, value] : sizes[i]) values.push_back(std::to_string(value));
    parts.push_back(values.size() == 1 ? values.front() : "(" + join(values) + ")");
  }
  return fmt::format("{} = {}", names.size() == 1 ? names.front() : "(" + join(names) + ")", join(parts));
}

std::string cases_text(const Comparison& c) {
  std::vector<std::string> kinds;
  for (InputChoice::Kind k : c.kinds) kinds.emplace_back(name(k));
  std::vector<ParameterMap> sizes = c.sizes;
  const std::string at = sizes_text(sizes);
  return fmt::format("{}{}{}", count(c.cases, "input"),
                     kinds.empty() ? std::string() : fmt::format(" ({})", join(kinds)),
                     at.empty() ? std::string() : " at " + at);
}

}  // namespace assay::oracle
