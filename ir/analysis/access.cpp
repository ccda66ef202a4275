// A single walk in evaluation order. Expressions contribute accesses to the node of their statement; a scope's statements
// become nodes of their own, placed before the statement that holds the scope.
#include "ir/analysis/access.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "ir/reads.hpp"
#include "ir/traverse.hpp"

namespace assay {

const Access* Node::store() const {
  for (const Access& a : accesses) {
    if (a.writes) return &a;
  }
  return nullptr;
}

const Node* Extraction::find(int statement) const {
  const auto at = std::lower_bound(nodes.begin(), nodes.end(), statement,
                                   [](const Node& n, int number) { return n.statement < number; });
  return at != nodes.end() && at->statement == statement ? &*at : nullptr;
}

namespace {

constexpr int own_event = std::numeric_limits<int>::max();  // after every scope of the statement
constexpr int condition_event = -1;                         // of an `if`: before its arms 0 and 1, after its scopes

class Extractor {
 public:
  explicit Extractor(const Program& p) : program_(p) {}

  Extraction run() {
    block(program_.body);
    std::stable_sort(out_.nodes.begin(), out_.nodes.end(),
                     [](const Node& a, const Node& b) { return a.statement < b.statement; });
    return std::move(out_);
  }

 private:
  struct Place {
    std::vector<Stmt> loops;
    std::vector<PathStep> path;
    std::vector<Guard> guards;
  };

  void block(const Block& b) {
    int position = 0;
    for (const Stmt& s : b) {
      place_.path.push_back({false, position++});
      statement(s);
      place_.path.pop_back();
    }
  }

  void statement(const Stmt& s) {
    const int number = next_++;
    if (s->kind == StmtKind::loop) {
      place_.path.push_back({true, static_cast<int>(place_.loops.size())});
      place_.loops.push_back(s);
      block(s->body);
      place_.loops.pop_back();
      place_.path.pop_back();
      return;
    }
    Node node;
    node.statement = number;
    node.stmt = s;
    node.loops = place_.loops;
    node.guards = place_.guards;
    node.path = place_.path;
    const bool branch = s->kind == StmtKind::branch;
    node.path.push_back({false, branch ? condition_event : own_event});

    // The statement's own expressions; `scopes_` counts their scopes so that these get increasing positions.
    const int outer_scopes = scopes_;
    const int outer_statement = statement_;
    scopes_ = branch ? std::numeric_limits<int>::min() : 0;
    statement_ = number;
    std::vector<Guard> expression_guards;
    for (const Expr& e : s->indices) expression(e, node, expression_guards);
    if (s->value) expression(s->value, node, expression_guards);
    scopes_ = outer_scopes;
    statement_ = outer_statement;

    switch (s->kind) {
      case StmtKind::store: node.accesses.push_back({s->name, false, true, false, s->indices, {}, s->where}); break;
      case StmtKind::zero: node.accesses.push_back({s->name, false, true, true, {}, {}, s->where}); break;
      case StmtKind::assign: node.accesses.push_back({s->name, true, true, false, {}, {}, s->where}); break;
      case StmtKind::declare:
        out_.variables[s->name] = {s->type, static_cast<int>(place_.loops.size()), number, false, place_.loops};
        if (s->value) node.accesses.push_back({s->name, true, true, false, {}, {}, s->where});
        break;
      default: break;
    }
    out_.nodes.push_back(std::move(node));

    if (branch) {
      arm(s->value, true, number, 0, s->body);
      arm(s->value, false, number, 1, s->other);
    }
  }

  void arm(const Expr& condition, bool positive, int number, int position, const Block& body) {
    const std::size_t before = place_.guards.size();
    add_guard(place_.guards, condition, positive, number);
    place_.path.push_back({false, position});
    block(body);
    place_.path.pop_back();
    place_.guards.resize(before);
  }

