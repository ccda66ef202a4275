// One word or key per declared parameter. The line is built as the parser would build it from its text.
#include "fuzz/generators/random_line.hpp"

#include <algorithm>

#include "ir/traverse.hpp"

namespace assay::fuzz {
namespace {

std::vector<Stmt> all_loops(const Program& p) {
  std::vector<Stmt> loops;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) loops.push_back(s);
    return true;
  };
  visit(p.body, v);
  return loops;
}

}  // namespace

ScheduleLine random_line(interp::Random& random, const Program& p, std::string_view operation) {
  std::vector<OperationEntry> all;  // those that move values have lines of their own (random_flow_line)
  std::copy_if(operations().begin(), operations().end(), std::back_inserter(all),
               [](const OperationEntry& e) { return e.declaration.schema.front() != 'F'; });
  const OperationEntry* entry = operation.empty() ? &all[random.below(all.size())] : find_operation(operation);
  // Operations with a question of legality (two loops, a choice) more often than those that are always right.
  const auto risky = [](const OperationEntry& e) {
    int loop_operands = 0;
    bool choice = false;
    for (const ParameterInfo& i : e.declaration.parameters) {
      loop_operands += i.kind == ParameterInfo::Kind::loop ? 1 : 0;
      choice |= i.kind == ParameterInfo::Kind::choice;
    }
    return loop_operands > 1 || choice;
  };
  for (int k = 0; k < 2 && operation.empty() && !risky(*entry); ++k) entry = &all[random.below(all.size())];
  const std::vector<Stmt> loops = all_loops(p);
  ScheduleLine line;
  line.op = entry->declaration.name;
  line.text = line.op;
  const auto word = [&](std::string text) { return ScheduleWord{std::move(text), {1, 1, 1}}; };
  Stmt previous;
  int operands = 0;
  for (const ParameterInfo& info : entry->declaration.parameters)
    operands += info.kind == ParameterInfo::Kind::loop ? 1 : 0;
  const bool two_loops = operands > 1;
  for (const ParameterInfo& info : entry->declaration.parameters) {
    const auto key = [&](const std::string& value) {
      line.keys.push_back({word(info.name), {word(value)}});
      line.text += " " + info.name + "=" + value;
    };
    switch (info.kind) {
      case ParameterInfo::Kind::loop:
      case ParameterInfo::Kind::loops: {
        if (loops.empty()) break;
        Stmt chosen = loops[random.below(loops.size())];
        // A second loop operand is mostly the loop directly inside the first: operations on nests want that.
        if (previous && !previous->body.empty() && previous->body[0]->kind == StmtKind::loop && random.below(8) != 0)
          chosen = previous->body[0];
        else if (!previous && two_loops && random.below(8) != 0) {
          for (const Stmt& l : loops) {
            if (l->body.size() == 1 && l->body[0]->kind == StmtKind::loop &&
                (chosen->body.size() != 1 || random.below(2) == 0))
              chosen = l;
          }
        }
        previous = chosen;
        line.operands.push_back(word(chosen->name));
        line.text += " " + chosen->name;
        break;
      }
      case ParameterInfo::Kind::buffer:
        line.operands.push_back(word(p.buffers[random.below(p.buffers.size())].name));
        line.text += " " + line.operands.back().text;
        break;
      case ParameterInfo::Kind::integer: {
        static constexpr int values[] = {1, 2, 2, 3, 3, 4, 5, 7, 16};
        if (info.required) key(std::to_string(values[random.below(std::size(values))]));
        break;
      }
      case ParameterInfo::Kind::boolean:
        if (random.below(3) != 0) key("true");
        break;
      case ParameterInfo::Kind::choice:
        if (info.required || random.coin()) {
          // Kinds that can be illegal more often than those that always hold.
          static const std::vector<std::string> likely{"grid", "vectorized"};
          const std::string& wanted = likely[random.below(2)];
          const bool offered = std::find(info.choices.begin(), info.choices.end(), wanted) != info.choices.end();
          key(offered && random.coin() ? wanted : info.choices[random.below(info.choices.size())]);
        }
        break;
      case ParameterInfo::Kind::result: break;
    }
  }
  return line;
}

}  // namespace assay::fuzz
