// Candidates come from the declarations of the operations, one operation after the other in turn, so that a cap starves
// none. Each is applied like a step of a schedule; two with one canonical result are one choice for a search.
#include "oracle/menu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/worker/cache.hpp"
#include "ir/analysis/canonical.hpp"
#include "oracle/step.hpp"
#include "proofs/validate/limits.hpp"
#include "transforms/candidates.hpp"

namespace assay::oracle {
namespace {

/// Tries lines on a program, one judgement for all of them.
class Trial {
 public:
  explicit Trial(const MenuOptions& options) : options_(options), query_(options.judges.query(options.budgets.query)) {}

  enum class Fit { unfit, open, over, fits };
  struct Outcome {
    Fit fit = Fit::unfit;
    std::optional<Licence> licence{};
    std::optional<Program> program{};
  };
  Outcome operator()(const Program& p, const ScheduleLine& line, bool judge) {
    Outcome out = tried(p, line, judge);
    if (out.fit == Fit::fits && !keeps_within_limits(*out.program)) out.fit = Fit::over;
    return out;
  }

 private:
  Outcome tried(const Program& p, const ScheduleLine& line, bool judge) {
    const StepRequest request{p, line, 1, options_.licence, {}, {}, {}, {}};
    if (!judge) {
      StepOutcome step = apply_step(request, *query_, options_.judges);
      return {step.program ? Fit::fits : Fit::unfit, {}, std::move(step.program)};
    }
    Purse none(0);  // nothing is run: a step is proved or left out
    StepOutcome step = judge_step(request, *query_, options_.judges, none);
    if (!step.program) return {};
    return {step.report.status == Verdict::legal ? Fit::fits : Fit::open, step.report.licence, std::move(step.program)};
  }

  bool keeps_within_limits(const Program& p) {
    if (!options_.limits) return true;
    const auto all = limit_obligations(p, *options_.limits, *query_);
    return std::all_of(all.begin(), all.end(),
                       [](const Obligation& o) { return o.status == Obligation::Status::proved; });
  }

  const MenuOptions& options_;
  std::unique_ptr<Query> query_;
};

/// The candidates of all operations in turn: the first of each, the second of each, …
std::vector<ScheduleLine> in_turn(const Program& p) {
  std::vector<std::vector<ScheduleLine>> lists;
  for (const OperationEntry& e : operations()) lists.push_back(candidate_lines(e.declaration, p));
  std::vector<ScheduleLine> out;
  for (std::size_t k = 0, added = 1; added > 0; ++k) {
    added = 0;
    for (std::vector<ScheduleLine>& list : lists) {
      if (k >= list.size()) continue;
      out.push_back(std::move(list[k]));
      ++added;
    }
  }
  return out;
}

}  // namespace

std::string program_digest(const Program& p) { return codegen::digest_of(print(canonical(p))); }

Menu menu(const Program& p, const MenuOptions& options) {
  Menu out;
  Trial trial(options);
  std::set<std::string> seen{program_digest(p)};
  const std::vector<ScheduleLine> lines = in_turn(p);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (out.steps.size() == options.most) {
      out.untried = lines.size() - k;
      break;
    }
    Trial::Outcome found = trial(p, lines[k], false);
    if (found.fit == Trial::Fit::unfit) {
      ++out.unfit;
      continue;
    }
    MenuStep step{lines[k].text, {}, program_digest(*found.program)};
    if (!seen.insert(step.digest).second) {
      ++out.same;
      continue;
    }
    if (found.fit == Trial::Fit::over) {
      ++out.over;
      continue;
    }
    if (options.proved) {
      found = trial(p, lines[k], true);
      if (found.fit != Trial::Fit::fits) {
        ++out.not_proved;
        continue;
      }
      step.licence = found.licence;
    }
    out.steps.push_back(std::move(step));
  }
  return out;
}

std::string menu_text(const Menu& m) {
  std::size_t width = 0;
  for (const MenuStep& s : m.steps) width = std::max(width, s.line.size());
  std::string out;
  for (const MenuStep& s : m.steps)
    out += s.licence ? fmt::format("{:<{}}  # {}\n", s.line, width, name(*s.licence)) : s.line + "\n";
  return out;
}

std::string menu_claim(const Menu& m, bool proved) {
  std::string out = fmt::format("{} that {}", count(static_cast<std::int64_t>(m.steps.size()), "step"),
                                proved ? "apply and are proved" : "apply; nothing is claimed about their meaning");
  std::vector<std::string> rest;
  if (m.unfit > 0) rest.push_back(fmt::format("{} inapplicable", m.unfit));
  if (m.same > 0) rest.push_back(fmt::format("{} with the result of another", m.same));
  if (m.not_proved > 0) rest.push_back(fmt::format("{} not proved", m.not_proved));
  if (m.over > 0) rest.push_back(fmt::format("{} beyond the limits", m.over));
  if (m.untried > 0) rest.push_back(fmt::format("{} not tried (--limit)", m.untried));
  if (!rest.empty()) out += fmt::format("; other candidates: {}", join(rest));
  return out;
}

