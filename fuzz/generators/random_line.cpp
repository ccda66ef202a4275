// One word or key per declared parameter. The line is built as the parser would build it from its text.
#include "fuzz/generators/random_line.hpp"

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
  const auto& all = operations();
  const OperationEntry* entry = operation.empty() ? &all[random.below(all.size())] : find_operation(operation);
  const std::vector<Stmt> loops = all_loops(p);
  ScheduleLine line;
  line.op = entry->declaration.name;
  line.text = line.op;
  const auto word = [&](std::string text) { return ScheduleWord{std::move(text), {1, 1, 1}}; };
  Stmt previous;
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
        if (previous && !previous->body.empty() && previous->body[0]->kind == StmtKind::loop && random.below(8) != 0) chosen = previous->body[0];
        else if (!previous && random.below(2) == 0) {
          for (const Stmt& l : loops) {
            if (l->body.size() == 1 && l->body[0]->kind == StmtKind::loop && random.below(2) == 0) chosen = l;
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
        if (random.coin()) key("true");
        break;
      case ParameterInfo::Kind::choice:
        if (info.required || random.coin()) key(info.choices[random.below(info.choices.size())]);
        break;
      case ParameterInfo::Kind::result: break;
    }
  }
  return line;
}

}  // namespace assay::fuzz
