// Provenance written into a parsed program.
#include "claimed_pairs.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "ir/traverse.hpp"
#include "proofs/isl/query.hpp"
#include "tests/support/programs.hpp"

namespace assay {
namespace {

// The new program's statements, in preorder, come from these statements of the old one, at the same iteration of loops of
// the same name (or at `at`); −1 is a new statement.
Program claimed(const Program& before, const Program& after, const std::vector<int>& sources,
                const std::map<Symbol, Index>& at) {
  std::vector<std::map<Symbol, Index>> loops;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    loops.push_back(s->provenance->to_source);
    return true;
  };
  visit(before.body, v);
  // `rewrite` goes bottom-up: numbers are looked up by node.
  std::map<const StmtNode*, int> number;
  int next = 0;
  Visitor w;
  w.enter_stmt = [&](const Stmt& s) {
    number[&*s] = next++;
    return true;
  };
  visit(after.body, w);
  EXPECT_EQ(sources.size(), static_cast<std::size_t>(next)) << print(after);
  std::function<Block(const Block&)> block;
  std::function<Expr(const Expr&)> expression = [&](const Expr& e) {  // scopes hold statements
    if (!e || (e->args.empty() && e->op != Op::scope)) return e;
    return with(e, [&](ExprNode& n) {
      n.body = block(e->body);
      for (Expr& a : n.args) a = expression(a);
    });
  };
  block = [&](const Block& b) {
    Block out;
    for (const Stmt& s : b) {
      out.push_back(with(s, [&](StmtNode& n) {
        const int source = sources.at(static_cast<std::size_t>(number.at(&*s)));
        n.body = block(s->body);
        n.other = block(s->other);
        n.value = expression(s->value);
        n.provenance = nullptr;
        if (source < 0) return;
        Provenance p{source, loops.at(static_cast<std::size_t>(source))};
        for (auto& [symbol, value] : p.to_source) {
          if (const auto it = at.find(symbol); it != at.end()) value = it->second;
        }
        std::erase_if(p.to_source, [](const auto& known) { return known.second == unsaid; });
        n.provenance = std::make_shared<const Provenance>(std::move(p));
      }));
    }
    return out;
  };
  Program out = after;
  out.body = block(after.body);
  return out;
}

}  // namespace

Judged judge(const std::string& before, const std::string& after, const std::vector<int>& sources,
             const std::map<Symbol, Index>& at, std::uint64_t budget) {
  const auto query = make_isl_query(budget);
  const Program p = number_statements(test::program("program p { " + before + " }"));
  const Program q = claimed(p, test::program("program p { " + after + " }"), sources, at);
  return {validate(p, q, *query)};
}

}  // namespace assay
