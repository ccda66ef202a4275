// A violation is a choice of one loop in each slot concerned, each at values of its own for the symbols around it, whose
// trip counts multiply to more than the limit: the extent of a slot is a maximum, so some choice reaches the product.
#include "proofs/validate/limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/traverse.hpp"
#include "proofs/validate/cases.hpp"

namespace assay {
namespace {

using derive::Case;

struct HardwareLoop {
  Stmt loop{};
  std::vector<Stmt> around{};  // outermost first
};
using Slots = std::vector<std::vector<HardwareLoop>>;  // by slot

struct LaunchLoops {
  Slots grid{}, workgroup{};
  std::set<Symbol> used{};  // names in the launch, those of buffers among them
  int variables = 0;        // registers of the variables that are there at once, at most
  int standing = 0;         // of those of its own block so far
};

int words(Type t) { return byte_width(t) > 4 ? byte_width(t) / 4 : 1; }

/// `standing` words are taken where the statement begins; its own variable stays to the end of its block.
void count_variables(const Stmt& s, int& standing, int& most);
void count_variables(const Expr& e, int standing, int& most) {
  for (const Expr& a : e->args) count_variables(a, standing, most);
  if (e->op != Op::scope) return;
  int inside = standing + words(e->type);
  most = std::max(most, inside);
  for (const Stmt& s : e->body) count_variables(s, inside, most);
}
void count_variables(const Stmt& s, int& standing, int& most) {
  for (const Expr& e : s->indices) count_variables(e, standing, most);
  if (s->value) count_variables(s->value, standing, most);
  if (s->kind == StmtKind::declare) most = std::max(most, standing += words(s->type));
  for (const Block* b : {&s->body, &s->other}) {
    int inside = standing;
    for (const Stmt& t : *b) count_variables(t, inside, most);
  }
}

std::vector<LaunchLoops> by_launch(const Program& p) {
  const std::map<const StmtNode*, int> slot = hardware_slots(p);
  std::vector<LaunchLoops> out(1);
  std::vector<Stmt> around;
  for (const Stmt& s : p.body) {
    if (s->kind == StmtKind::launch) out.emplace_back();
    count_variables(s, out.back().standing, out.back().variables);
  }
  std::size_t launch = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::launch) ++launch;
    out[launch].used.insert(s->name);
    if (s->kind != StmtKind::loop) return true;
    if (const auto it = slot.find(&*s); it != slot.end()) {
      Slots& slots = slot_kind(s->axis) == Axis::grid ? out[launch].grid : out[launch].workgroup;
      if (slots.size() <= static_cast<std::size_t>(it->second)) slots.resize(static_cast<std::size_t>(it->second) + 1);
      slots[static_cast<std::size_t>(it->second)].push_back({s, around});
    }
    around.push_back(s);
    return true;
  };
  v.leave_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) around.pop_back();
  };
  v.enter_expr = [&](const Expr& e) {
    out[launch].used.insert(e->name);
    return true;
  };
  visit(p.body, v);
  return out;
}

/// A product under construction: symbols stand for the partial products that are not linear.
struct Product {
  Index value = 1;
  Formula facts = Formula::truth();
  int fresh = 0;
  void times(const Index& factor) {
    if (value.is_constant()) {
      value = factor * value.constant();
    } else if (factor.is_constant()) {
      value = value * factor.constant();
    } else {
      const Index all = Index::symbol(fmt::format("product'{}", fresh++));
      facts = facts & Formula::product(all, value, factor);
      value = all;
    }
  }
};

/// The trip count of a loop as a factor, at values of its own for the symbols around it; it counts only where it is positive.
void times_trips(Product& product, const HardwareLoop& h, std::size_t slot) {
  std::map<Symbol, Index> own;
  for (const Stmt& l : h.around) own.emplace(l->name, Index::symbol(fmt::format("{}'{}", l->name, slot)));
  for (const Stmt& l : h.around) product.facts = product.facts & loop_domain(l).substitute(own);
  const Index trips = ceildiv(h.loop->hi - h.loop->lo, h.loop->step).substitute(own);
  product.facts = product.facts & Formula::le(1, trips);
  product.times(trips);
}

constexpr std::size_t most_choices = 1024;

/// All products with one loop, or none, from each of the slots from `first` up to, not including, `last`.
std::optional<std::vector<Product>> choices(const Slots& slots, std::size_t first, std::size_t last) {
  std::vector<Product> out(1);
  for (std::size_t slot = first; slot < std::min(last, slots.size()); ++slot) {
    if (out.size() * (slots[slot].size() + 1) > most_choices) return std::nullopt;
    const std::vector<Product> before = out;
    for (const HardwareLoop& h : slots[slot]) {
      for (Product p : before) {
        times_trips(p, h, slot);
        out.push_back(std::move(p));
      }
    }
  }
  return out;
}

std::optional<std::vector<Product>> asked(const Program& p, const LaunchLoops& launch, Resource r) {
  switch (r) {
    case Resource::threads: return choices(launch.workgroup, 0, 3);
    case Resource::workgroup_x: return choices(launch.workgroup, 0, 1);
    case Resource::workgroup_y: return choices(launch.workgroup, 1, 2);
    case Resource::workgroup_z: return choices(launch.workgroup, 2, 3);
    case Resource::grid_x: return choices(launch.grid, 0, 1);
    case Resource::grid_y: return choices(launch.grid, 1, 2);
    case Resource::grid_z: return choices(launch.grid, 2, launch.grid.size());
    case Resource::shared:
    case Resource::registers: break;
  }
  const bool shared = r == Resource::shared;
  Product sum;
  sum.value = shared ? 0 : launch.variables;
  for (const Buffer& b : p.buffers) {
    if (b.kind != (shared ? BufferKind::shared : BufferKind::local) || launch.used.count(b.name) == 0) continue;
    Product one;
    one.fresh = sum.fresh;
    one.value = shared ? static_cast<int>(byte_width(b.type)) : words(b.type);
    for (const Index& d : b.dims) one.times(d);
    sum.value = sum.value + one.value;
    sum.facts = sum.facts & one.facts;
    sum.fresh = one.fresh;
  }
  return std::vector<Product>{std::move(sum)};
}

}  // namespace

std::vector<Obligation> limit_obligations(const Program& p, const DeviceLimits& limits, Query& query) {
  std::vector<Obligation> out;
  const std::vector<LaunchLoops> launches = by_launch(p);
  for (std::size_t k = 0; k < launches.size(); ++k) {
    for (std::size_t i = 0; i < resource_count; ++i) {
      const auto r = static_cast<Resource>(i);
      if (!limits.of(r)) continue;
      const std::string code(limit_code(r));
      const std::string claim = limit_claim(k, r, *limits.of(r));
      const auto products = asked(p, launches[k], r);
      if (!products) {
        out.push_back({"launch-limits",
                       claim,
                       Obligation::Status::undecided,
                       "structure",
                       code,
                       "the launch has too many hardware loops in these slots",
                       {},
                       false,
                       {}});
        continue;
      }
      std::vector<Case> cases;
      for (const Product& one : *products)
        cases.push_back({one.facts & Formula::lt(*limits.of(r), one.value), {}, {}, nullptr, nullptr, false, {}});
      out.push_back(derive::discharge({"launch-limits", claim, code, code}, parameter_domain(p), p, cases, query));
    }
  }
  return out;
}

}  // namespace assay
