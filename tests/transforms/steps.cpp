// Programs and schedule lines as text, and the checks that every step must pass.
#include "steps.hpp"

#include <fmt/format.h>

#include "proofs/isl/query.hpp"

namespace assay::test {
namespace {

std::string messages(const std::vector<Diagnostic>& ds) {
  std::string out;
  for (const Diagnostic& d : ds) out += fmt::format("{} {}:{} {}\n", d.code, d.where.line, d.where.column, d.message);
  return out;
}

std::string wrapped(const std::string& statements, const std::string& declarations) {
  return "program p {\n  inout A: f32[64]\n  inout B: f32[64, 64]\n  input X: f32[64]\n  input Y: f32[64, 64]\n  input "
         "flag: i32[64]\n  " +
         declarations + "\n" + statements + "\n}\n";
}

}  // namespace

Program program(const std::string& text) {
  auto file = parse_source(text, "test.air");
  if (!file) {
    ADD_FAILURE() << messages(file.error()) << text;
    return {};
  }
  return file->programs.at(0);
}

Program nest(const std::string& statements, const std::string& declarations) {
  return program(wrapped(statements, declarations));
}
std::string body(const Program& p) { return print(p.body, 0); }
std::string printed(const std::string& statements, const std::string& declarations) {
  return body(nest(statements, declarations));
}

ScheduleLine line(const std::string& text) {
  auto file = parse_source(text + "\n", "test.sched");
  if (!file) {
    ADD_FAILURE() << messages(file.error()) << text;
    return {};
  }
  return file->schedules.at(0).lines.at(0);
}

namespace {

// Operations that move values through new storage add statements; those are judged by terms (fuzz/targets/flow_property).
// Barriers are no executions (PLL-12), but are in the list that is compared.
bool moves_values(const std::string& operation) {
  const OperationEntry* entry = find_operation(operation);
  return entry != nullptr && ((entry->declaration.schema.front() != 'R' && entry->declaration.schema.front() != 'K') ||
                              operation == "elide_barriers");
}

void check(const Program& before, const Program& after, const std::string& operation, bool same_order,
           const std::string& what) {
  EXPECT_EQ("", messages(check_well_formed(after))) << what << "\n" << print(after);
  auto again = parse_source(print(after), "after.air");
  EXPECT_TRUE(again && again->programs.at(0) == after) << what << ": what was printed does not parse back\n"
                                                       << print(after);
  SCOPED_TRACE(what + "\n" + print(before) + print(after));
  if (!moves_values(operation)) {
    RULE_EQ("SCH-16", std::string(), difference(before, after, same_order));
  }
}

}  // namespace

Step step(const Program& before, const std::string& schedule_line, bool same_order) {
  EnumeratingQuery query;
  StepResult r = apply_line(before, line(schedule_line), query);
  if (!r) return {std::nullopt, r.error().diagnostic.code, r.error().kind == Refusal::Kind::error, r.error()};
  check(before, r->program, line(schedule_line).op, same_order, schedule_line);
  return {std::move(r->program), {}, false, {}};
}

Program fold(const Program& before) {
  EnumeratingQuery query;
  Program once = fold_guards(before, query).program;
  check(before, once, "fold", true, "folding");
  RULE_EQ("FOLD-8", print(once), print(fold_guards(once, query).program));
  // What an engine knows, the enumeration knows, and the other way round.
  const auto isl = make_isl_query();
  EXPECT_EQ(print(once), print(fold_guards(before, *isl).program));
  return once;
}

Program run(const Program& before, const std::vector<std::string>& lines, bool same_order) {
  Program p = before;
  for (const std::string& l : lines) {
    Step s = step(p, l, same_order);
    if (!s.after) {
      ADD_FAILURE() << l << ": " << s.code << " " << s.refusal.diagnostic.message;
      return p;
    }
    p = fold(*s.after);
  }
  return p;
}

int count(const Program& p, StmtKind kind) {
  int n = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    n += s->kind == kind ? 1 : 0;
    return true;
  };
  visit(p.body, v);
  return n;
}

Axis axis_of(const Program& p, const Symbol& loop) { return find_loops(p, loop).at(0)->axis; }

}  // namespace assay::test
