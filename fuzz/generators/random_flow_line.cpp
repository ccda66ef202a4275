// An access is drawn first; then the buffer is its buffer, and the loops are among those around it: for privatize one that
// its index does not use, for stage some that it does. Under threads a tile is mostly a shared one, with the keys for such.
#include "fuzz/generators/random_flow_line.hpp"

#include <algorithm>

#include "ir/traverse.hpp"

namespace assay::fuzz {
namespace {

struct Use {
  Symbol buffer;
  std::vector<Symbol> moving, still;  // loops around it, by whether the index uses them
  bool threads = false;               // one of them is a @workgroup loop
};

// Loads and stores with the loops around them.
std::vector<Use> all_uses(const Program& p, bool stored) {
  std::vector<Use> out;
  std::vector<Symbol> around;
  int threads = 0;
  const auto add = [&](const Symbol& buffer, const std::vector<Expr>& indices) {
    Use u{buffer, {}, {}, threads > 0};
    for (const Symbol& s : around) {
      const bool moves = std::any_of(indices.begin(), indices.end(),
                                     [&](const Expr& e) { return e->op == Op::index && e->index.mentions(s); });
      (moves ? u.moving : u.still).push_back(s);
    }
    out.push_back(std::move(u));
  };
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) around.push_back(s->name);
    threads += s->kind == StmtKind::loop && s->axis == Axis::workgroup ? 1 : 0;
    if (s->kind == StmtKind::store && stored) add(s->name, s->indices);
    return true;
  };
  v.leave_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) around.pop_back();
    threads -= s->kind == StmtKind::loop && s->axis == Axis::workgroup ? 1 : 0;
  };
  v.enter_expr = [&](const Expr& e) {
    if (e->op == Op::load && !stored) add(e->name, e->args);
    return true;
  };
  visit(p.body, v);
  return out;
}

// What else a line of `stage` says about its tile.
std::vector<std::pair<std::string, std::string>> tile_keys(interp::Random& random, bool threads) {
  const auto one_in = [&](std::uint64_t n) { return random.below(n) == 0; };
  const auto one_of = [&](std::vector<std::string> values) { return values[random.below(values.size())]; };
  std::vector<std::pair<std::string, std::string>> keys;
  const std::uint64_t kind = random.below(10);
  if (threads ? kind == 0 : kind < 3) keys.emplace_back("hoisted", "true");
  const bool shared = threads ? kind > 2 : kind == 3;
  if (shared) keys.emplace_back("shared", "true");
  if (shared && one_in(threads ? 4 : 1)) keys.emplace_back("cooperative", one_of({"2", "3", "4", "8"}));
  if (shared && one_in(3)) keys.emplace_back("swizzle", one_of({"elem", "b128"}));
  if (shared && one_in(3)) keys.emplace_back("pipeline", "2");
  if (one_in(shared ? 3 : 10)) keys.emplace_back("pad_stride", one_of({"2", "3", "4", "8"}));
  return keys;
}

}  // namespace

ScheduleLine random_flow_line(interp::Random& random, const Program& p, std::string_view operation) {
  const bool stage = operation == "stage";
  std::vector<Use> uses = all_uses(p, !stage);
  const auto fits = [&](const Use& u) { return !(stage ? u.moving : u.still).empty(); };
  if (random.below(10) != 0) {
    std::vector<Use> fitting;
    std::copy_if(uses.begin(), uses.end(), std::back_inserter(fitting), fits);
    if (!fitting.empty()) uses = fitting;
  }
  ScheduleLine line;
  line.op = std::string(operation);
  const auto word = [](std::string text) { return ScheduleWord{std::move(text), {1, 1, 1}}; };
  Use use = uses.empty() ? Use{p.buffers[0].name, {}, {}, false} : uses[random.below(uses.size())];
  std::vector<Symbol> loops = stage ? use.moving : use.still;
  if (loops.empty()) loops = stage ? use.still : use.moving;
  line.operands.push_back(word(use.buffer));
  line.text = line.op + " " + use.buffer;
  std::vector<ScheduleWord> over;
  const std::size_t count = stage ? 1 + random.below(2) : 1;
  for (std::size_t k = 0; k < count && !loops.empty(); ++k) {
    const std::size_t chosen = random.below(loops.size());
    over.push_back(word(loops[chosen]));
    line.text += (k == 0 ? " over=" : ",") + loops[chosen];
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  if (!over.empty()) line.keys.emplace_back(word("over"), over);
  if (stage) {
    for (const auto& [key, value] : tile_keys(random, use.threads)) {
      line.keys.push_back({word(key), {word(value)}});
      line.text += " " + key + "=" + value;
    }
  }
  const auto flag = [&](const std::string& key) {
    line.keys.push_back({word(key), {word("true")}});
    line.text += " " + key;
  };
  if (!stage && use.threads && random.below(2) == 0) flag("shared");
  if (random.below(6) == 0) {
    static constexpr const char* types[] = {"f32", "f64", "i32", "i64"};
    const std::string type = types[random.below(stage ? 4 : 2)];
    line.keys.push_back({word("precision"), {word(type)}});
    line.text += " precision=" + type;
    if (!stage && random.below(2) == 0) flag("products");
  }
  return line;
}

}  // namespace assay::fuzz
