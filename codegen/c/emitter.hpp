// The statements and expressions of a program as C text.
//
// Two modes. In *scalar* mode a statement becomes the C statement that one would write by hand. In *lane* mode, inside a
// @vectorized loop, every leaf statement becomes loops over the active lanes: first all lanes evaluate, then all lanes
// store. What differs between lanes lives in arrays over the lanes: variables, symbols of loops whose bounds depend on the
// lane, and the masks that `if` and such loops make. Everything else stays scalar. A scope inside an expression runs in
// scalar mode, lane by lane, as a GNU statement expression, so that it is evaluated only where its expression is.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/c.hpp"
#include "codegen/c/helpers.hpp"
#include "codegen/c/names.hpp"
#include "codegen/c/text.hpp"
#include "ir/program.hpp"
#include "ir/tile_instruction.hpp"

namespace assay::codegen {

class Emitter {
 public:
  Emitter(const Program& p, Dialect dialect, Helpers& helpers);

  /// Emits into the text at the current indentation.
  void block(const Block& b);
  void line(std::string_view text);
  /// `header {`, the lines of `inner` one level deeper, `}`.
  void braces(std::string_view header, const std::function<void()>& inner);
  /// What `inner` emits, one level deeper than here, in place of emitting it.
  std::string indented(const std::function<void()>& inner);

  /// Makes hardware loops bind their symbol to a coordinate (the identifier given here) instead of iterating.
  void bind_loops(std::map<const StmtNode*, std::string> coordinates) { coordinates_ = std::move(coordinates); }
  /// Declares the symbol of a hardware loop, as its value in the threads at a coordinate.
  void bind(const Stmt& loop, const std::string& coordinate);
  /// Statements that someone else emits, each by a call of its own.
  void render(std::map<const StmtNode*, std::function<void(const Stmt&)>> by) { rendered_ = std::move(by); }
  void barrier();

  /// Makes tile products among threads the matrix instructions that they fit, by functions whose names are kept.
  void use_instructions(TileInstructions instructions) { instructions_ = std::move(instructions); }
  /// Makes these stores asynchronous copies of so many elements, which every barrier then waits for (ASYNC-3, ASYNC-7).
  void use_copies(std::map<const StmtNode*, int> stores) { copies_ = std::move(stores); }
  const std::set<std::string>& tile_functions() const { return tile_functions_; }

  Text expression(const Expr& e);
  Text index(const Index& e);
  /// `for (…)` over lo <= symbol < hi, with no overflow at the ends of the 64-bit range.
  std::string loop_header(const std::string& variable, const Index& lo, const Index& hi, std::int64_t step);
  std::string trip_count(const Stmt& loop);
  /// The number of cells of a buffer.
  Text cells(const Buffer& b);
  /// Declarations of arrays, and the statements that free those of them that live on the heap.
  struct Arrays {
    std::vector<std::string> declarations, release;
  };
  /// Adds an array of `count` elements (`constant`, when that is known; small arrays live on the stack).
  void array(Type element, const std::string& name, const std::string& count, std::optional<std::int64_t> constant,
             Arrays& into);
  void lines(const std::vector<std::string>& texts);
  /// The statements of a launch, between the declarations and the release of its local buffers.
  void with_locals(const Program& part);

  Names& names() { return names_; }
  Helpers& helpers() { return helpers_; }

 private:
  /// The lanes of one @vectorized loop (times those around it).
  struct Lanes {
    const Lanes* parent = nullptr;
    std::string count;                     // text of the number of lanes
    std::optional<std::int64_t> constant;  // when it is known
    std::string lane;                      // the identifier that counts lanes
    std::vector<std::string> bindings;     // declarations at the head of every loop over the lanes
    std::string mask;                      // array of active lanes; empty when all are
    std::string cell;                      // scratch array of offsets, once needed
    std::map<Type, std::string> values;    // scratch arrays by element type
    Arrays arrays;
    std::vector<Symbol> own;             // symbols and variables that are per lane of these lanes
    std::optional<Symbol> side_by_side;  // the symbol of the loop, where it is one more in each next lane
  };

  /// What was emitted so far; empties it.
  std::string take() { return std::exchange(out_, std::string()); }
  void statement(const Stmt& s);
  void loop(const Stmt& s);
  void branch(const Stmt& s);
  void clear(const Buffer& b);
  /// An asynchronous copy of `elements` elements, the first of which is in `target`.
  void copy(const Stmt& s, const std::string& target, int elements);
  /// A tile product among threads.
  void product(const Stmt& s, const std::string& lane);
  void vectorized(const Stmt& s);
  void lane_statement(const Stmt& s);
  void lane_branch(const Stmt& s);
  void lane_loop(const Stmt& s);
  /// Evaluates `value` (and `offset`, for a store) in all active lanes, then assigns to `target` in lane order.
  void lane_assignment(const Expr& value, const Text* offset, const std::string& target);
  struct VectorPlan;
  /// The same in vectors, when the statement qualifies; false, and nothing is emitted, when it does not. Without `indices` the
  /// target is a variable.
  bool vector_assignment(const Expr& value, const Symbol& target, const std::vector<Expr>* indices);
  bool vectorizes(const Expr& e, Type t) const;
  bool moves_with_lane(const Symbol& buffer, const std::vector<Expr>& indices) const;
  bool is_lane_variable(const Symbol& s) const;
  Text vector_text(const Expr& e, VectorPlan& plan);
  void in_vectors(const VectorPlan& plan, const std::string& vector_line, const std::string& lane_line);
  enum class Which { active, all };
  void each_lane(const Lanes& lanes, Which which, const std::function<void()>& inner, bool bind = true);
  void per_lane(Lanes& lanes, const Symbol& symbol, const std::string& text);
  std::string lane_array(Lanes& lanes, Type element, std::string_view stem);
  void with_mask(const std::string& mask, const std::function<void()>& inner);
  bool varies(const Expr& e) const;
  bool varies(const Index& e) const;

  Text offset(const Symbol& buffer, const std::vector<Expr>& indices);
  Text conversion(Type to, const Expr& source);
  Text rounding_conversion(const std::string& helper, const Expr& source);
  Text operation(const Expr& e);
  /// An expression whose value another operation waits for while it may evaluate more.
  Text operand(const Expr& e);
  Text scope(const Expr& e);
  std::string symbol_text(const Symbol& s);

  const Program& program_;
  Dialect dialect_;
  Names names_;
  Helpers& helpers_;
  std::string out_;
  int depth_ = 0;
  std::int64_t stack_bytes_ = 0;
  Lanes* lanes_ = nullptr;                              // lane mode inside these
  std::map<Symbol, std::string> per_lane_;              // text of symbols and variables that differ between lanes
  std::map<const StmtNode*, std::string> coordinates_;  // of hardware loops that do not iterate
  std::map<const StmtNode*, std::function<void(const Stmt&)>> rendered_;
  TileInstructions instructions_{};
  std::map<const StmtNode*, int> copies_{};
  std::set<std::string> tile_functions_{};
};

}  // namespace assay::codegen