namespace {

constexpr std::int64_t group_width = 256;      // threads that a default group has at most
constexpr std::int64_t worth_a_group = 16384;  // iterations below which a nest stays serial on a CPU

/// Builds a schedule by trying lines on the program so far and keeping those that are proved.
class Builder {
 public:
  Builder(const Program& p, const MenuOptions& options) : program_(p), trial_(options) {}

  const Program& program() const { return program_; }
  bool keep(const std::string& text) {
    const auto parsed = parse_source(text + "\n", "default.sched");
    if (!parsed || parsed->schedules.empty()) return false;
    Trial::Outcome found = trial_(program_, parsed->schedules[0].lines[0], true);
    if (found.fit != Trial::Fit::fits) return false;
    program_ = *std::move(found.program);
    steps_.push_back({text, found.licence, program_digest(program_)});
    return true;
  }
  std::vector<MenuStep> take() { return std::move(steps_); }

 private:
  Program program_;
  Trial trial_;
  std::vector<MenuStep> steps_{};
};

/// The loops of a perfect nest of serial loops, outermost first.
std::vector<Stmt> chain(const Stmt& outermost) {
  std::vector<Stmt> out;
  for (Stmt s = outermost; s->kind == StmtKind::loop && s->axis == Axis::serial; s = s->body[0]) {
    out.push_back(s);
    if (s->body.size() != 1) break;
  }
  return out;
}

std::optional<std::int64_t> constant_trips(const Stmt& loop) {
  const Index n = ceildiv(loop->hi - loop->lo, loop->step);
  return n.is_constant() ? std::optional(n.constant()) : std::nullopt;
}

/// Whether a nest surely runs fewer than `least` iterations.
bool runs_fewer(const std::vector<Stmt>& nest, std::int64_t least) {
  std::int64_t product = 1;
  for (const Stmt& l : nest) {
    const auto n = constant_trips(l);
    if (!n) return false;
    if (*n > 0 && __builtin_mul_overflow(product, *n, &product)) return false;
  }
  return product < least;
}

void map_to_cpu(Builder& b, const Stmt& top) {
  const std::vector<Stmt> nest = chain(top);
  if (!nest.empty() && !runs_fewer(nest, worth_a_group)) b.keep(fmt::format("retype {} axis=grid", nest[0]->name));
}

/// Outer loops are groups; the innermost of those that may run apart gives the threads.
void map_to_gpu(Builder& b, const Stmt& top) {
  std::vector<Stmt> apart;
  for (const Stmt& l : chain(top)) {
    if (!b.keep(fmt::format("retype {} axis=grid", l->name))) break;
    apart.push_back(l);
  }
  if (apart.empty()) return;
  const Stmt& last = apart.back();
  const auto n = constant_trips(last);
  if (n && *n <= group_width) {
    b.keep(fmt::format("retype {} axis=workgroup", last->name));
    return;
  }
  std::set<Symbol> taken = b.program().bound_names();
  NameSupply names(taken);
  const Symbol group = names.fresh(stem(last->name) + "_group"), thread = names.fresh(stem(last->name) + "_thread");
  if (b.keep(fmt::format("split {} factor={} -> {}, {}", last->name, group_width, group, thread)))
    b.keep(fmt::format("retype {} axis=workgroup", thread));
}

}  // namespace

std::vector<MenuStep> default_schedule(const Program& p, Preset preset, const MenuOptions& options) {
  Builder b(p, options);
  // Every nest gets a launch of its own, so that groups of one never wait for groups of another.
  const auto statements =
      std::count_if(p.body.begin(), p.body.end(), [](const Stmt& s) { return s->kind != StmtKind::launch; });
  const bool nests = std::any_of(p.body.begin(), p.body.end(), [](const Stmt& s) { return s->kind == StmtKind::loop; });
  for (std::int64_t k = 1; nests && k < statements; ++k) b.keep(fmt::format("fission after={}", k));
  for (std::size_t k = 0; k < b.program().body.size(); ++k) {
    const Stmt top = b.program().body[k];
    if (top->kind != StmtKind::loop) continue;
    preset == Preset::cpu ? map_to_cpu(b, top) : map_to_gpu(b, top);
  }
  return b.take();
}

}  // namespace assay::oracle
