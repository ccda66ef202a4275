// Certain stores. A store counts when nothing but loop bounds and guards on loop symbols decides whether it happens; when the
// reader is under its data-dependent guards too (same `if`, same execution of it, or a condition of the same text that reads
// only what nothing changes, at equal index values); when both arms of an `if` store the cell, or two `if`s of one such
// condition and of its negation; or when the condition selects one iteration of its loop, which one not being asked.
#include "proofs/validate/coverage.hpp"

#include <algorithm>
#include <deque>
#include <functional>

#include "ir/analysis/value_range.hpp"
#include "ir/one_hot.hpp"
#include "ir/traverse.hpp"
#include "proofs/validate/cases.hpp"
#include "proofs/validate/order.hpp"
#include "proofs/validate/points.hpp"

namespace assay::derive {
namespace {

// The cell in question, and when a store of it counts.
struct Target {
  Symbol storage{};
  const Instance* reader = nullptr;  // whose guards may be shared; none for "by the end"
  const Instance* writer = nullptr;  // behind which the store comes
  const Instance* owner = nullptr;   // whose access is `read`
  const Access* read = nullptr;      // whose guards may be shared
  // Given a store's instance: the condition that it hits the cell in time.
  std::function<Formula(const Instance&, const Access&)> hit{};
  std::vector<Index> cell{};       // empty for variables
  std::optional<Cell> constant{};  // the same when it is constant
  // A node without loops and guards stores in time, whatever its cell.
  std::function<bool(const Node&)> in_time{};
  // Given a store's instance: that it comes in time, whatever its cell. With `read` alone.
  std::function<Formula(const Instance&)> when{};
};

// So many stores of constant cells are worth merging into boxes.
constexpr std::size_t several = 8;
// So many conditions of different `if`s are told apart in one question; each doubles what is looked at.
constexpr int most_conditions = 4;

class Coverage {
 public:
  Coverage(const View& view, const Target& target) : view_(view), target_(target), reader_(target.reader) {
    if (reader_) {
      for (const Guard& g : reader_->node->guards) known_.push_back({&g, reader_});
    }
    if (target.read) {
      for (const Guard& g : target.read->guards) known_.push_back({&g, target.owner});
    }
    std::erase_if(known_, [](const Known& k) { return affine_condition(k.guard->condition).has_value(); });
  }

  Formula certain() {
    const auto& nodes = view_.extraction.nodes;
    const std::vector<std::size_t>& all = view_.stores.all(target_.storage);
    std::vector<const Node*> stores;
    std::vector<Cell> cells;
    if (target_.constant) {
      for (const std::size_t i : view_.stores.meeting(target_.storage, *target_.constant)) stores.push_back(&nodes[i]);
    } else {
      const bool merge = all.size() > several + view_.stores.varying(target_.storage).size();
      for (const std::size_t i : all) {
        const Node& n = nodes[i];
        auto cell = merge && n.loops.empty() && n.guards.empty() ? constant_cell(*n.store()) : std::nullopt;
        if (cell && cell->size() == target_.cell.size() && target_.in_time(n)) {
          cells.push_back(*std::move(cell));
        } else {
          stores.push_back(&n);
        }
      }
    }
    std::vector<Formula> ways;
    for (const Box& box : merged(cells)) {
      std::vector<Formula> inside;
      for (std::size_t d = 0; d < box.size(); ++d) {
        inside.push_back(Formula::le(Index(box[d].first), target_.cell[d]));
        inside.push_back(Formula::le(target_.cell[d], Index(box[d].second)));
      }
      ways.push_back(Formula::all(std::move(inside)));
    }
    ways.push_back(among(stores, {}));
    return Formula::any(std::move(ways));
  }

 private:
  // An `if` whose condition is taken as decided: statement number and the execution of it.
  struct Decided {
    int statement;
    Instance at;
  };

