// The helper functions of a generated unit: only those that a program uses are part of its text.
//
// Each operation that C has no exact spelling for is a small static function whose name says operation and type
// (`floordiv_i32`, `add_f16`, `exp_f32`). `use` returns the name and remembers the function and what it needs, in an order
// in which every function follows those that it calls. The texts assume IEEE formats, rounding to nearest and two's
// complement; none of them relies on compiler flags for wrapping or shifts.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/expr.hpp"
#include "ir/type.hpp"

namespace assay::codegen {

class Helpers {
 public:
  /// A device has no long double: there functions below f64 are evaluated in pairs of doubles. OpenCL has no heap.
  enum class Target { cpu, cuda, opencl };
  explicit Helpers(Target target = Target::cpu) : target_(target) {}

  /// The helper for an operation (from `neg` on, but the conversions with a name) whose operation_type is `t`.
  std::string use(Op op, Type t);
  /// A helper that is no operation of the language, by its C name: parts of conversions, index arithmetic, lanes, entry checks.
  std::string use(std::string_view runtime_name);

  /// The type of a vector of `width` numbers, which needs no more alignment than one of them.
  std::string use_vector(Type t, int width);

  /// The texts of all helpers in use, callees first.
  const std::string& text() const { return text_; }
  /// Whether the unit evaluates in long double (the entry then checks its precision) or in __float128 (libquadmath).
  bool uses_long_double() const { return long_double_; }
  bool uses_quad() const { return quad_; }
  /// The operations that were asked for and are not covered, as "pow at f32".
  const std::set<std::string>& uncovered() const { return uncovered_; }

 private:
  std::string integer(Op op, Type t) const;
  std::string real(Op op, Type t);
  std::string function(Op op, Type t);
  std::string random(Op op, Type t);
  std::string device_function(Op op, Type t);

  Target target_;
  std::set<std::string> in_use_;
  std::string text_;
  bool long_double_ = false;
  bool quad_ = false;
  std::set<std::string> uncovered_;
};

/// Whether C's own operator has exactly the meaning of the language at this type.
bool is_native(Op op, Type t);
/// The name of an operation inside identifiers: "add", "floordiv", …
std::string_view word(Op op);

/// `pattern` with each `$x` replaced by the text given for it (longest keys first in the list).
std::string fill(std::string_view pattern, const std::vector<std::pair<std::string_view, std::string_view>>& values);

/// The text of a runtime helper, and the runtime helpers that it calls; empty for an unknown name.
struct RuntimeHelper {
  std::string_view name;
  std::string_view needs;  // runtime helpers, with blanks between them
  std::string_view text;
};
const RuntimeHelper* find_runtime_helper(std::string_view name);
/// Those of functions in pairs of doubles, which are among them: `odd_exp_f64`, …
const RuntimeHelper* find_pair_helper(std::string_view name);

}  // namespace assay::codegen
