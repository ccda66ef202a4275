// Analyses over random programs, each against another way to find the same thing. ASSAY_PROPERTY_CASES sets the number of
// programs (default 600), ASSAY_PROPERTY_SEED the seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <set>

#include "fuzz/generators/disturbed_program.hpp"
#include "fuzz/generators/random_program.hpp"
#include "ir/analysis/canonical.hpp"
#include "ir/text/source.hpp"
#include "ir/traverse.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/limits.hpp"
#include "tests/support/rules.hpp"

namespace assay::fuzz {
namespace {

int property_programs() {
  const char* text = std::getenv("ASSAY_PROPERTY_CASES");
  return text ? std::clamp(std::atoi(text), 50, 600) : 600;
}
interp::Random source(const char* what, int k) {
  const char* seed = std::getenv("ASSAY_PROPERTY_SEED");
  return interp::Random(interp::seed_for(
      what, (seed ? std::strtoull(seed, nullptr, 10) : 20261130) * 1000003 + static_cast<std::uint64_t>(k)));
}

/// The program with other names, changed in its text: knows nothing of trees. Buffers are declared in another order.
Program renamed(const Program& p, interp::Random& random) {
  const std::set<Symbol> names = p.bound_names();
  std::map<std::string, std::string> to;
  std::vector<int> numbers;
  for (std::size_t k = 0; k < names.size(); ++k) numbers.push_back(static_cast<int>(k));
  for (std::size_t k = numbers.size(); k > 1; --k) std::swap(numbers[k - 1], numbers[random.below(k)]);
  std::size_t next = 0;
  for (const Symbol& s : names) to[s] = fmt::format("name{}", numbers[next++]);
  Program shuffled = p;
  for (std::size_t k = shuffled.buffers.size(); k > 1; --k)
    std::swap(shuffled.buffers[k - 1], shuffled.buffers[random.below(k)]);
  const std::string text = print(shuffled);
  static const std::regex token(
      "0x[0-9a-f.]+p[-+]?[0-9]+|[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?|[A-Za-z_][A-Za-z0-9_]*(\\.[0-9]+)?|[^]");
  std::string out;
  for (std::sregex_iterator at(text.begin(), text.end(), token), end; at != end; ++at) {
    const auto it = to.find(at->str());
    out += it == to.end() ? at->str() : it->second;
  }
  const auto file = parse_source(out, "renamed.air");
  EXPECT_TRUE(file.has_value()) << out;
  return file ? file->programs.at(0) : Program{};
}

/// Whether a renaming makes `a` into `b`: both are walked together, and every pair of names that meets must be the pair that
/// met before.
class Isomorphism {
 public:
  bool operator()(const Program& a, const Program& b) {
    if (a.parameters.size() != b.parameters.size() || a.buffers.size() != b.buffers.size()) return false;
    for (std::size_t k = 0; k < a.parameters.size(); ++k) {
      const Parameter &p = a.parameters[k], &q = b.parameters[k];
      if (p.lo != q.lo || p.hi != q.hi || !meet(p.name, q.name)) return false;
    }
    if (!same(a.body, b.body)) return false;
    std::multiset<std::string> left, right;
    for (const Buffer& x : a.buffers) {
      const auto it = there_.find(x.name);
      if (it == there_.end()) {
        left.insert(declared(x));
      } else if (declared(x) != declared(*b.find_buffer(it->second), false)) {
        return false;
      }
    }
    for (const Buffer& y : b.buffers) {
      if (back_.count(y.name) == 0) right.insert(declared(y, false));
    }
    return left == right && conjunction(a.requirements, true) == conjunction(b.requirements, false);
  }

