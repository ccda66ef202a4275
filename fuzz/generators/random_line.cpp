// One word or key per declared parameter. The line is built as the parser would build it from its text.
#include "fuzz/generators/random_line.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "ir/tile_product.hpp"
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

// A few increasing numbers around the range of the loop.
std::vector<std::string> cut_values(interp::Random& random, const Stmt& loop) {
  const bool constant = loop && loop->lo.is_constant() && loop->hi.is_constant();
  const std::int64_t lo = constant ? loop->lo.constant() : 0;
  const std::int64_t hi = constant ? std::max(loop->hi.constant(), lo + 1) : 6;
  std::set<std::int64_t> values;
  for (std::uint64_t k = 1 + random.below(2); k > 0; --k)
    values.insert(lo + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(hi - lo + 1))));
  std::vector<std::string> out;
  for (std::int64_t v : values) out.push_back(std::to_string(v));
  return out;
}

// The buffers that some `zero` names.
std::vector<Symbol> zeroed(const Program& p) {
  std::vector<Symbol> found;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::zero) found.push_back(s->name);
    return true;
  };
  visit(p.body, v);
  return found;
}

// The buffers that a top-level statement behind the last store reads.
std::vector<Symbol> read_last(const Program& p) {
  std::map<Symbol, int> stored, read;
  int position = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::store) stored[s->name] = position;
    return true;
  };
  v.enter_expr = [&](const Expr& e) {
    if (e->op == Op::load) read[e->name] = position;
    return true;
  };
  for (const Stmt& top : p.body) {
    visit(top, v);
    ++position;
  }
  std::vector<Symbol> found;
  for (const auto& [name, at] : stored) {
    if (read.count(name) != 0 && read.at(name) > at) found.push_back(name);
  }
  return found;
}

// The loops of some tile product that is still to be made, by role: row, column, sum.
std::vector<Stmt> product_loops(const std::vector<Stmt>& loops) {
  for (const Stmt& l : loops) {
    if (l->axis == Axis::tile) return {};  // what stands inside is made
    if (const auto product = tile_product({l}, {})) return {product->row, product->column, product->sum};
  }
  return {};
}

}  // namespace

