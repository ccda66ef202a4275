// Nests of loops as code for one thread whose addresses are known when the outermost loop is entered.
//
// Every access of a nest is a stream: a cell that moves by a fixed distance with each loop. Operations take their operands
// where they are and leave their result where it goes, so that an iteration is a few calls on pointers. Loops have
// bounds that do not change inside the nest; bodies are leaves without scopes, choices or computed indices. The lanes of
// a short vectorized loop run one after the other where no lane touches what another one stores.
#pragma once

#include "interp/compiled/code.hpp"

namespace assay::interp::compiled {

/// A place of values: what `kind` says, by number.
struct NestOperand {
  enum class Kind : std::uint8_t { stream, column, variable, literal, value };
  Kind kind = Kind::column;
  int number = 0;
  int lanes = -1;  // column, variable: the vectorized loop whose lane has it; −1: the thread
};

/// How an index value changes with the loops of the nest: by loop, per iteration.
struct NestLine {
  const IndexCode* index = nullptr;
  int lanes = -1;  // the vectorized loop that it is inside of
  std::vector<std::int64_t> along{};
};
struct NestStream {
  const Access* access = nullptr;
  bool store = false;
  std::vector<NestLine> dims{};
};

struct NestOp {
  enum class Kind : std::uint8_t { step, kernel, divide };
  Kind kind = Kind::step;
  int out = -1, a = -1, b = -1, c = -1, d = -1;  // operands
  Step step = nullptr;
  Kernel kernel = nullptr;
  KernelOperands types{};
};

/// A leaf, or a loop.
struct NestItem {
  int loop = -1;
  std::vector<int> reads{};  // operands that must be defined
  std::vector<NestOp> ops{};
  int target = 0;
  std::uint8_t state = 0;  // that the target has afterwards
};
struct NestLoop {
  IndexCode lo{}, hi{};
  std::int64_t step = 1;
  int symbol = 0;                 // slot
  int outer = -1;                 // loop
  const Layout* lanes = nullptr;  // of a vectorized loop
  std::uint64_t most = 0;         // trips; from there on it is faster by itself
  std::vector<NestItem> body{};
  std::uint64_t cost = 0;  // operations of an iteration, without those of loops inside
};

struct NestCode {
  std::vector<NestLoop> loops{};  // the outermost one first, each before those inside it
  std::vector<NestOperand> operands{};
  std::vector<NestStream> streams{};
  std::vector<NestLine> values{};
  std::vector<Scalar> literals{};
  std::size_t pointers = 0;  // at most: that are kept into streams
};

}  // namespace assay::interp::compiled
