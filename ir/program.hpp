// A whole program: parameters, requirements, buffers and the statements.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/expr.hpp"

namespace assay {

/// `param n in lo..hi`: any integer lo <= n < hi.
struct Parameter {
  Symbol name;
  std::int64_t lo = 0, hi = 0;
  Location where{};
};

struct Buffer {
  Symbol name;
  BufferKind kind = BufferKind::input;
  Type type = Type::f32;
  std::vector<Index> dims{};  // over parameters; row major
  /// `in lo..hi` of an integer input: every element v has lo <= v < hi.
  std::optional<std::pair<Int128, Int128>> range{};
  std::vector<Scalar> data{};  // kind constant: row major
  Location where{};
  Swizzle swizzle = Swizzle::none;  // of the rows: the last axis
};

struct Program {
  std::string name;
  std::vector<Parameter> parameters{};
  std::vector<Expr> requirements{};  // bool, affine over parameters (possibly under && || !)
  std::vector<Buffer> buffers{};
  Block body{};
  Location where{};

  const Buffer* find_buffer(const Symbol& name) const;
  const Parameter* find_parameter(const Symbol& name) const;
  /// Every name that is bound anywhere: parameters, buffers, loop symbols, variables, scope variables.
  std::set<Symbol> bound_names() const;
  bool operator==(const Program& other) const;
};

/// Fresh names: `stem`, then `stem.1`, `stem.2`, … where the stem of `i.3` is `i`. Keeps what it has handed out.
class NameSupply {
 public:
  explicit NameSupply(std::set<Symbol> taken) : taken_(std::move(taken)) {}
  bool taken(const Symbol& s) const { return taken_.count(s) != 0; }
  void take(const Symbol& s) { taken_.insert(s); }
  /// `wanted` itself when free, else the next free numbered copy of its stem.
  Symbol fresh(const Symbol& wanted);

 private:
  std::set<Symbol> taken_;
  std::map<std::string, int> next_;
};
/// `i` for `i.3`.
std::string stem(const Symbol& s);

/// Gives every statement (those inside scopes too) the provenance {its preorder number, identity on its loop symbols}.
/// A transform that rewrites the result with ir/traverse.hpp carries the claim "this comes from there" along by itself.
Program number_statements(const Program& p);

}  // namespace assay