ScheduleLine random_line(interp::Random& random, const Program& p, std::string_view operation) {
  // Those that move values, rewrite expressions or accumulate through partial results have lines of their own.
  std::vector<OperationEntry> all;
  std::copy_if(operations().begin(), operations().end(), std::back_inserter(all), [](const OperationEntry& e) {
    const char schema = e.declaration.schema.front();
    // Random programs have no barriers; random_phases and random_threads do.
    return schema != 'F' && schema != 'A' && schema != 'W' && e.declaration.name != "elide_barriers";
  });
  const OperationEntry* entry = operation.empty() ? &all[random.below(all.size())] : find_operation(operation);
  // Operations that can change a value more often than those that are always exact.
  const auto risky = [](const OperationEntry& e) { return e.declaration.greatest != Licence::exact; };
  for (int k = 0; k < 6 && operation.empty() && !risky(*entry); ++k) entry = &all[random.below(all.size())];
  const std::vector<Stmt> loops = all_loops(p);
  // Several loop operands are mostly loops each directly inside the one before: operations on nests want that.
  const auto held = [](const Stmt& loop) -> Stmt {
    Stmt s = loop;
    while (s->body.size() == 1) {
      s = s->body[0];
      if (s->kind == StmtKind::loop) return s;
    }
    return {};
  };
  const auto depth = [&](Stmt loop) {
    int n = 0;
    for (; loop; loop = held(loop)) ++n;
    return n;
  };
  const auto loop_operands = [](const OperationEntry& e) {
    const auto& all_of_them = e.declaration.parameters;
    return static_cast<int>(std::count_if(all_of_them.begin(), all_of_them.end(), [](const ParameterInfo& info) {
      return info.kind == ParameterInfo::Kind::loop;
    }));
  };
  int deepest = 0;
  for (const Stmt& l : loops) deepest = std::max(deepest, l->axis == Axis::tile ? 0 : depth(l));
  // Some operations ask for more than most programs have: elsewhere nothing but a refusal would come of them.
  const std::vector<Stmt> product = product_loops(loops);
  const std::vector<Symbol> followed = read_last(p);
  const auto takes_product = [](const OperationEntry& e) { return e.declaration.name == "tensorize"; };
  const auto takes_tail = [](const OperationEntry& e) { return e.declaration.name == "fuse_epilogue"; };
  const auto pointless = [&](const OperationEntry& e) {
    return (takes_product(e) && product.empty()) || (takes_tail(e) && followed.empty()) || deepest < loop_operands(e);
  };
  // Where they have it, they are asked for more often.
  if (operation.empty() && !(product.empty() && followed.empty()) && random.below(2) == 0)
    entry = find_operation(product.empty() || (!followed.empty() && random.coin()) ? "fuse_epilogue" : "tensorize");
  while (operation.empty() && pointless(*entry) && random.below(8) != 0) entry = &all[random.below(all.size())];
  const bool by_role = takes_product(*entry) && !product.empty() && random.below(8) != 0;
  ScheduleLine line;
  line.op = entry->declaration.name;
  line.text = line.op;
  const auto word = [&](std::string text) { return ScheduleWord{std::move(text), {1, 1, 1}}; };
  Stmt previous;
  const int operands = loop_operands(*entry);
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
        if (previous && held(previous) && random.below(8) != 0)
          chosen = held(previous);
        else if (!previous && operands > 1 && random.below(8) != 0) {
          std::vector<Stmt> nests;
          for (const Stmt& l : loops) {
            if (l->axis != Axis::tile && depth(l) >= operands) nests.push_back(l);
          }
          if (!nests.empty()) chosen = nests[random.below(nests.size())];
        }
        if (by_role && line.operands.size() < product.size()) chosen = product[line.operands.size()];
        previous = chosen;
        line.operands.push_back(word(chosen->name));
        line.text += " " + chosen->name;
        break;
      }
      case ParameterInfo::Kind::storage:
      case ParameterInfo::Kind::names:
      case ParameterInfo::Kind::value: break;  // accumulations and rewritten values have lines of their own
      case ParameterInfo::Kind::buffer: {
        const std::vector<Symbol> likely = takes_tail(*entry) ? followed : zeroed(p);
        line.operands.push_back(word(likely.empty() || random.below(4) == 0
                                         ? p.buffers[random.below(p.buffers.size())].name
                                         : likely[random.below(likely.size())]));
        line.text += " " + line.operands.back().text;
        break;
      }
      case ParameterInfo::Kind::integer: {
        static constexpr int values[] = {0, 1, 2, 2, 3, 3, 4, 5, 7, 16};
        const bool counts = info.counts == ParameterInfo::Counts::statements && !p.body.empty() && random.below(4) != 0;
        if (info.required)
          key(std::to_string(counts ? static_cast<int>(1 + random.below(p.body.size()))
                                    : values[random.below(std::size(values))]));
        break;
      }
      case ParameterInfo::Kind::integers: {
        if (!info.choices.empty() && random.below(3) == 0) {
          key(info.choices[random.below(info.choices.size())]);
          break;
        }
        // A list that a line can do without is of a number for each loop that it names.
        if (!info.required && random.below(3) == 0) break;
        std::vector<std::string> values = cut_values(random, previous);
        if (!info.required) {
          values.clear();
          for (std::size_t k = 0; k < line.operands.size(); ++k) values.push_back(std::to_string(1 + random.below(4)));
          if (!values.empty() && random.below(12) == 0) values.pop_back();
        }
        if (values.empty()) break;
        std::vector<ScheduleWord> words;
        for (const std::string& v : values) {
          words.push_back(word(v));
          line.text += (words.size() == 1 ? " " + info.name + "=" : ",") + v;
        }
        line.keys.emplace_back(word(info.name), std::move(words));
        break;
      }
      case ParameterInfo::Kind::boolean:
        // Of a flag that is not built yet nothing but an error would come.
        if (info.help == "not built yet" ? random.below(12) == 0 : random.below(3) != 0) key("true");
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
      case ParameterInfo::Kind::result:
      case ParameterInfo::Kind::results: break;
    }
  }
  return line;
}

}  // namespace assay::fuzz
