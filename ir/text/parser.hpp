// Recursive descent over one file of programs and schedules. Names are resolved and types assigned on the way, statement
// by statement; after an error the parser goes on at the next statement, declaration or program (SYN-11).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ir/text/elaborate.hpp"
#include "ir/text/lexer.hpp"
#include "ir/text/names.hpp"
#include "ir/text/reporter.hpp"
#include "ir/text/source.hpp"
#include "ir/text/syntax.hpp"

namespace assay::text {

/// Syntax trees may be higher than the expressions they stand for (LIM-3): a sum of index values is one node in the end.
inline constexpr int max_syntax_height = 2 * max_expression_height;

/// A program or schedule and where its first token stands: expectations are assigned by place (SCH-4).
template <typename T>
struct Placed {
  T value;
  std::size_t offset = 0;
};
struct Items {
  std::vector<Placed<Program>> programs{};
  std::vector<Placed<Schedule>> schedules{};
};

class Parser {
 public:
  Parser(std::string_view text, Reporter& reporter);
  /// `["air" INT] { program | schedule }`. What has errors is left out.
  Items file();
  /// The whole text as one expression over the names of `p`; null after a message.
  Expr expression_over(const Program& p);

 private:
  // A block and the height of its tree (for scopes inside expressions).
  struct Parsed {
    Block block{};
    int height = 0;
  };
  struct Loop {
    Index lo{}, hi{};
    std::int64_t step = 1;
    Axis axis = Axis::serial;
    bool good = true;
  };

  // Tokens.
  void advance();
  bool at(std::string_view spelling) const { return tok_.is(spelling); }
  bool accept(std::string_view spelling);
  bool expect(std::string_view spelling, std::string_view help = {});
  void unexpected(std::string_view wanted, std::string_view help = {});
  void stray(std::string_view wanted, std::string_view help = {});
  std::optional<Token> expect_name(std::string_view what);
  bool stopped() const { return reporter_.exhausted(); }
  Location here() const;
  Location after_previous() const;
  Location span(const Token& from) const;
  void skip_to_statement();
  void skip_block();
  void skip_to_program();
  void close(const Token& brace, std::string_view help);

  // Counts one level of nesting while it lives (LIM-2).
  class Nest {
   public:
    explicit Nest(Parser& p);
    ~Nest() { --parser_.depth_; }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;

   private:
    Parser& parser_;
  };

  // Declarations (parse_program.cpp).
  std::optional<Program> program();
  void parameter(Program& p);
  void requirement(Program& p);
  bool misspelt_declaration();
  void buffer(Program& p);
  bool dimensions(Buffer& b);
  bool range(Buffer& b);
  bool swizzle(Buffer& b);
  bool data(Buffer& b);
  bool elements(Buffer& b);
  std::optional<Int128> signed_integer();
  std::optional<Type> type();
  Schedule schedule();

  // Statements (parse_statement.cpp).
  Parsed block();
  void statement(Parsed& into);
  bool begins_statement() const;
  void no_statement();
  void loop(Parsed& into);
  bool loop_header(Loop& l);
  void branch(Parsed& into);
  void skip_to_body();
  void declare(Parsed& into);
  void assign_or_store(Parsed& into);
  void zero(Parsed& into);
  void add(Parsed& into, Stmt s, int height);

  // Expressions (parse_expression.cpp); null after a reported syntax error.
  const Syntax* expression();
  const Syntax* nested();  // one level deeper
  const Syntax* binary(int level);
  const Syntax* unary();
  const Syntax* primary();
  const Syntax* literal(bool negative, const Token& start);
  const Syntax* name_or_element();
  const Syntax* call(Op function);
  const Syntax* conversion();
  const Syntax* scope();
  bool arguments(std::string_view close, std::vector<const Syntax*>& into);
  const Syntax* make(Syntax s, const Token& start);
  void too_high(Location where);
  const Syntax* operation(Op op, std::vector<const Syntax*> args, const Token& start, Type written = Type::index);
  bool at_literal() const;
  void release_syntax();

  std::string_view text_;
  Reporter& reporter_;
  Lexer lexer_;
  Token tok_{};
  Position previous_end_{};   // just after the token before tok_
  std::size_t unclosed_ = 0;  // where the text ended for the block last reported as unclosed, plus one
  int depth_ = 0;
  int scope_depth_ = 0;
  SyntaxArena arena_{};
  std::optional<Names> names_{};
  std::optional<Elaborator> elaborator_{};
};

}  // namespace assay::text