  // The first data-dependent guard of the store that neither the reader shares nor `decided` settles.
  const Guard* open_guard(const Node& n, const std::vector<Decided>& decided) const {
    for (const Guard& g : n.guards) {
      if (by_symbols(n, g) || shared(g) || selects(n, g)) continue;
      if (!settled(g, decided)) return &g;
    }
    return nullptr;
  }
  bool by_symbols(const Node& n, const Guard& g) const {
    return affine_condition(g.condition) || decided_condition(instantiate(view_, n, "g"), g.condition, true);
  }
  // PRF-117: alone in its loop, under a condition that some iteration meets, whatever the data. The store's instance stands
  // for that iteration, so nothing that has to do with it may tell one iteration from another.
  bool selects(const Node& n, const Guard& g) const {
    if (!g.positive || n.loops.empty() || g.loops != static_cast<int>(n.loops.size())) return false;
    const Stmt& loop = n.loops.back();
    const auto hot = one_hot(loop);
    if (!hot || hot->otherwise || !(loop->body[0]->value == g.condition) || !is_immutable(view_.program, hot->at))
      return false;
    for (const Instance* other : {target_.reader, target_.writer}) {
      if (other && other->symbols.count(loop->name) != 0) return false;
    }
    for (const Expr& e : n.stmt->indices) {
      if (free_symbols({make_assign("cell", e)}).count(loop->name) != 0) return false;
    }
    Ranges ranges = view_.ranges;
    for (const Stmt& l : n.loops) {
      if (l->name != loop->name) add_loop(ranges, l);
    }
    const Interval at = interval(hot->at, view_.program, ranges);
    return interval(loop->lo, ranges).hi <= at.lo && at.hi <= interval(loop->hi - 1, ranges).lo;
  }
  bool shared(const Guard& g) const {
    return same_execution(g) || std::any_of(known_.begin(), known_.end(),
                                            [&](const Known& k) { return agreement(g, k, nullptr).has_value(); });
  }
  bool same_execution(const Guard& g) const {
    return reader_ && g.statement >= 0 &&
           std::any_of(reader_->node->guards.begin(), reader_->node->guards.end(),
                       [&](const Guard& h) { return same_outcome(h, g); });
  }

  // A condition that holds (or fails) when the read happens, in an execution of the reader's.
  struct Known {
    const Guard* guard;
    const Instance* at;
  };
  // When guard `g` of a store comes out as the known one does: index values that must be equal. Nothing when the texts
  // differ or read what may change. Without an instance of the store only whether it can be.
  std::optional<Formula> agreement(const Guard& g, const Known& known, const Instance* w) const {
    if (g.positive != known.guard->positive || !is_immutable(view_.program, g.condition)) return std::nullopt;
    std::vector<Formula> equal;
    if (!agree(g.condition, w, known.guard->condition, *known.at, equal)) return std::nullopt;
    return Formula::all(std::move(equal));
  }

  Formula among(const std::vector<const Node*>& stores, const std::vector<Decided>& decided) {
    std::vector<Formula> ways;
    std::vector<int> branches;
    std::vector<const Node*> waiting;  // for what data say
    for (const Node* n : stores) {
      const Guard* open = open_guard(*n, decided);
      if (!open) {
        ways.push_back(one(*n, decided));
        continue;
      }
      waiting.push_back(n);
      if (open->statement >= 0 && std::find(branches.begin(), branches.end(), open->statement) == branches.end()) {
        branches.push_back(open->statement);
      }
    }
    for (const Node* n : waiting) {
      const Guard* open = open_guard(*n, decided);
      if (const auto parts = by_condition(*open, waiting)) {
        ways.push_back(either(*open, *parts, decided));
        break;  // the others are among the parts
      }
    }
    for (int branch : branches) {
      const Node* at = view_.extraction.find(branch);
      if (!at) continue;
      std::vector<const Node*> arms[2];
      for (const Node* n : stores) {
        if (const auto arm = arm_of(*at, *n)) arms[*arm == 0 ? 1 : 0].push_back(n);
      }
      if (arms[0].empty() || arms[1].empty()) continue;
      const Instance i = instantiate(view_, without_decided(*at, decided), "b" + std::to_string(counter_++));
      std::vector<Decided> with = decided;
      with.push_back({branch, i});
      const Formula yes = among(arms[1], with);
      const Formula no = among(arms[0], with);
      ways.push_back(Formula::exists(i.fresh, domain(i) & tied(i, decided) & yes & no));
    }
    return Formula::any(std::move(ways));
  }

  // In which arm of the `if` the node stands (0 or 1): the path step right after the position of the `if`.
  static std::optional<int> arm_of(const Node& branch, const Node& n) {
    const auto arm = static_cast<std::ptrdiff_t>(branch.path.size()) - 1;
    if (n.statement <= branch.statement || static_cast<std::ptrdiff_t>(n.path.size()) <= arm ||
        !std::equal(n.path.begin(), n.path.begin() + arm, branch.path.begin()))
      return std::nullopt;
    return n.path[static_cast<std::size_t>(arm)].value;
  }

  // In its arm the whole condition of a decided `if` is known, and with it every part of it: the guards that loop symbols
  // decide ask no more.
  const Node& without_decided(const Node& n, const std::vector<Decided>& decided) {
    if (decided.empty()) return n;
    nodes_.push_back(n);
    std::erase_if(nodes_.back().guards, [&](const Guard& g) { return g.statement >= 0 && settled(g, decided); });
    return nodes_.back();
  }

