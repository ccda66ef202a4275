// A store `X = X ⊕ …` is drawn first, told by its text; then a loop around it, mostly one that its cell does not use.
#include "fuzz/generators/random_accumulation_line.hpp"

#include <algorithm>

#include "ir/traverse.hpp"

namespace assay::fuzz {
namespace {

struct Update {
  Symbol target;
  bool variable;
  std::vector<Symbol> moving, still;  // loops around it, by whether the cell uses them
};

std::vector<Update> all_updates(const Program& p) {
  std::vector<Update> out;
  std::vector<Symbol> around;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) around.push_back(s->name);
    if (s->kind != StmtKind::store && s->kind != StmtKind::assign) return true;
    bool reads_itself = false;
    Visitor loads;
    loads.enter_expr = [&](const Expr& e) {
      reads_itself |= (e->op == Op::load || e->op == Op::variable) && e->name == s->name;
      return true;
    };
    visit(s->value, loads);
    if (!reads_itself) return true;
    Update u{s->name, s->kind == StmtKind::assign, {}, {}};
    for (const Symbol& loop : around) {
      const bool moves = std::any_of(s->indices.begin(), s->indices.end(),
                                     [&](const Expr& e) { return e->op == Op::index && e->index.mentions(loop); });
      (moves ? u.moving : u.still).push_back(loop);
    }
    out.push_back(std::move(u));
    return true;
  };
  v.leave_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) around.pop_back();
  };
  visit(p.body, v);
  return out;
}

}  // namespace

ScheduleLine random_accumulation_line(interp::Random& random, const Program& p, std::string_view operation) {
  const bool lanes = operation == "retype";
  std::vector<Update> updates = all_updates(p);
  updates.erase(std::remove_if(updates.begin(), updates.end(), [&](const Update& u) { return u.variable && !lanes; }),
                updates.end());
  ScheduleLine line;
  line.op = std::string(operation);
  line.text = line.op;
  const auto word = [](std::string text) { return ScheduleWord{std::move(text), {1, 1, 1}}; };
  const auto key = [&](const std::string& name, const std::string& value) {
    line.keys.push_back({word(name), {word(value)}});
    line.text += " " + name + "=" + value;
  };
  const Update u = updates.empty() ? Update{p.buffers[0].name, false, {}, {}} : updates[random.below(updates.size())];
  std::vector<Symbol> loops = u.still.empty() || random.below(8) == 0 ? u.moving : u.still;
  if (loops.empty()) loops = u.still;
  if (!loops.empty()) {
    line.operands.push_back(word(loops[random.below(loops.size())]));
    line.text += " " + line.operands[0].text;
  }
  if (lanes) {
    key("axis", "vectorized");
    key("lanes", std::to_string(1 + random.below(3)));
    if (random.coin()) key("chains", std::to_string(1 + random.below(2)));
  } else {
    key("blocks", std::to_string(2 + random.below(4)));
    key("target", u.target);
  }
  return line;
}

}  // namespace assay::fuzz
