// alias and sink_zero on random chains of loops over internal buffers: what is proved leaves the same bits, whether the
// operation made it or a fault. ASSAY_PROPERTY_CASES sets the number of chains (default 300), ASSAY_PROPERTY_SEED the seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "fuzz/targets/paired_runs.hpp"
#include "interp/random.hpp"
#include "ir/analysis/spans.hpp"
#include "ir/text/source.hpp"
#include "ir/traverse.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"
#include "tests/support/rules.hpp"
#include "transforms/operation.hpp"

namespace assay::fuzz {
namespace {

using Status = Obligation::Status;
const std::vector<Symbol> temps{"T", "U", "V", "W"};

int chains() {
  const char* text = std::getenv("ASSAY_PROPERTY_CASES");
  return text ? std::clamp(std::atoi(text) / 5, 100, 300) : 300;
}

/// Top-level loops, each filling one buffer from others; some buffers start as zeros and are added to.
Program random_chain(interp::Random& random) {
  std::string text = "program p { param n in 1..7 input X: f32[n] output Y: f32[n] ";
  for (const Symbol& t : temps) text += fmt::format("temp {}: f32[{}] ", t, random.below(3) == 0 ? "n + 1" : "n");
  std::vector<Symbol> filled{"X"};
  const auto from = [&] {
    const Symbol& s = filled[random.below(filled.size())];
    return fmt::format("{}[{}]", s, random.coin() ? "i" : "n - 1 - i");
  };
  const std::uint64_t length = 4 + random.below(4);
  for (std::uint64_t k = 0; k < length; ++k) {
    const Symbol to = k + 1 == length ? Symbol("Y") : temps[random.below(temps.size())];
    const bool filled_before = std::find(filled.begin(), filled.end(), to) != filled.end();
    const bool zeroed = random.below(3) == 0;
    if (zeroed) text += fmt::format("zero {} ", to);
    if (zeroed && random.coin()) text += fmt::format("for i in 0..n {{ W[i] = {} }} ", from());
    const bool adds = zeroed || (filled_before && random.coin());
    text += fmt::format("for i in 0..n {{ {}[i] {} {} * {} }} ", to, adds ? "+=" : "=", from(), from());
    if (!filled_before) filled.push_back(to);
  }
  const auto file = parse_source(text + "}", "chain.air");
  EXPECT_TRUE(file.has_value()) << text;
  return number_statements(file->programs.at(0));
}

ScheduleLine parsed(const std::string& text) {
  return parse_source(text + "\n", "s.sched")->schedules.at(0).lines.at(0);
}

struct Count {
  int proved = 0, refuted = 0, seen = 0, needless = 0;
};

/// Validates and runs: a proof that a run contradicts is a failure.
void judge(const Program& before, const Program& after, Query& query, Count& count, const std::string& what) {
  const auto list = validate(before, after, query).obligations;
  const bool proved =
      std::all_of(list.begin(), list.end(), [](const Obligation& o) { return o.status == Status::proved; });
  const bool differ = runs_differ(before, after);
  ++(proved ? count.proved : count.refuted);
  if (!proved && differ) ++count.seen;
  if (!proved && !differ) ++count.needless;
  RULE_TRUE("PRF-90", !(proved && differ)) << what << "\n" << print(before) << print(after);
}

Program with_storage(const Program& p, const Symbol& buffer, const Symbol& storage, bool loads, bool stores,
                     int shift) {
  const auto move = [&](Symbol& name, std::vector<Expr>& indices) {
    name = storage;
    indices[0] = make_index(indices[0]->index + shift);
  };
  Program out = p;
  out.body = rewrite(
      p.body,
      [&](const Expr& e) {
        if (!loads || e->op != Op::load || e->name != buffer) return e;
        return with(e, [&](ExprNode& n) { move(n.name, n.args); });
      },
      [&](const Stmt& s) -> Block {
        if (!stores || s->name != buffer || s->kind != StmtKind::store) return {s};
        return {with(s, [&](StmtNode& n) { move(n.name, n.indices); })};
      });
  if (loads && stores && shift == 0)
    out.buffers.erase(
        std::remove_if(out.buffers.begin(), out.buffers.end(), [&](const Buffer& b) { return b.name == buffer; }),
        out.buffers.end());
  return out;
}

bool has_zero(const Program& p, const Symbol& buffer) {
  return std::any_of(p.body.begin(), p.body.end(),
                     [&](const Stmt& s) { return s->kind == StmtKind::zero && s->name == buffer; });
}

TEST(StorageProperty, SharedStorageIsProvedExactlyWhereItIsFree) {
  const auto query = make_portfolio_query();
  const char* const faults[] = {"the spans overlap",      "the loads stay",
                                "the stores stay",        "the loads are shifted",
                                "the stores are shifted", "into the storage of a third buffer"};
  Count honest, by_fault[std::size(faults)];
  for (int k = 0; k < chains(); ++k) {
    interp::Random random(interp::seed_for("chain", 7000003 + static_cast<std::uint64_t>(k)));
    const Program p = random_chain(random);
    if (!is_right(p, *query)) continue;
    const auto spans = access_spans(p);
    for (const Symbol& a : temps) {
      for (const Symbol& b : temps) {
        if (a == b || spans.count(a) == 0 || spans.count(b) == 0) continue;
        const auto apply = [&](std::size_t fault, const Program& after) {
          judge(p, after, *query, by_fault[fault], faults[fault]);
        };
        if (const StepResult r = apply_line(p, parsed(fmt::format("alias {} {}", a, b)), *query)) {
          EXPECT_TRUE(check_well_formed(r->program).empty());
          RULE_TRUE("ALIAS-5", r->program.find_buffer(a) == nullptr);
          judge(p, r->program, *query, honest, "alias");
          apply(1, with_storage(p, a, b, false, true, 0));
          apply(2, with_storage(p, a, b, true, false, 0));
          apply(3, with_storage(with_storage(p, a, b, true, false, 1), a, b, false, true, 0));
          apply(4, with_storage(with_storage(p, a, b, false, true, 1), a, b, true, false, 0));
          for (const Symbol& c : temps) {
            if (c != a && c != b && spans.count(c) != 0 && spans.at(c).overlaps(spans.at(a)))
              apply(5, with_storage(p, a, c, true, true, 0));
          }
        } else if (spans.at(a).overlaps(spans.at(b)) && !has_zero(p, a)) {
          apply(0, with_storage(p, a, b, true, true, 0));
        }
      }
    }
  }
  fmt::print("alias: proved {}, refuted {}\n", honest.proved, honest.refuted);
  RULE_TRUE("ALIAS-5", honest.refuted == 0 && honest.proved >= 10);
  for (std::size_t f = 0; f < std::size(faults); ++f) {
    const Count& c = by_fault[f];
    fmt::print("  {}: proved {}, refuted {} (of them seen in runs {})\n", faults[f], c.proved, c.refuted, c.seen);
    RULE_TRUE("PRF-90", c.refuted >= 5 && c.seen >= 5) << faults[f];
  }
}

using Plant = bool (*)(Block& body, std::size_t zero);
struct ZeroFault {
  const char* name;
  Plant plant;
};
const ZeroFault zero_faults[] = {
    {"lost",
     [](Block& b, std::size_t k) {
       b.erase(b.begin() + static_cast<std::ptrdiff_t>(k));
       return true;
     }},
    {"one statement too far",
     [](Block& b, std::size_t k) {
       if (k + 1 >= b.size()) return false;
       std::swap(b[k], b[k + 1]);
       return true;
     }},
    {"to the end",
     [](Block& b, std::size_t k) {
       std::rotate(b.begin() + static_cast<std::ptrdiff_t>(k), b.begin() + static_cast<std::ptrdiff_t>(k) + 1, b.end());
       return true;
     }},
    {"a second time after the use",
     [](Block& b, std::size_t k) {
       if (k + 1 >= b.size()) return false;
       b.insert(b.begin() + static_cast<std::ptrdiff_t>(k) + 2, b[k]);
       return true;
     }},
    {"of the output",
     [](Block& b, std::size_t k) {
       if (b[k]->name == "Y") return false;
       b[k] = with(b[k], [](StmtNode& n) { n.name = "Y"; });
       return true;
     }},
};

TEST(StorageProperty, ZeroesSinkToTheFirstUse) {
  const auto query = make_portfolio_query();
  Count honest, by_fault[std::size(zero_faults)];
  for (int k = 0; k < chains(); ++k) {
    interp::Random random(interp::seed_for("chain", 9000003 + static_cast<std::uint64_t>(k)));
    const Program p = random_chain(random);
    std::vector<Symbol> buffers = temps;
    buffers.emplace_back("Y");
    for (const Symbol& a : buffers) {
      const StepResult r =
          has_zero(p, a) ? apply_line(p, parsed("sink_zero " + a), *query) : StepResult(tl::unexpected(Refusal{}));
      if (!r || !is_right(p, *query)) continue;
      judge(p, r->program, *query, honest, "sink_zero");
      for (std::size_t f = 0; f < std::size(zero_faults); ++f) {
        Program wrong = r->program;
        const auto at = std::find_if(wrong.body.begin(), wrong.body.end(),
                                     [&](const Stmt& s) { return s->kind == StmtKind::zero && s->name == a; });
        if (zero_faults[f].plant(wrong.body, static_cast<std::size_t>(at - wrong.body.begin())))
          judge(p, wrong, *query, by_fault[f], zero_faults[f].name);
      }
    }
  }
  fmt::print("sink_zero: proved {}, refuted {}\n", honest.proved, honest.refuted);
  RULE_TRUE("SINK-3", honest.refuted == 0 && honest.proved >= 10);
  for (std::size_t f = 0; f < std::size(zero_faults); ++f) {
    const Count& c = by_fault[f];
    fmt::print("  {}: proved {}, refuted {} (of them seen in runs {})\n", zero_faults[f].name, c.proved, c.refuted,
               c.seen);
    RULE_TRUE("SINK-3", c.refuted >= 5 && c.seen >= 5) << zero_faults[f].name;
  }
}

}  // namespace
}  // namespace assay::fuzz
