// Laying out two threads side by side.
#include "oracle/thread_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/analysis/launch.hpp"
#include "ir/text/source.hpp"
#include "ir/traverse.hpp"

namespace assay::oracle {
namespace {

constexpr std::size_t widest_statement = 56;
constexpr std::size_t widest_column = 34;

/// An `if` by its preorder number.
struct Condition {
  int number = -1;
  Stmt statement{};
};
/// A statement, and the loops and conditions around it, outermost first.
struct Found {
  Stmt statement{};
  std::vector<Stmt> loops{};
  std::vector<Condition> conditions{};
};

Found find(const Program& p, int number) {
  Found out;
  std::vector<Stmt> around;
  std::vector<Condition> conditions;
  int next = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    const int own = next++;
    if (own == number) {
      out.statement = s;
      out.loops = around;
      out.conditions = conditions;
    }
    if (s->kind == StmtKind::loop) around.push_back(s);
    if (s->kind == StmtKind::branch) conditions.push_back({own, s});
    return true;
  };
  v.leave_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) around.pop_back();
    if (s->kind == StmtKind::branch) conditions.pop_back();
  };
  visit(p.body, v);
  return out;
}

const char* dimension(std::size_t slot) { return slot == 0 ? ".x" : slot == 1 ? ".y" : ".z"; }

/// The loop of a slot around a statement, or nothing.
Stmt loop_of(const Found& f, const std::map<const StmtNode*, int>& slots, bool grid, std::size_t slot) {
  for (const Stmt& l : f.loops) {
    const auto of = slots.find(&*l);
    if (of != slots.end() && of->second == static_cast<int>(slot) && (l->axis == Axis::grid) == grid) return l;
  }
  return {};
}

std::string in_slot(const Stmt& loop, const interp::Focus::Point& p, std::int64_t coordinate) {
  if (!loop) return std::to_string(coordinate);
  const auto v = interp::value_of(p, loop->name);
  if (!v || *v == coordinate || loop->axis == Axis::tile) return std::to_string(coordinate);
  return fmt::format("{} (index {})", *v, coordinate);
}

void add_slots(ThreadPair& out, const Program& p, const interp::Focus& focus, const std::array<Found, 2>& found,
               bool grid) {
  const std::map<const StmtNode*, int> slots = hardware_slots(p);
  const auto& a = grid ? focus.points[0].group : focus.points[0].thread;
  const auto& b = grid ? focus.points[1].group : focus.points[1].thread;
  for (std::size_t slot = std::max(a.size(), b.size()); slot-- > 0;) {
    const std::int64_t x = slot < a.size() ? a[slot] : 0, y = slot < b.size() ? b[slot] : 0;
    const Stmt first = loop_of(found[0], slots, grid, slot), second = loop_of(found[1], slots, grid, slot);
    if (!first && !second && x == 0 && y == 0) continue;
    std::string names = first ? first->name : second ? second->name : std::string();
    if (first && second && first->name != second->name) names += " / " + second->name;
    const std::string kind = grid ? "grid slot" : "slot";
    const std::string place = fmt::format("{} {}, {}", kind, slot, dimension(slot));
    out.rows.push_back({names.empty() ? place : fmt::format("{} ({})", names, place),
                        in_slot(first, focus.points[0], x),
                        in_slot(second, focus.points[1], y),
                        {}});
  }
}

/// Loops without a slot on the way to either statement.
void add_serial_loops(ThreadPair& out, const Program& p, const interp::Focus& focus,
                      const std::array<Found, 2>& found) {
  const std::map<const StmtNode*, int> slots = hardware_slots(p);
  std::vector<Symbol> names;
  for (const Found& f : found) {
    for (const Stmt& l : f.loops) {
      if (slots.count(&*l) == 0 && std::find(names.begin(), names.end(), l->name) == names.end())
        names.push_back(l->name);
    }
  }
  for (const Symbol& name : names) {
    const auto column = [&](std::size_t k) {
      const auto v = interp::value_of(focus.points[k], name);
      return v ? std::to_string(*v) : std::string();
    };
    out.rows.push_back({name, column(0), column(1), {}});
  }
}

ThreadPair::Side side(const interp::Focus::Point& p, const Found& f) {
  ThreadPair::Side out;
  out.group = p.group;
  out.thread = p.thread;
  out.iteration = p.iteration;
  out.statement = p.statement;
  if (f.statement) out.where = f.statement->where;
  return out;
}

std::string shortened(std::string out) {
  const std::size_t begin = out.find_first_not_of(" \n");
  out = begin == std::string::npos ? std::string() : out.substr(begin, out.find('\n', begin) - begin);
  if (out.size() > 2 && out.substr(out.size() - 2) == " {") out.resize(out.size() - 2);
  if (out.size() > widest_statement) out.replace(widest_statement - 4, std::string::npos, " ...");
  return out;
}

std::string statement_text(const Program& p, int number) {
  const Found f = find(p, number);
  return f.statement ? shortened(print(f.statement, -1)) : std::string();
}

