// A fixed point: storage starts out empty and takes in the range of every value that is stored to it, until nothing grows. What
// still grows after some rounds is widened, and then worked out again from there: what is stored lies in the ranges
// of the expressions that are stored, in every round, as soon as it lies in the ranges that these are computed with.
#include "ir/analysis/stored_range.hpp"

#include <algorithm>

#include "ir/reads.hpp"
#include "ir/traverse.hpp"

namespace assay {
namespace {

constexpr int rounds_before_widening = 4, rounds_after = 2;
constexpr std::size_t most_named = 64;  // numbers; each may cost a round

bool contains_store(const Block& b, const std::set<Symbol>& storages) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    const bool stores = s->kind == StmtKind::store || s->kind == StmtKind::zero || s->kind == StmtKind::assign ||
                        s->kind == StmtKind::declare;
    found = found || s->kind == StmtKind::barrier || (stores && storages.count(s->name) != 0);
    return !found;
  };
  v.enter_expr = [&](const Expr&) { return !found; };
  visit(b, v);
  return found;
}

class Stored {
 public:
  Stored(const Program& p, const Extraction& extraction)
      : p_(p), extraction_(extraction), parameters_(parameter_ranges(p)) {
    for (const Buffer& b : p.buffers) {
      if (is_writable(b.kind) && !is_defined_on_entry(b.kind) && is_int(b.type)) add(b.name, b.type);
    }
    for (const auto& [name, variable] : extraction.variables) {
      if (is_int(variable.type)) add(name, variable.type);
    }
  }

  StoredRanges run() {
    if (ranges_.empty()) return {};
    for (const Node& n : extraction_.nodes) {
      const Access* a = n.store();
      if (!a || ranges_.count(a->storage) == 0) continue;
      Store s{a->storage, &n, {}};
      for (const Guard& g : n.guards) {
        if (still_holds(p_, extraction_, n, g)) s.guards.push_back(&g);
      }
      if (n.stmt->value) collect_named(n.stmt->value);
      for (const Guard* g : s.guards) collect_named(g->condition);
      stores_.push_back(std::move(s));
    }
    bool grows = true;
    for (int round = 0; grows; ++round) {
      StoredRanges next = joined();
      grows = false;
      for (auto& [storage, range] : ranges_) {
        const Interval& now = next.at(storage);
        if (now.within(range.lo, range.hi)) continue;
        grows = true;
        const Interval both = hull(range, now);
        range = round < rounds_before_widening ? both : widened(range, both, whole_.at(storage));
      }
    }
    for (int round = 0; round < rounds_after; ++round) ranges_ = joined();
    // Never stored: every read of it is a fault, and nothing is claimed.
    for (auto& [storage, range] : ranges_) {
      if (range.empty()) range = whole_.at(storage);
    }
    return std::move(ranges_);
  }

 private:
  struct Store {
    Symbol to;
    const Node* node;
    std::vector<const Guard*> guards;  // those that still hold
  };

  void add(const Symbol& s, Type type) {
    ranges_.emplace(s, Interval{1, 0});
    const IntRange r = int_range(type);
    whole_.emplace(s, Interval{r.lo, r.hi});
  }

  // An end that still moves goes on to the next number that the program names, and past the last one to the end of the type.
  Interval widened(const Interval& before, const Interval& now, Interval out) const {
    const auto above = named_.lower_bound(now.hi);
    if (now.hi == before.hi) {
      out.hi = now.hi;
    } else if (above != named_.end()) {
      out.hi = std::min(out.hi, *above);
    }
    const auto below = named_.upper_bound(now.lo);
    if (now.lo == before.lo) {
      out.lo = now.lo;
    } else if (below != named_.begin()) {
      out.lo = std::max(out.lo, *std::prev(below));
    }
    return out;
  }

  void collect_named(const Expr& e) {
    Visitor v;
    v.enter_expr = [&](const Expr& part) {
      if (part->op != Op::literal || !is_int(part->type)) return true;
      for (const int near : {-1, 0, 1}) named_.insert(int_value(part->literal) + near);
      return named_.size() < most_named;
    };
    visit(e, v);
  }

  // One round: what the stores store where storage holds what `ranges_` says.
  StoredRanges joined() const {
    StoredRanges out;
    for (const auto& [storage, range] : ranges_) out.emplace(storage, Interval{1, 0});
    for (const Store& s : stores_) {
      Interval& to = out.at(s.to);
      const Expr& value = s.node->stmt->value;  // of `zero` there is none
      if (const auto facts = facts_at(s)) to = hull(to, value ? interval(value, *facts) : Interval{0, 0});
    }
    return out;
  }

  // Loops and conditions around the statement, from the outside; nothing where it never runs.
  std::optional<ValueFacts> facts_at(const Store& s) const {
    ValueFacts facts{&p_, parameters_, &ranges_, {}};
    const std::vector<Stmt>& loops = s.node->loops;
    std::size_t inside = 0;
    for (const Guard* g : s.guards) {
      for (; inside < static_cast<std::size_t>(g->loops); ++inside) add_loop(facts.symbols, loops[inside]);
      auto narrowed = facts_under(g->condition, g->positive, std::move(facts));
      if (!narrowed) return std::nullopt;
      facts = *std::move(narrowed);
    }
    for (; inside < loops.size(); ++inside) add_loop(facts.symbols, loops[inside]);
    return facts;
  }

  const Program& p_;
  const Extraction& extraction_;
  const Ranges parameters_;
  StoredRanges ranges_, whole_;
  std::set<Int128> named_;
  std::vector<Store> stores_;
};

}  // namespace

StoredRanges stored_ranges(const Program& p, const Extraction& extraction) { return Stored(p, extraction).run(); }

bool still_holds(const Program& p, const Extraction& extraction, const Node& n, const Guard& g) {
  if (g.statement < 0) return true;  // nothing is stored while the expression is evaluated that it can read
  std::set<Symbol> written;
  for (const Symbol& s : read_by(g.condition)) {
    const Buffer* b = p.find_buffer(s);
    if (!b || is_writable(b->kind)) written.insert(s);
  }
  if (written.empty()) return true;
  const Node* branch = extraction.find(g.statement);
  if (!branch) return false;
  const int arm = n.path.at(branch->path.size() - 1).value;  // where the condition's own step is
  return !contains_store(arm == 0 ? branch->stmt->body : branch->stmt->other, written);
}

}  // namespace assay
