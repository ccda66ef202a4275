// The compiler from resolved programs to code: expressions, statements, and bodies of loops for strips.
#pragma once

#include <map>
#include <set>

#include "interp/compiled/code.hpp"

namespace assay::interp::compiled {

/// What is known of the frame that code is compiled for.
struct Context {
  const Context* outer = nullptr;
  int level = 0;  // of the resolved program
  bool strip = false;
  std::map<int, int> expanded{};  // strip: own slots by the thread's slots
  Layout* layout = nullptr;
};

/// What a strip of a loop needs, found by looking at the loop's body.
struct StripPlan {
  std::map<int, int> expanded{};
  std::set<const BoundStmt*> folds{};
};

class Compiler {
 public:
  Compiler(const BoundProgram& source, CompiledProgram& out) : source_(source), out_(out) {}
  void run();

 private:
  // compile.cpp: statements.
  NodeBlock block(const BoundBlock& b, const Context& c);
  Node statement(const BoundStmt& s, const Context& c);
  void loop(const BoundStmt& s, const Context& c, Node& n);
  std::unique_ptr<StripLoop> strip(const BoundStmt& s, const Context& c);
  std::unique_ptr<FoldCode> fold(const BoundStmt& s, const Context& c, Node& n);
  Reference reference(Slot s, const Context& c) const;
  IndexCode index(const BoundIndex& e, const Context& c) const;

  // compile_expression.cpp: expressions. `at` is the first temporary that is free.
  ExpressionCode expression(const BoundExpr& e, const Context& c, int at);
  int emit(const BoundExpr& e, const Context& c, int at);
  int emit_operation(const BoundExpr& e, const Context& c, int at);
  int emit_load(const BoundExpr& e, const Context& c, int at);
  int emit_choice(const BoundExpr& e, const Context& c, int at);
  int emit_scope(const BoundExpr& e, const Context& c, int at);
  void arm(const BoundExpr& e, const Context& c, int at, int into);
  /// The accesses's indices; the number of temporaries taken.
  int access(Access& a, int buffer, const std::vector<BoundExpr>& indices, Location where, const Context& c, int at);
  Instruction& push(Code code, const BoundExpr& e);
  int temporary(int number, const Context& c);

  const BoundProgram& source_;
  CompiledProgram& out_;
  std::vector<Instruction>* code_ = nullptr;
  std::uint32_t cost_ = 0;  // nodes entered since the last instruction
  int base_ = 0;            // first temporary of a statement: those of the expressions around it are below
  bool copies_ = false;     // variables are copied when they are read: a scope may change them behind
  const StripPlan* plan_ = nullptr;
  struct Use {
    const Access* access;
    bool store;
  };
  std::vector<Use> uses_{};  // of the strip in work, in order of evaluation
};

/// Whether the body of a serial loop of a thread can run in strips, and with which columns and accumulations.
bool plan_strip(const BoundStmt& loop, StripPlan& plan);
/// Null where the loop, of a thread, is not one.
std::shared_ptr<NestCode> plan_nest(const Node& loop);
/// Null where the threads of a group cannot run in lockstep.
std::unique_ptr<LockstepPlan> plan_lockstep(const BoundProgram& program, const BoundLaunch& launch);
/// Whether an operation can be inexact.
bool can_round(Op op, Type type);
/// Whether a scope inside writes more than its own variables.
bool writes_outside(const BoundExpr& e);
/// Where in the operands of the value's root the accumulation's old value is read; -1 where it is none of them.
int accumulator_position(const BoundStmt& s);

}  // namespace assay::interp::compiled
