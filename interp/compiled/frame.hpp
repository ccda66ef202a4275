// Where compiled code keeps its values: frames of columns, one element per lane.
//
// A frame belongs to a thread (one lane), to the lanes of a vectorized loop, to a strip: consecutive iterations of a
// serial loop that run operation by operation, or to the threads of a group in lockstep. A column holds the values of one variable or temporary for all lanes, each
// as wide as its type. Loop symbols are kept as base + stride·lane wherever they are that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace assay::interp::compiled {

/// The lanes that execute: all of [first, first + count), or the ascending ones of a list.
struct Active {
  const std::uint32_t* list = nullptr;
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  std::uint32_t operator[](std::uint32_t i) const { return list != nullptr ? list[i] : first + i; }
  std::uint32_t last() const { return (*this)[count - 1]; }
  /// One past the last lane.
  std::uint32_t end() const { return last() + 1; }
  static Active one(std::uint32_t lane) { return {nullptr, lane, 1}; }
  static Active of(const std::uint32_t* list, std::uint32_t count) { return {list, list[0], count}; }
};

template <typename F>
inline void for_each(const Active& a, F f) {
  if (a.list != nullptr) {
    for (std::uint32_t i = 0; i < a.count; ++i) f(a.list[i]);
  } else {
    const std::uint32_t end = a.first + a.count;
    for (std::uint32_t l = a.first; l < end; ++l) f(l);
  }
}

/// Lanes that are the points of a grid, the first axis fastest.
struct LaneGrid {
  static constexpr int most = 3;
  int axes = 1;
  std::uint32_t extent[most] = {1, 1, 1};
  const std::uint32_t* coordinate[most] = {nullptr, nullptr, nullptr};  // by lane
};

/// The values of a loop symbol: base + stride·lane, base + stride·coordinate, or those of the column of its slot.
struct SymbolValue {
  std::int64_t base = 0, stride = 0;
  bool column = false;
  std::int8_t axis = -1;  // of the frame's grid; −1: the lane
};

struct Frame {
  Frame* outer = nullptr;
  const std::uint32_t* parent = nullptr;  // lane of `outer` by lane; null: `outer` has one lane
  std::uint32_t total = 1;
  bool strip = false;              // lanes stand for what runs one after the other, and may store one cell
  const LaneGrid* grid = nullptr;  // where the lanes are a grid of more axes than one
  std::size_t pitch = 0;           // bytes of a column
  unsigned char* columns = nullptr;
  std::uint8_t* states = nullptr;  // by slot, then lane
  SymbolValue* symbols = nullptr;  // by slot
  std::uint8_t* seen = nullptr;    // states of all that the expression has read, by lane
  std::uint8_t* inexact = nullptr;

  unsigned char* column(int c) const { return columns + static_cast<std::size_t>(c) * pitch; }
  std::uint8_t* state(int slot) const { return states + static_cast<std::size_t>(slot) * total; }
};

/// Memory that is taken and given back in the order of a stack.
class Arena {
 public:
  struct Mark {
    std::size_t block = 0, used = 0;
  };
  Mark mark() const { return {block_, used_}; }
  void release(Mark m) {
    block_ = m.block;
    used_ = m.used;
  }
  /// Uninitialized, aligned to 16 bytes. Throws std::bad_alloc.
  void* take(std::size_t bytes) {
    bytes = (bytes + 15) & ~std::size_t{15};
    while (true) {
      if (block_ < blocks_.size() && used_ + bytes <= blocks_[block_].size) {
        void* p = blocks_[block_].data.get() + used_;
        used_ += bytes;
        return p;
      }
      if (block_ + 1 < blocks_.size()) {
        ++block_;
        used_ = 0;
        continue;
      }
      const std::size_t size = bytes > least ? bytes : least;
      blocks_.push_back({std::unique_ptr<unsigned char[]>(new unsigned char[size]), size});
      block_ = blocks_.size() - 1;
      used_ = 0;
    }
  }
  template <typename T>
  T* array(std::size_t n) {
    return static_cast<T*>(take(n * sizeof(T)));  // NOLINT(bugprone-sizeof-expression): T may be a pointer
  }

 private:
  static constexpr std::size_t least = std::size_t{1} << 17;
  struct Block {
    std::unique_ptr<unsigned char[]> data;
    std::size_t size = 0;
  };
  std::vector<Block> blocks_{};
  std::size_t block_ = 0, used_ = 0;
};

/// Gives back at the end of a scope what was taken inside it.
class ArenaScope {
 public:
  explicit ArenaScope(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
  ~ArenaScope() { arena_.release(mark_); }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena& arena_;
  Arena::Mark mark_;
};

}  // namespace assay::interp::compiled
