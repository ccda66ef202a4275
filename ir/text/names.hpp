// Visible names while a program is read, and the renaming that makes every binder unique (NAME-1 … NAME-5).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/program.hpp"
#include "ir/text/reporter.hpp"

namespace assay::text {

struct Binding {
  enum class Kind {
    parameter,
    buffer,
    loop,
    variable,
    broken
  };  // broken: its declaration was wrong; uses are not reported
  Kind kind = Kind::broken;
  Symbol symbol{};          // unique in the program
  Type type = Type::index;  // buffer, variable
  std::size_t rank = 0;     // buffer
  Location where{};
};

class Names {
 public:
  explicit Names(Reporter& reporter) : reporter_(reporter) {}

  /// A parameter or a buffer. False, after a message, when the name is taken.
  bool declare_global(std::string_view name, Binding binding);
  /// A loop symbol, variable or scope variable: visible until `release`. Gives its unique symbol.
  Symbol introduce(std::string_view name, Binding::Kind kind, Type type, Location where);
  /// Nothing when it is not visible; `report_unknown` says so.
  const Binding* find(std::string_view name) const;
  void report_unknown(std::string_view name, Location where);

  std::size_t mark() const { return introduced_.size(); }
  /// The binders introduced since `mark` are no longer visible.
  void release(std::size_t mark);

  NameSupply& supply() { return supply_; }

 private:
  Reporter& reporter_;
  std::unordered_map<std::string, Binding> visible_{};
  std::unordered_map<std::string, Location> ended_{};
  std::vector<std::string> introduced_{};
  NameSupply supply_{{}};
};

}  // namespace assay::text
