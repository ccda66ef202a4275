// Collects the errors of one text, up to a limit (LIM-5).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/diagnostic.hpp"

namespace assay::text {

inline constexpr std::size_t max_errors = 50;

class Reporter {
 public:
  explicit Reporter(std::string file) : file_(std::move(file)) {}

  void error(std::string code, Location where, std::string message, std::string help = {}) {
    if (exhausted_ || repeats(where)) return;
    if (errors_.size() == max_errors) {
      exhausted_ = true;
      errors_.push_back(
          {"LIM-5", "too many errors: the rest of the text is not looked at", where, {}, file_, Severity::error});
      return;
    }
    errors_.push_back({std::move(code), std::move(message), where, std::move(help), file_, Severity::error});
  }
  /// Reports and stops: nothing later in the text is worth a message.
  void fatal(std::string code, Location where, std::string message, std::string help = {}) {
    error(std::move(code), where, std::move(message), std::move(help));
    exhausted_ = true;
  }
  void add(std::vector<Diagnostic> found) {
    for (Diagnostic& d : found) error(std::move(d.code), d.where, std::move(d.message), std::move(d.help));
  }

  /// No further error is kept: whoever reads the text should stop.
  bool exhausted() const { return exhausted_; }
  std::size_t count() const { return errors_.size(); }
  /// The errors in the order of the text.
  std::vector<Diagnostic> take();

 private:
  // A second message at the place of the one before only says that the parser is lost.
  bool repeats(Location where) const {
    return !errors_.empty() && where.known() && errors_.back().where.line == where.line &&
           errors_.back().where.column == where.column;
  }

  std::string file_;
  std::vector<Diagnostic> errors_{};
  bool exhausted_ = false;
};

}  // namespace assay::text