 private:
  bool meet(const Symbol& x, const Symbol& y) {
    const auto [t, fresh] = there_.emplace(x, y);
    const auto [u, other] = back_.emplace(y, x);
    return t->second == y && u->second == x && fresh == other;
  }
  Index moved(const Index& e) const {
    std::map<Symbol, Index> map;
    for (const auto& [x, y] : there_) map.emplace(x, Index::symbol(y));
    return e.substitute(map);
  }
  std::string declared(const Buffer& b, bool move = true) const {
    std::string out = fmt::format("{} {}", name(b.kind), name(b.type));
    for (const Index& d : b.dims) out += " " + (move ? moved(d) : d).text();
    if (b.range)
      out += fmt::format(" in {}..{}", static_cast<long long>(b.range->first), static_cast<long long>(b.range->second));
    for (const Scalar& s : b.data) out += fmt::format(" {:x}", s.bits);
    return out;
  }
  std::set<std::string> conjunction(const std::vector<Expr>& list, bool move) const {
    std::set<std::string> out;
    for (const Expr& e : list) {
      out.insert(print(rewrite(e, [&](const Expr& x) {
        return x->op != Op::index || !move ? x : with(x, [&](ExprNode& n) { n.index = moved(n.index); });
      })));
    }
    return out;
  }
  bool same(const Block& a, const Block& b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [&](const Stmt& s, const Stmt& t) { return same(s, t); });
  }
  bool same(const std::vector<Expr>& a, const std::vector<Expr>& b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [&](const Expr& s, const Expr& t) { return same(s, t); });
  }
  bool same(const Stmt& s, const Stmt& t) {
    if (s->kind != t->kind || s->step != t->step || s->axis != t->axis || s->type != t->type) return false;
    if (!(moved(s->lo) == t->lo) || !(moved(s->hi) == t->hi)) return false;
    if (s->name.empty() != t->name.empty() || (!s->name.empty() && !meet(s->name, t->name))) return false;
    if (static_cast<bool>(s->value) != static_cast<bool>(t->value)) return false;
    return same(s->indices, t->indices) && (!s->value || same(s->value, t->value)) && same(s->body, t->body) &&
           same(s->other, t->other);
  }
  bool same(const Expr& s, const Expr& t) {
    if (s->op != t->op || s->type != t->type || !(s->literal == t->literal) || !(moved(s->index) == t->index))
      return false;
    if (s->name.empty() != t->name.empty() || (!s->name.empty() && !meet(s->name, t->name))) return false;
    return same(s->args, t->args) && same(s->body, t->body);
  }

  std::map<Symbol, Symbol> there_, back_;
};

TEST(AnalysisProperty, CanonicalFormsAreEqualExactlyForRenamedPrograms) {
  int renamings = 0, changed = 0, unchanged = 0;
  for (int k = 0; k < property_programs(); ++k) {
    interp::Random random = source("canonical", k);
    ProgramShape shape;
    shape.threads = random.coin();
    const Program p = random_program(random, shape);
    if (!check_well_formed(p).empty()) continue;
    const Program form = canonical(p);
    RULE_TRUE("ANA-2", check_well_formed(form).empty()) << print(p);
    RULE_TRUE("ANA-2", canonical(form) == form) << print(p);
    const auto again = parse_source(print(form), "again.air");
    RULE_TRUE("ANA-2", again && again->programs.at(0) == form) << print(form);
    RULE_TRUE("ANA-1", canonical(renamed(p, random)) == form) << print(p);
    ++renamings;
    const Program disturbed = disturb(p, random);
    if (!check_well_formed(disturbed).empty()) continue;
    const Program other = renamed(disturbed, random);
    const bool isomorphic = Isomorphism()(p, other);
    RULE_EQ("ANA-1", isomorphic, canonical(other) == form);
    ++(isomorphic ? unchanged : changed);
  }
  fmt::print("renamed {}, disturbed {} (of which {} remained the same)\n", renamings, changed + unchanged, unchanged);
  EXPECT_GE(renamings * 100, property_programs() * 60);
  EXPECT_GE(changed * 100, property_programs() * 20);
}

/// The extents by walking every iteration of every loop: slow and plain.
struct PlainWalk {
  std::map<Symbol, std::int64_t> values;
  const std::map<const StmtNode*, int>& slots;
  std::vector<std::int64_t> grid, workgroup;

