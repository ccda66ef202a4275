// Schedule operations as values: what one declares about itself, and what applying one returns.
//
// An operation is one .cpp file in transforms/loop/ that ends in ASSAY_OPERATION(Class). CMake lists the folder and
// generates the registry from it. Everything else (parser of schedule lines, `assay ops`, documentation, the fuzzer's
// generator) reads the Declaration. An operation is trusted for nothing: it returns the new program, whose statements
// carry provenance (ir/expr.hpp), and proofs/validate derives from the two programs what has to be proved.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ir/program.hpp"
#include "ir/text/source.hpp"
#include "proofs/obligation/licence.hpp"
#include "proofs/obligation/query.hpp"

namespace assay {

struct Refusal {
  enum class Kind {
    error,        // the line is wrong: unknown key, name or loop, taken name, bad number (exit status 2)
    inapplicable  // the line is fine and the program's form does not fit it (exit status 4)
  } kind = Kind::inapplicable;
  Diagnostic diagnostic{};  // `where` is in the schedule text
  Location program_note{};  // a place in the program text worth showing, when known
};

struct Rewrite {
  Program program;  // numbered statements of the program before, carried along by the framework
};
using StepResult = tl::expected<Rewrite, Refusal>;

struct ParameterInfo {
  std::string name;  // "loop", "factor", "axis"
  /// loop, buffer, value (a `var`, a scope, or an expression in parentheses): operands; storage: a buffer given by key. integers: a list `4,60`, or one of
  /// the `choices`. names: a list
  /// of new names, given by key. results: the last parameter, one new name or more.
  enum class Kind {
    loop,
    loops,
    buffer,
    value,
    storage,
    integer,
    integers,
    boolean,
    choice,
    names,
    result,
    results
  } kind;
  bool required = true;
  std::string fallback{};  // the default as text
  std::vector<std::string> choices{};
  std::string help{};
  /// What an integer counts, so that a search and the fuzzer try sensible values: iterations of a part of the loop before
  /// it, a number to divide its iterations, or top-level statements.
  enum class Counts { anything, part, multiple, statements } counts = Counts::anything;
};
struct PreconditionInfo {
  std::string code;  // "SWP-1"
  std::string text;
};
/// Self-description, read by `assay ops`, `assay explain`, the parser, the generator and the documentation.
struct Declaration {
  std::string name;         // "split"
  std::string rule_prefix;  // "SPLIT"
  std::string summary;
  std::vector<ParameterInfo> parameters{};
  std::vector<PreconditionInfo> refusals{};
  std::string schema;  // "R (reorder)"
  Licence least = Licence::exact, greatest = Licence::exact;
  std::vector<std::string> obligations{};  // kinds that validation derives for it
  std::string example_program{}, example_schedule{};
};

/// One parsed and checked schedule line.
class Operation {
 public:
  virtual ~Operation() = default;
  /// `before` carries number_statements' provenance.
  virtual StepResult apply(const Program& before, Query& query) const = 0;
};

struct OperationEntry {
  Declaration declaration;
  /// Reads a line against a program: sorts out operands, keys, flags, results, defaults; checks names.
  std::function<tl::expected<std::unique_ptr<Operation>, Refusal>(const ScheduleLine&, const Program&)> bind;
};
/// All operations, sorted by name.
const std::vector<OperationEntry>& operations();
const OperationEntry* find_operation(std::string_view name);

/// Numbers the statements of `before`, binds the line and applies it (no folding).
StepResult apply_line(const Program& before, const ScheduleLine& line, Query& query);
/// Guard folding (FOLD-…), which runs after every step: a rewrite like any other, with provenance to `before`.
Rewrite fold_guards(const Program& before, Query& query);

}  // namespace assay