  // Stores under one condition that reads only what nothing changes, where another `if` of the same text stores otherwise:
  // by whether it must hold, must not, or does not matter.
  struct Parts {
    std::vector<const Node*> if_true{}, if_false{};
  };
  std::optional<Parts> by_condition(const Guard& open, const std::vector<const Node*>& stores) const {
    if (split_ == most_conditions || !is_immutable(view_.program, open.condition)) return std::nullopt;
    const Node* branch = view_.extraction.find(open.statement);
    if (!branch) return std::nullopt;
    const Instance any = instantiate(view_, *branch, "");
    std::vector<Formula> equal;
    Parts out;
    bool elsewhere = false;
    for (const Node* n : stores) {
      const auto same = std::find_if(n->guards.begin(), n->guards.end(), [&](const Guard& g) {
        return agree(g.condition, nullptr, open.condition, any, equal);
      });
      if (same == n->guards.end() || same->positive) out.if_true.push_back(n);
      if (same == n->guards.end() || !same->positive) out.if_false.push_back(n);
      elsewhere |= same != n->guards.end() && same->positive != open.positive && same->statement != open.statement;
    }
    return elsewhere ? std::optional(std::move(out)) : std::nullopt;
  }
  // The cell is stored if the condition holds at some index values, and if it does not hold at the same.
  Formula either(const Guard& open, const Parts& parts, const std::vector<Decided>& decided) {
    const Instance at = instantiate(view_, without_decided(*view_.extraction.find(open.statement), decided),
                                    "c" + std::to_string(counter_++));
    const auto given = [&](bool positive, const std::vector<const Node*>& stores) {
      Guard g = open;
      g.positive = positive;
      known_.push_back({&g, &at});
      ++split_;
      Formula out = among(stores, decided);
      --split_;
      known_.pop_back();
      return out;
    };
    const Formula yes = given(true, parts.if_true);
    const Formula no = given(false, parts.if_false);
    return Formula::exists(at.fresh, domain(at) & tied(at, decided) & yes & no);
  }

  static Formula tied_to(const Instance& w, const Instance& at, std::size_t loops) {
    std::vector<Formula> parts;
    for (std::size_t k = 0; k < loops && k < w.node->loops.size(); ++k)
      parts.push_back(Formula::eq(w.symbol(k), at.symbol(k)));
    return Formula::all(std::move(parts));
  }
  static bool settled(const Guard& g, const std::vector<Decided>& decided) {
    return std::any_of(decided.begin(), decided.end(), [&](const Decided& d) { return d.statement == g.statement; });
  }

  // Executions of nodes inside an `if` belong to the execution of it that was decided.
  Formula tied(const Instance& w, const std::vector<Decided>& decided) const {
    std::vector<Formula> parts;
    for (const Decided& d : decided) {
      if (arm_of(*d.at.node, *w.node)) parts.push_back(tied_to(w, d.at, d.at.node->loops.size()));
    }
    for (const Guard& g : w.node->guards) {
      if (by_symbols(*w.node, g) || settled(g, decided) || selects(*w.node, g)) continue;
      std::vector<Formula> ways;
      if (same_execution(g)) ways.push_back(tied_to(w, *reader_, static_cast<std::size_t>(g.loops)));
      for (const Known& k : known_) {
        if (auto f = agreement(g, k, &w)) ways.push_back(*std::move(f));
      }
      parts.push_back(Formula::any(std::move(ways)));
    }
    return Formula::all(std::move(parts));
  }

  Formula one(const Node& n, const std::vector<Decided>& decided) {
    const Access& store = *n.store();
    const Instance w = instantiate(view_, without_decided(n, decided), "w" + std::to_string(counter_++));
    const bool pure = std::all_of(store.indices.begin(), store.indices.end(), [&](const Expr& e) {
      const Term t = integer_term(w, e, "");
      return t.exact && t.pure;
    });
    const Formula runs = domain(w) & decided_guards(w) & tied(w, decided);
    const auto same = same_text(w, store);
    const Formula by_text = same ? exists_solved(w.fresh, runs & *same & target_.when(w)) : Formula::falsity();
    if (!pure) return by_text;
    return by_text | exists_solved(bound_symbols(w, store), runs & target_.hit(w, store));
  }

  // Indices of one text, at equal index values, are one cell (PRF-124). Only said where affine forms do not say it.
  std::optional<Formula> same_text(const Instance& w, const Access& store) const {
    if (!target_.when || store.variable || store.whole || target_.read->whole ||
        store.indices.size() != target_.read->indices.size())
      return std::nullopt;
    std::vector<Formula> equal;
    bool affine = true;
    for (std::size_t d = 0; d < store.indices.size(); ++d) {
      affine = affine && store.indices[d]->op == Op::index;
      const auto same = derive::agreement(w, store.indices[d], *target_.owner, target_.read->indices[d]);
      if (!same) return std::nullopt;
      equal.push_back(*same);
    }
    if (affine) return std::nullopt;
    return Formula::all(std::move(equal));
  }