/// The `if` statements around both or either, in the order of the text, each once.
std::vector<Condition> conditions_around(const Program& p, int one, int other) {
  std::vector<Condition> out;
  for (const int number : {one, other}) {
    for (const Condition& c : find(p, number).conditions) {
      if (std::none_of(out.begin(), out.end(), [&](const Condition& d) { return d.number == c.number; }))
        out.push_back(c);
    }
  }
  std::sort(out.begin(), out.end(), [](const Condition& a, const Condition& b) { return a.number < b.number; });
  return out;
}

/// What a condition says of a thread that executes a statement in one of its arms; nothing where it stands in none.
std::string said_of(const Condition& c, int number) {
  int next = c.number + 1;
  Visitor v;
  v.enter_stmt = [&](const Stmt&) {
    ++next;
    return true;
  };
  visit(c.statement->value, v);
  const int first = next;
  visit(c.statement->body, v);
  const int second = next;
  visit(c.statement->other, v);
  if (number < first || number >= next) return {};
  return number < second ? "holds" : "does not hold";
}

}  // namespace

Stmt find_statement(const Program& p, int number) { return find(p, number).statement; }

ThreadPair thread_pair(const Program& p, const interp::Focus& focus) {
  const std::array<Found, 2> found{find(p, focus.points[0].statement), find(p, focus.points[1].statement)};
  ThreadPair out;
  out.a = side(focus.points[0], found[0]);
  out.b = side(focus.points[1], found[1]);
  add_slots(out, p, focus, found, true);
  add_slots(out, p, focus, found, false);
  add_serial_loops(out, p, focus, found);
  return out;
}

void add_statement_rows(ThreadPair& pair, const Program& p) {
  const auto label = [&](const ThreadPair::Side& s) {
    if (!s.where.known()) return fmt::format("statement {}", s.statement);
    return fmt::format("{}line {}", pair.of_new_program ? "from " : "", s.where.line);
  };
  for (const Condition& c : conditions_around(p, pair.a.statement, pair.b.statement)) {
    const Location where = c.statement->where;
    pair.rows.push_back(
        {where.known() ? fmt::format("{}line {}", pair.of_new_program ? "from " : "", where.line) : std::string(),
         said_of(c, pair.a.statement), said_of(c, pair.b.statement), shortened(print(c.statement, -1))});
  }
  if (pair.a.statement == pair.b.statement) {
    pair.rows.push_back({label(pair.a), pair.a.does, pair.b.does, statement_text(p, pair.a.statement)});
    return;
  }
  const ThreadPair::Row a{label(pair.a), pair.a.does, {}, statement_text(p, pair.a.statement)};
  const ThreadPair::Row b{label(pair.b), {}, pair.b.does, statement_text(p, pair.b.statement)};
  const bool ordered = pair.a.statement < pair.b.statement;
  pair.rows.push_back(ordered ? a : b);
  pair.rows.push_back(ordered ? b : a);
}

std::string text(const interp::BarrierPass& barrier) {
  std::string out = barrier.where.known() ? fmt::format("line {}", barrier.where.line)
                                          : fmt::format("statement {}", barrier.statement);
  if (!barrier.iteration.empty()) out += fmt::format(" ({})", text(barrier.iteration));
  return out;
}

void add_interval_row(ThreadPair& pair, const interp::Seen& seen, bool same_group) {
  if (!same_group) {
    pair.rows.push_back({"interval", "-", "-", "nothing orders the groups of a launch"});
    return;
  }
  const auto column = [&](std::size_t k) {
    const std::uint64_t passed = seen.points[k]->interval;
    if (passed > 0) return fmt::format("after barrier {}", passed);
    return std::string(seen.after[k] ? "before barrier 1" : "no barrier");
  };
  std::string note;
  const std::uint64_t passed = seen.points[0]->interval;
  if (seen.before[0]) note = fmt::format("barrier {}: {}", passed, text(*seen.before[0]));
  if (seen.after[0])
    note += fmt::format("{}barrier {}: {}", note.empty() ? "" : ", ", passed + 1, text(*seen.after[0]));
  if (note.empty()) note = "the group passes no barrier in this launch";
  pair.rows.push_back({"interval", column(0), column(1), note});
}

void add_interval_row_of_part(ThreadPair& pair, const interp::Seen& seen, bool same_group) {
  if (!same_group) return add_interval_row(pair, seen, same_group);
  std::string note = "no barrier instance lies between";
  if (seen.before[0]) note += ", the last one before: " + text(*seen.before[0]);
  if (seen.after[0]) note += ", the first one after: " + text(*seen.after[0]);
  pair.rows.push_back({"interval", "the same", "the same", note});
}

std::vector<std::string> table_lines(const ThreadPair& pair) {
  std::vector<ThreadPair::Row> rows{{"", "thread A", "thread B", ""}};
  rows.insert(rows.end(), pair.rows.begin(), pair.rows.end());
  std::size_t label = 14, a = 8, b = 8;
  for (const ThreadPair::Row& r : rows) {
    label = std::max(label, r.label.size());
    a = std::max(a, std::min(r.a.size(), widest_column));
    b = std::max(b, std::min(r.b.size(), widest_column));
  }
  std::vector<std::string> out;
  for (const ThreadPair::Row& r : rows)
    out.push_back(fmt::format("   {:<{}}  {:<{}}  {:<{}}  {}", r.label, label, r.a, a, r.b, b, r.note));
  return out;
}

}  // namespace assay::oracle