  // Conjunctions (and negated disjunctions) are split into their parts.
  void add_guard(std::vector<Guard>& into, const Expr& condition, bool positive, int number) {
    if (condition->op == Op::lnot) {
      add_guard(into, condition->args[0], !positive, number);
    } else if (condition->op == (positive ? Op::land : Op::lor)) {
      add_guard(into, condition->args[0], positive, number);
      add_guard(into, condition->args[1], positive, number);
    } else {
      into.push_back(
          {condition, positive, number, static_cast<int>(place_.loops.size()), number < 0 ? statement_ : -1});
    }
  }

  void guarded(const Expr& e, Node& node, std::vector<Guard>& guards, const Expr& condition, bool positive) {
    const std::size_t before = guards.size();
    add_guard(guards, condition, positive, -1);
    expression(e, node, guards);
    guards.resize(before);
  }

  void expression(const Expr& e, Node& node, std::vector<Guard>& guards) {
    switch (e->op) {
      case Op::variable: node.accesses.push_back({e->name, true, false, false, {}, guards, e->where}); return;
      case Op::choice:
        expression(e->args[0], node, guards);
        guarded(e->args[1], node, guards, e->args[0], true);
        guarded(e->args[2], node, guards, e->args[0], false);
        return;
      case Op::land:
      case Op::lor:
        expression(e->args[0], node, guards);
        guarded(e->args[1], node, guards, e->args[0], e->op == Op::land);
        return;
      case Op::scope: {
        out_.variables[e->name] = {e->type, static_cast<int>(place_.loops.size()), statement_, true, place_.loops};
        const std::size_t before = place_.guards.size();
        place_.guards.insert(place_.guards.end(), guards.begin(), guards.end());
        place_.path.push_back({false, scopes_++});
        block(e->body);
        place_.path.pop_back();
        place_.guards.resize(before);
        node.accesses.push_back({e->name, true, false, false, {}, guards, e->where});
        return;
      }
      default: break;
    }
    for (const Expr& a : e->args) expression(a, node, guards);
    if (e->op >= Op::floordiv && e->op <= Op::eucmod && is_int(e->type))
      node.divisions.push_back({e->args[1], guards, e->where});
    if (e->op == Op::load) node.accesses.push_back({e->name, false, false, false, e->args, guards, e->where});
  }

  const Program& program_;
  Extraction out_;
  Place place_;
  int next_ = 0;
  int scopes_ = 0;
  int statement_ = -1;
};

}  // namespace

bool same_outcome(const Guard& a, const Guard& b) {
  return a.statement == b.statement && a.holder == b.holder && a.positive == b.positive && a.condition == b.condition;
}

Extraction extract(const Program& p) { return Extractor(p).run(); }

std::optional<Op> accumulation(const Stmt& s) {
  const bool variable = s->kind == StmtKind::assign;
  if (!variable && s->kind != StmtKind::store) return std::nullopt;
  for (const Expr& e : s->indices) {
    if (reads(e, s->name)) return std::nullopt;
  }
  const Expr& value = s->value;
  const auto is_target = [&](const Expr& e) {
    return variable ? e->op == Op::variable && e->name == s->name
                    : e->op == Op::load && e->name == s->name && e->args == s->indices;
  };
  const auto free = [&](const Expr& e) { return !reads(e, s->name); };
  // `e` is the target, or the operator applied to such a value and to others, all free of the target.
  std::function<bool(const Expr&, Op)> combines = [&](const Expr& e, Op op) {
    if (is_target(e)) return true;
    const auto sides = [&] {
      return (combines(e->args[0], op) && free(e->args[1])) || (combines(e->args[1], op) && free(e->args[0]));
    };
    if (e->op == op) return sides();
    if (op != Op::add) return false;
    if (e->op == Op::sub) return combines(e->args[0], op) && free(e->args[1]);
    return e->op == Op::fma && combines(e->args[2], op) && free(e->args[0]) && free(e->args[1]);
  };
  const Op op = value->op == Op::sub || value->op == Op::fma ? Op::add : value->op;
  switch (op) {
    case Op::add:
    case Op::mul:
    case Op::max:
    case Op::min:
    case Op::maxnum:
    case Op::minnum: break;
    default: return std::nullopt;
  }
  if (!combines(value, op)) return std::nullopt;
  return op;
}

}  // namespace assay
