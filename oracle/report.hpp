// What a command answers: one immutable-by-convention record, printed as a screen (oracle/screen.hpp) or as JSON (oracle/json.hpp).
//
// Nothing here is text for one of the two alone: a screen and a JSON object of the same report say the same things.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interp/interpreter.hpp"
#include "oracle/verdict.hpp"
#include "proofs/validate/validate.hpp"
#include "transforms/operation.hpp"

namespace assay::oracle {

/// A text that places refer to: what the user called it, and its contents (empty when unknown).
struct SourceText {
  std::string file{};
  std::string text{};
};

/// Which inputs a case uses: all zero, or a generator's.
struct InputChoice {
  enum class Kind : std::uint8_t { zero, exact, adversarial, special, enumerated, given } kind = Kind::zero;
  std::uint64_t seed = 0;  // for `enumerated`, the number of the value
};
/// "all-zero input", "exact input (seed 2)".
std::string text(const InputChoice& c);
/// The name alone: "zero", "exact", …
std::string_view name(InputChoice::Kind k);

/// Something that a run showed, with the case that shows it.
struct Observation {
  enum class Kind : std::uint8_t { difference, fault, race } kind = Kind::difference;
  ParameterMap parameters{};
  InputChoice inputs{};
  std::string turns{};  // how the threads took turns, where not canonically (TURN-1)
  // difference: the first differing observed cell, both values, and how many of the compared cells differ
  Symbol buffer{};
  std::vector<std::int64_t> cell{};
  Scalar before{}, after{};
  std::int64_t differing = 0, compared = 0;
  std::optional<interp::Fault> fault{};
  std::optional<interp::Race> race{};
  /// Inputs, as text per buffer, when they are few enough to print.
  std::vector<std::pair<Symbol, std::string>> input_values{};
};

/// What one engine says about an obligation (--cross-check).
struct EngineOpinion {
  std::string engine{};
  Obligation::Status status = Obligation::Status::undecided;
  std::string reason{};  // why undecided
};

struct ObligationReport {
  std::string id{};  // "1.2": second obligation of step 1; "2" for lint
  Obligation obligation{};
  bool replayed = false;                  // the witness was run and the violation observed
  std::vector<EngineOpinion> opinions{};  // of all engines, with --cross-check
};

struct StepReport {
  int number = 1;
  int line = 0;  // in the schedule's file
  std::string op{};
  std::vector<std::string> operands{};
  std::string text{};  // the whole line
  Verdict status = Verdict::legal;
  Licence licence = Licence::exact;
  bool judged = true;  // false: applied without being judged (--only)
  std::vector<ObligationReport> obligations{};
  std::optional<Observation> observation{};
};

/// One backend's runs on the sample cases.
struct ExecutionReport {
  std::string backend{};  // "interp", "c"
  std::string detail{};   // "gcc -O2"
  char rigour =
      'B';  // E order-exact cells, B bit-exact by specification, M by a model, S in an enclosure, U not compared
  std::optional<bool> equal{};  // rigour S: inside; nothing: not comparable
  int cases = 0;
  std::int64_t cells = 0;  // compared, over all cases
  std::vector<ParameterMap> sizes{};
};

/// A place beside the main one, with what happens there.
struct Label {
  std::string file{};
  Location where{};
  std::string text{};
};

enum class FindingKind : std::uint8_t { error, warning, note, unknown };
std::string_view name(FindingKind k);

/// Two threads that meet in a cell, or part at a barrier, side by side (RPL-5).
struct ThreadPair {
  struct Side {
    std::vector<std::int64_t> group{}, thread{};  // coordinates by slot, slot 0 first
    std::vector<std::pair<Symbol, std::int64_t>> iteration{};
    int statement = -1;
    Location where{};
    std::string does{};                       // "writes S[255]"
    std::optional<std::uint64_t> interval{};  // barrier instances that its group has passed in the launch
  };
  /// A line of the table: what it is about, both columns, and what is said beside them.
  struct Row {
    std::string label{}, a{}, b{}, note{};
  };
  Side a{}, b{};
  std::vector<Row> rows{};
  /// In how many cells of one copy the two statements meet like this, and how many there are; where they were counted.
  std::optional<std::int64_t> affected{}, cells{};
  bool of_new_program = false;  // statements and loops are those of the program after the step
  std::string obligation{};     // the number of the one that foretold it, or empty
};

/// One message: a headline at a place, related places, and remarks.
struct Finding {
  FindingKind kind = FindingKind::error;
  Diagnostic diagnostic{};
  std::vector<Label> labels{};
  std::vector<std::string> remarks{};
  std::optional<ThreadPair> threads{};
};

/// One section judged by `assay test`.
struct ExpectationReport {
  std::string file{};
  int line = 0;
  std::string command{};   // as written, or what followed from the section
  std::string expected{};  // the comment's words
  Verdict verdict = Verdict::error;
  std::vector<std::string> codes{};
  bool passed = false;
  std::vector<std::string> details{};  // the answer's last line and messages
};

/// An output of `run`.
struct OutputReport {
  Symbol buffer{};
  Type type = Type::f32;
  std::vector<std::int64_t> dims{};
  std::string values{};  // the first few
  std::string file{};    // where it was written, or empty
};

struct Report {
  std::string command{};
  std::string program{};
  Verdict verdict = Verdict::ok;
  std::optional<Licence> licence{};
  std::string claim{};  // what the verdict says, without its word
  std::vector<StepReport> steps{};
  std::vector<ObligationReport> obligations{};  // of a program, where there are no steps
  std::vector<ExecutionReport> executions{};
  std::vector<std::string> ran{};        // what was run, for people
  std::vector<std::string> omissions{};  // what was not done, and why
  std::vector<std::string> assumptions{};
  std::vector<Finding> findings{};
  std::optional<Observation> observation{};  // what refutes a program or a pair
  std::vector<ExpectationReport> expectations{};
  std::vector<OutputReport> outputs{};
  std::string kept{};  // the file that keeps a contradiction
  std::vector<SourceText> texts{};
  std::optional<double> seconds{};  // only with --timing
};

/// A report that is only an error, from diagnostics.
Report error_report(std::string command, std::vector<Diagnostic> diagnostics);
/// Adds a text that places refer to, once per file.
void add_text(Report& r, SourceText text);

/// `n = 3, m = 4`, or "no parameters" spelled as "" when there are none.
std::string text(const ParameterMap& parameters);
/// `a[1, 2]`, or `a` for rank 0.
std::string cell_text(const Symbol& buffer, const std::vector<std::int64_t>& cell);
/// `i=1, j=2`.
std::string text(const std::vector<std::pair<Symbol, std::int64_t>>& iteration);
/// "1 obligation", "3 obligations".
std::string count(std::int64_t n, std::string_view noun);
/// `a, b, c`.
std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");

}  // namespace assay::oracle