  const View& view_;
  const Target& target_;
  const Instance* reader_;
  std::vector<Known> known_;
  std::deque<Node> nodes_{};  // what instances stand for, without the guards that are decided
  int counter_ = 0, split_ = 0;
};

}  // namespace

namespace {
// The cell that `read` of `owner` reads; terms as same_cell(…, owner, read, tag) names them.
void aim(Target& t, const Instance& owner, const Access& read, const std::string& tag) {
  t.storage = read.storage;
  t.owner = &owner;
  t.read = &read;
  if (read.variable || read.whole) return;
  Cell constant;
  for (std::size_t d = 0; d < read.indices.size(); ++d) {
    t.cell.push_back(integer_term(owner, read.indices[d], tag + "@" + std::to_string(d) + "y").value);
    if (read.indices[d]->op == Op::index && t.cell.back().is_constant()) constant.push_back(t.cell.back().constant());
  }
  if (constant.size() == t.cell.size()) t.constant = std::move(constant);
}

// Variables and copies per thread or group are undefined when a launch begins: what an earlier one stored is not there.
bool in_one_copy(const Instance& writer, const Instance& reader, const Access& read) {
  return copies_of(reader.view->program, read) == Copies::device || same_launch(writer, reader);
}
}  // namespace

Formula written_before(const View& view, const Instance& reader, const Access& read) {
  Target t;
  aim(t, reader, read, "r");
  t.reader = &reader;
  const auto earlier = [&](const Instance& w) {
    return in_one_copy(w, reader, read) ? ordered_before(w, true, reader, false, copies_of(view.program, read))
                                        : Formula::falsity();
  };
  t.hit = [&](const Instance& w, const Access& store) { return same_cell(w, store, reader, read, "r") & earlier(w); };
  t.when = earlier;
  t.in_time = [&](const Node& n) { return earlier(instantiate(view, n, "")).is_true(); };
  return Coverage(view, t).certain();
}

Formula perhaps_written_before(const View& view, const Instance& reader, const Access& read) {
  std::vector<Formula> ways;
  for (const std::size_t at : view.stores.all(read.storage)) {
    const Node& n = view.extraction.nodes[at];
    const Access& store = *n.store();
    const Instance w = instantiate(view, n, "p" + std::to_string(at));
    if (is_pure(w, store) || !in_one_copy(w, reader, read)) continue;
    const Formula earlier =
        domain(w) & decided_guards(w) & ordered_before(w, true, reader, false, copies_of(view.program, read));
    const bool known = std::all_of(store.indices.begin(), store.indices.end(), [&](const Expr& e) {
      const Term t = integer_term(w, e, "");
      return t.exact && t.pure;
    });
    ways.push_back(known ? exists_solved(bound_symbols(w, store), earlier & same_cell(w, store, reader, read, "r"))
                         : exists_solved(w.fresh, earlier));
  }
  return Formula::any(std::move(ways));
}

Formula written_between(const View& view, const Instance& writer, const Instance& reader, const Instance& owner,
                        const Access& read) {
  Target t;
  aim(t, owner, read, "");
  t.reader = &reader;
  t.writer = &writer;
  const auto between = [&](const Instance& w) {
    if (!in_one_copy(w, reader, read)) return Formula::falsity();
    const Copies of = copies_of(view.program, read);
    return ordered_before(writer, true, w, true, of) & ordered_before(w, true, reader, false, of);
  };
  t.hit = [&](const Instance& w, const Access& store) { return same_cell(w, store, owner, read, "") & between(w); };
  t.when = between;
  t.in_time = [&](const Node& n) { return between(instantiate(view, n, "")).is_true(); };
  return Coverage(view, t).certain();
}

Formula written_at_end(const View& view, const Buffer& buffer, const std::vector<Index>& cell) {
  Target t;
  t.storage = buffer.name;
  t.cell = cell;
  t.hit = [&](const Instance& w, const Access& store) {
    if (store.whole) return Formula::truth();
    std::vector<Formula> parts;
    for (std::size_t d = 0; d < store.indices.size() && d < cell.size(); ++d) {
      const Term at = integer_term(w, store.indices[d], "");
      parts.push_back(at.facts & Formula::eq(at.value, cell[d]));
    }
    return Formula::all(std::move(parts));
  };
  t.in_time = [](const Node&) { return true; };
  return Coverage(view, t).certain();
}

}  // namespace assay::derive
