// Random programs, most of them disturbed; the budget of a second run ends it at a random operation.
#include "fuzz/targets/engine_property.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/generators/disturbed_program.hpp"
#include "fuzz/generators/random_program.hpp"
#include "fuzz/generators/random_threads.hpp"
#include "interp/difference.hpp"
#include "interp/inputs.hpp"
#include "ir/text/source.hpp"

namespace assay::fuzz {
namespace {

int count_statements(const Block& b) {
  int count = 0;
  for (const Stmt& s : b) count += 1 + count_statements(s->body) + count_statements(s->other);
  return count;
}

class EngineRun {
 public:
  EngineRun(std::uint64_t seed, const interp::compiled::Change& fault) : random_(seed), fault_(fault) {}
  bool failed() const { return !result_.failures.empty(); }

  void one() {
    const Program p = draw();
    ++result_.programs;
    interp::Options options;
    const auto smallest = interp::smallest_parameters(p);
    if (!smallest) return;
    options.parameters = *smallest;
    for (auto& [name, value] : options.parameters) {
      const Parameter* parameter = p.find_parameter(name);
      const std::int64_t before = value;
      value = parameter->lo +
              static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(parameter->hi - parameter->lo)));
      if (!interp::admissible(p, options.parameters)) value = before;
    }
    constexpr interp::InputKind kinds[] = {interp::InputKind::exact, interp::InputKind::adversarial,
                                           interp::InputKind::special};
    TensorMap inputs = interp::generate_inputs(p, options.parameters, kinds[random_.below(3)], random_.below(100));
    if (random_.below(6) == 0) spoil(inputs);
    options.budget = 200'000;
    options.detect_races = random_.below(2) == 0;
    if (random_.below(2) == 0) {
      const auto statements = static_cast<std::uint64_t>(count_statements(p.body));
      for (std::uint64_t k = 0; k < statements; ++k) {
        if (random_.below(2) == 0) options.reordered.insert(static_cast<int>(k));
      }
    }
    const std::uint64_t operations = compare(p, inputs, options);
    if (operations == 0) return;
    options.budget = random_.below(operations);
    compare(p, inputs, options);
  }
  EnginePropertyResult take() { return std::move(result_); }

 private:
  // Some are groups of threads that share and meet, as other random programs rarely do.
  Program draw() {
    if (random_.below(5) == 0) {
      auto parsed = parse_source(random_threads(random_), "random");
      if (parsed) return parsed->programs.front();
    }
    ProgramShape shape;
    shape.threads = random_.below(2) == 0;
    return disturb(random_program(random_, shape), random_);
  }

  // An element beyond its range, perhaps.
  void spoil(TensorMap& inputs) {
    for (auto& [name, t] : inputs) {
      if (is_int(t.type) && t.size() > 0)
        t.set(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(t.size()))), wrap_int(t.type, 9));
    }
  }

  std::uint64_t compare(const Program& p, const TensorMap& inputs, interp::Options options) {
    options.engine = interp::Engine::tree;
    const interp::Outcome tree = interp::run(p, inputs, options);
    options.engine = interp::Engine::compiled;
    const auto changed = fault_ ? interp::compiled::run(p, inputs, options, fault_) : std::nullopt;
    const interp::Outcome compiled = changed ? *changed : interp::run(p, inputs, options);
    ++result_.runs;
    ++result_.ends[tree.status == interp::Status::ok      ? "ok"
                   : tree.status == interp::Status::fault ? tree.fault->code
                                                          : "budget"];
    result_.ends["race"] += tree.race.has_value();
    result_.ends["marks"] += std::any_of(tree.tainted.begin(), tree.tainted.end(), [](const auto& marks) {
      return std::count(marks.second.begin(), marks.second.end(), true) > 0;
    });
    const std::string what = interp::difference(tree, compiled);
    if (!what.empty() && result_.failures.size() < 10) {
      std::string marked;
      for (int s : options.reordered) marked += fmt::format(" {}", s);
      std::string at;
      for (const auto& [name, v] : options.parameters) at += fmt::format(" {}={}", name, v);
      result_.failures.push_back(fmt::format("{}\nbudget {}, races {}, reordered{},{}\ntree against compiled: {}",
                                             print(p), options.budget, options.detect_races, marked, at, what));
    }
    return tree.operations;
  }

  interp::Random random_;
  const interp::compiled::Change& fault_;
  EnginePropertyResult result_;
};

}  // namespace

EnginePropertyResult check_engines(std::uint64_t seed, int programs, const interp::compiled::Change& fault) {
  EngineRun property(seed, fault);
  for (int k = 0; k < programs && !(fault && property.failed()); ++k) property.one();
  return property.take();
}

}  // namespace assay::fuzz
