// Running programs on cases within a budget, and comparing what two of them leave in memory (CHK-2, CHK-3).
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "interp/interpreter.hpp"
#include "oracle/cases.hpp"

namespace assay::oracle {

/// Operations that interpretations may still take. One purse serves a whole command.
class Purse {
 public:
  explicit Purse(std::uint64_t operations) : Purse(operations, operations * 100) {}
  Purse(std::uint64_t operations, std::uint64_t forced) : all_(operations), left_(operations), forced_(forced) {}
  std::uint64_t left() const { return left_; }
  /// What a case that must run may take, once: a hundred times the whole purse.
  std::uint64_t forced() const { return forced_; }
  void spend(std::uint64_t n) { left_ -= n < left_ ? n : left_; }
  std::uint64_t spent() const { return all_ - left_; }

 private:
  std::uint64_t all_, left_, forced_;
};

/// Cells of observed buffers that two outcomes have in common, compared.
struct CellComparison {
  std::int64_t compared = 0;  // cells whose bits had to agree
  std::int64_t excluded = 0;  // cells that are not order-exact
  std::int64_t differing = 0;
  struct Cell {
    Symbol buffer{};
    std::vector<std::int64_t> cell{};
    Scalar before{}, after{};
  };
  std::optional<Cell> first{};  // the first differing one, in buffer order of the maps and row major
};
CellComparison compare_cells(const interp::Outcome& before, const interp::Outcome& after);
/// The same for plain tensors (compiled code); cells that `tainted` marks are left out, and whole buffers named in `skipped`.
using TaintMap = std::map<std::string, std::vector<bool>>;
CellComparison compare_cells(const TensorMap& before, const TensorMap& after, const TaintMap& tainted = {},
                             const std::set<Symbol>& skipped = {});

struct Plan {
  std::vector<ParameterMap> sizes{};  // in the order in which they are tried
  Waves waves{};                      // of inputs
  std::set<int> reordered_before{},
      reordered_after{};     // accumulations whose order changed: only order-exact cells count
  bool force_first = false;  // the first case may exceed the purse (Purse::forced)
  bool stop_at_observation = true;
  /// Called for each case on which both programs (of a survey the one) ended without a fault. False stops the search.
  std::function<bool(const ParameterMap&, const InputChoice&, const TensorMap& inputs, const interp::Outcome& before,
                     const interp::Outcome& after)>
      on_case{};
};

struct Comparison {
  std::optional<Observation> observation{};  // a difference, or a fault or race of the second program
  std::optional<Observation> reference{};    // a fault or race of the first program
  int cases = 0;                             // run on both to the end
  int not_comparable = 0;                    // of these, cases without a single comparable cell
  std::int64_t cells = 0, excluded = 0;      // compared; left out as not order-exact
  std::vector<ParameterMap> sizes{};         // at which at least one case ran
  std::vector<ParameterMap> skipped{};       // too large for what was left
  std::set<InputChoice::Kind> kinds{};
};

/// Runs both programs on every case of the plan that the purse allows. Races are looked for where there are `grid` loops.
Comparison compare(const Program& before, const Program& after, const Plan& plan, Purse& purse);

/// Runs one program on the cases: its faults and races are in `reference`.
Comparison survey(const Program& p, const Plan& plan, Purse& purse);

/// Adds what further cases of the same programs showed.
void add_comparison(Comparison& into, Comparison more);

/// The same for given inputs, once. Nothing when the budget is not enough.
std::optional<interp::Outcome> run_once(const Program& p, const ParameterMap& parameters, const TensorMap& inputs,
                                        const std::set<int>& reordered, std::uint64_t budget, Purse& purse);

/// The first differing cell of a comparison, as an observation.
Observation difference(const CellComparison& cells, const ParameterMap& parameters, const InputChoice& inputs,
                       const TensorMap& tensors);
/// The fault or race of an outcome as an observation.
std::optional<Observation> trouble(const interp::Outcome& outcome, const ParameterMap& parameters,
                                   const InputChoice& inputs);
/// Inputs as text, when all of them together have at most `most` elements.
std::vector<std::pair<Symbol, std::string>> input_values(const TensorMap& inputs, std::int64_t most = 12);
/// `[1.0, 2.0, …]`: the first `most` elements.
std::string values_text(const Tensor& t, std::int64_t most);

}  // namespace assay::oracle
