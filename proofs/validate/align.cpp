// One walk down both texts. A statement that claims nothing stands in the new program alone, one that nobody claims in the
// old one.
#include "proofs/validate/align.hpp"

#include <algorithm>

#include "ir/traverse.hpp"
#include "proofs/validate/flow_claim.hpp"

namespace assay::derive {
namespace {

// A statement with its preorder number; bodies of loops and `if`s, not of scopes.
struct Item {
  Stmt stmt;
  int number = 0;
  std::vector<Item> body{}, other{};
};

std::vector<Item> items(const Block& b, int& next) {
  std::vector<Item> out;
  for (const Stmt& s : b) {
    Item item{s, next++};
    Visitor scopes;
    scopes.enter_stmt = [&](const Stmt&) {
      ++next;
      return true;
    };
    for (const Expr& e : s->indices) visit(e, scopes);
    if (s->value) visit(s->value, scopes);
    item.body = items(s->body, next);
    item.other = items(s->other, next);
    out.push_back(std::move(item));
  }
  return out;
}

int claimed(const Item& i) { return i.stmt->provenance ? i.stmt->provenance->statement : -1; }

template <typename F>
void each(const Item& i, const F& f) {
  f(i);
  for (const Item& b : i.body) each(b, f);
  for (const Item& o : i.other) each(o, f);
}

std::set<Symbol> storages(const View& v) {
  std::set<Symbol> out;
  for (const Buffer& b : v.program.buffers) out.insert(b.name);
  for (const auto& [name, variable] : v.extraction.variables) {
    if (!variable.scope) out.insert(name);
  }
  return out;
}

class Aligner {
 public:
  Aligner(const View& before, const View& after) : before_(before), after_(after) {}

  std::optional<Alignment> run() {
    const std::set<Symbol> was = storages(before_), is = storages(after_);
    std::set_difference(was.begin(), was.end(), is.begin(), is.end(),
                        std::inserter(out_.only_before, out_.only_before.end()));
    std::set_difference(is.begin(), is.end(), was.begin(), was.end(),
                        std::inserter(out_.only_after, out_.only_after.end()));
    int next = 0;
    const std::vector<Item> a = items(before_.program.body, next);
    next = 0;
    const std::vector<Item> b = items(after_.program.body, next);
    for (const Item& i : b) each(i, [&](const Item& x) { claimed_.insert(claimed(x)); });
    if (!same_interface() || !walk(a, b, before_.parameters)) return std::nullopt;
    return std::move(out_);
  }

 private:
  // Buffers that go are scratch; what is new is too (interface_difference), and all others are the same.
  bool same_interface() const {
    Program kept = before_.program;
    for (const Symbol& s : out_.only_before) {
      const Buffer* b = before_.program.find_buffer(s);
      if (b && b->kind != BufferKind::temp && b->kind != BufferKind::local) return false;
    }
    kept.buffers.erase(std::remove_if(kept.buffers.begin(), kept.buffers.end(),
                                      [&](const Buffer& b) { return out_.only_before.count(b.name) != 0; }),
                       kept.buffers.end());
    return !interface_difference(kept, after_.program, true);
  }

  // Statements of one program alone only compute values into that program's own storage.
  static bool alone(const Item& item, const View& view, const std::set<Symbol>& own, std::vector<const Node*>& into) {
    bool fine = true;
    each(item, [&](const Item& i) {
      const StmtNode& s = *i.stmt;
      if (s.kind == StmtKind::loop) return;
      if (s.kind == StmtKind::branch) {
        fine &= affine_condition(s.value).has_value();
        return;
      }
      const bool stores = s.kind == StmtKind::store || s.kind == StmtKind::assign || s.kind == StmtKind::declare;
      fine &= stores && own.count(s.name) != 0;
      into.push_back(view.extraction.find(i.number));
    });
    return fine;
  }

  bool is_added(const Item& item) const {
    bool old = false;
    each(item, [&](const Item& i) { old = old || claimed(i) >= 0; });
    return !old;
  }
  bool is_removed(const Item& item) const {
    bool kept = false;
    each(item, [&](const Item& i) { kept = kept || claimed_.count(i.number) != 0; });
    return !kept;
  }

  bool walk(const std::vector<Item>& a, const std::vector<Item>& b, const Formula& known) {
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
      if (j < b.size() && is_added(b[j])) {
        if (!alone(b[j++], after_, out_.only_after, out_.added)) return false;
      } else if (i < a.size() && is_removed(a[i])) {
        if (!alone(a[i++], before_, out_.only_before, out_.removed)) return false;
      } else if (i == a.size() || j == b.size() || !pair(a[i++], b[j++], known)) {
        return false;
      }
    }
    return true;
  }

  bool pair(const Item& a, const Item& b, const Formula& known) {
    const Stmt& s = a.stmt;
    const Stmt& t = b.stmt;
    if (claimed(b) != a.number || s->kind != t->kind || s->name != t->name || s->type != t->type) return false;
    for (const auto& [symbol, value] : t->provenance->to_source) {
      const Symbol* same = value.as_symbol();
      if (!same || *same != symbol) return false;
    }
    if (s->kind == StmtKind::loop) {
      if (s->step != t->step || s->axis != t->axis) return false;
      if (!(s->lo == t->lo) || !(s->hi == t->hi)) out_.bounds.push_back({s, t, known});
      return walk(a.body, b.body, known & loop_domain(s));
    }
    out_.pairs.push_back({before_.extraction.find(a.number), after_.extraction.find(b.number)});
    if (s->kind != StmtKind::branch) return true;
    const auto condition = affine_condition(s->value);
    return walk(a.body, b.body, condition ? known & *condition : known) &&
           walk(a.other, b.other, condition ? known & !*condition : known);
  }

  const View& before_;
  const View& after_;
  Alignment out_;
  std::set<int> claimed_;
};

}  // namespace

std::optional<Alignment> align(const View& before, const View& after) { return Aligner(before, after).run(); }

Instance in_own_names(const View& view, const Node& node) {
  Instance x{&view, &node, {}, {}};
  for (const Stmt& loop : node.loops) x.symbols.emplace(loop->name, Index::symbol(loop->name));
  return x;
}

}  // namespace assay::derive