  std::int64_t value(const Index& e) const {
    return *e.evaluate([&](const Symbol& s) { return std::optional(values.at(s)); });
  }
  void walk(const Block& b) {
    for (const Stmt& s : b) {
      if (s->kind == StmtKind::loop) {
        std::int64_t trips = 0;
        for (std::int64_t v = value(s->lo); v < value(s->hi); v += s->step, ++trips) {
          values[s->name] = v;
          walk(s->body);
        }
        if (const auto slot = slots.find(&*s); slot != slots.end()) {
          auto& extents = s->axis == Axis::grid ? grid : workgroup;
          extents.resize(std::max(extents.size(), static_cast<std::size_t>(slot->second) + 1), 1);
          extents[static_cast<std::size_t>(slot->second)] =
              std::max(extents[static_cast<std::size_t>(slot->second)], trips);
        }
      } else {
        walk(s->body);
        walk(s->other);
      }
    }
  }
};

TEST(AnalysisProperty, LaunchShapesAndLimitsAgree) {
  const auto query = make_portfolio_query();
  int hardware = 0, violated = 0, proved = 0;
  for (int k = 0; k < property_programs(); ++k) {
    interp::Random random = source("launches", k);
    ProgramShape shape;
    shape.threads = true;
    const Program p = random_program(random, shape);
    if (!check_well_formed(p).empty()) continue;
    std::vector<ParameterMap> sizes{{}};
    if (p.parameters.size() > 1) continue;
    if (p.parameters.size() == 1) {
      sizes.clear();
      for (std::int64_t n = p.parameters[0].lo; n < p.parameters[0].hi; ++n)
        sizes.push_back({{p.parameters[0].name, n}});
    }
    if (!p.requirements.empty() || sizes.size() > 64) continue;
    const auto slots = hardware_slots(p);
    if (slots.empty()) continue;
    ++hardware;
    std::array<std::int64_t, resource_count> most{};
    for (const ParameterMap& at : sizes) {
      const auto shapes = launch_shapes(p, at, 1'000'000);
      ASSERT_TRUE(shapes) << print(p);
      Block launch;
      std::size_t number = 0;
      for (std::size_t s = 0; s <= p.body.size(); ++s) {
        if (s < p.body.size() && p.body[s]->kind != StmtKind::launch) {
          launch.push_back(p.body[s]);
          continue;
        }
        PlainWalk plain{at, slots, {}, {}};
        plain.walk(launch);
        LaunchShape mine = shapes->at(number++);
        // The walk knows no slot whose loops never run.
        while (mine.grid.size() > plain.grid.size() && mine.grid.back() == 1) mine.grid.pop_back();
        while (mine.workgroup.size() > plain.workgroup.size() && mine.workgroup.back() == 1) mine.workgroup.pop_back();
        RULE_EQ("ANA-5", plain.grid, mine.grid);
        RULE_EQ("ANA-5", plain.workgroup, mine.workgroup);
        launch.clear();
      }
      for (const LaunchShape& shape_at : *shapes) {
        for (std::size_t r = 0; r < resource_count; ++r)
          most[r] = std::max(most[r], *requested(shape_at, static_cast<Resource>(r)));
      }
    }
    // Proofs, at the limits around what was worked out.
    for (const int short_by : {0, 1}) {
      DeviceLimits limits;
      for (std::size_t r = 0; r < resource_count; ++r) limits.most[r] = most[r] - short_by;
      std::map<std::string, bool> holds;
      for (const Obligation& o : limit_obligations(p, limits, *query)) {
        ASSERT_NE(o.status, Obligation::Status::undecided) << o.claim << ": " << o.reason << "\n" << print(p);
        (o.status == Obligation::Status::proved ? proved : violated) += 1;
        RULE_TRUE("LIM-15", short_by == 1 || o.status == Obligation::Status::proved) << o.claim << "\n" << print(p);
        for (std::size_t r = 0; r < resource_count; ++r) {
          const std::string what = fmt::format("at most {} {}", *limits.most[r], description(static_cast<Resource>(r)));
          if (o.claim.find(what) != std::string::npos) {
            const auto it = holds.emplace(what, true).first;
            it->second = it->second && o.status == Obligation::Status::proved;
          }
        }
      }
      if (short_by == 0) continue;
      for (const auto& [what, held] : holds) RULE_TRUE("LIM-15", !held) << what << "\n" << print(p);
    }
  }
  fmt::print("programs with hardware loops {}, limits proved {}, violated {}\n", hardware, proved, violated);
  EXPECT_GE(hardware * 100, property_programs() * 10);
  EXPECT_GE(violated, hardware);
}

}  // namespace
}  // namespace assay::fuzz
