// What a user is told: a coded message with a place, a reason and a way out; and Result<T>, a value or such messages.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace assay {

/// A place in a text; line and column count from 1 (columns in bytes), 0 when unknown. `length` is the span to underline.
struct Location {
  int line = 0;
  int column = 0;
  int length = 1;
  bool known() const { return line > 0; }
};

enum class Severity { error, warning, note };

struct Diagnostic {
  std::string code;     // "NAME-1", "SPLIT-3", …: what `assay explain` knows
  std::string message;  // one sentence, no full stop
  Location where{};     // in `file`; unknown when the message is about the whole input
  std::string help{};   // the way out; empty when there is none
  std::string file{};   // filled in by whoever knows the file
  Severity severity = Severity::error;
};

/// A value, or at least one diagnostic. Used wherever a caller can be told what is wrong; never throws.
template <typename T>
using Result = tl::expected<T, std::vector<Diagnostic>>;

inline tl::unexpected<std::vector<Diagnostic>> fail(Diagnostic d) {
  return tl::unexpected<std::vector<Diagnostic>>(std::vector<Diagnostic>{std::move(d)});
}

}  // namespace assay
