// Buffers at run time: storage, per-cell state, and the shadow cells of race detection.
//
// Every copy of a buffer has its elements in storage layout and one state byte per cell. Pages are taken from the system
// zeroed and untouched, so that a large buffer costs what is used of it. Inputs and constants are read in place.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "interp/interpreter.hpp"

namespace assay::interp {

/// State of a cell or variable: bits.
inline constexpr std::uint8_t defined = 1;
inline constexpr std::uint8_t marked = 2;  // not order-exact (EXEC-30)

/// The most memory, in bytes, that one run takes for buffers and copies (EXEC-26).
inline constexpr std::int64_t memory_limit = std::int64_t{4} << 30;

/// What a thread and a lane count for beside copies of buffers, in bytes: `values` symbols and variables of its own, and
/// of a lane `level` frames around it.
constexpr std::int64_t thread_bytes(int values) { return 768 + 16 * std::int64_t{values}; }
constexpr std::int64_t lane_bytes(int values, int level) {
  return 16 * std::int64_t{values} + 8 * (std::int64_t{level} + 2);
}

/// Zeroed memory that is committed as it is touched; null when there is none.
template <typename T>
class ZeroedArray {
 public:
  ZeroedArray() = default;
  explicit ZeroedArray(std::size_t n) : data_(static_cast<T*>(std::calloc(n == 0 ? 1 : n, sizeof(T)))) {
    if (!data_) throw std::bad_alloc();
  }
  T* get() const { return data_.get(); }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> data_;
};

/// One copy of a buffer.
struct Copy {
  ZeroedArray<unsigned char> elements{};
  ZeroedArray<std::uint8_t> states{};
  std::uint8_t blanket = 0;  // `marked` when every cell counts as marked (EXEC-32)
};

/// The first accesses to a cell of a launch, or of a barrier interval, as ordinals; those of earlier ones are stale.
struct Shadow {
  std::uint64_t load = 0;
  std::uint64_t store = 0;
};

/// Those of a barrier interval, with the threads that made them: numbers of threads in the group.
struct ThreadShadow : Shadow {
  std::uint64_t other_load = 0;  // the first load by another thread than the first one's
  std::uint32_t storer = 0, loader = 0;
};

/// A buffer as the walk sees it: shape, and the copy that is current.
struct Memory {
  const Buffer* buffer = nullptr;
  std::vector<std::int64_t> dims{};
  std::int64_t size = 0;  // cells
  int width = 4;          // bytes of an element
  const unsigned char* elements = nullptr;
  unsigned char* writable = nullptr;  // the same elements, or null for input and const
  std::uint8_t* states = nullptr;     // null: every cell is defined and unmarked
  std::uint8_t* blanket = nullptr;    // null where states is
  Shadow* shadow = nullptr;           // of the launch; null: the groups' accesses are not watched
  ThreadShadow* recent = nullptr;     // of the barrier interval; null: the threads' accesses are not watched
  bool ranged = false;
  std::int64_t lane_pitch = 0;            // compiled code: cells between the copies of two lanes; 0: they share one
  std::int64_t group_pitch = 0;           // the same between two groups that run together
  Copy own{};                             // unless the copies belong to threads, or the elements to a tensor
  std::vector<unsigned char> constant{};  // kind constant
  ZeroedArray<Shadow> shadow_cells{};
  ZeroedArray<ThreadShadow> recent_cells{};
  /// Where groups run together, what their threads share is known to be without a race.
  bool watched() const { return group_pitch == 0 && (shadow != nullptr || recent != nullptr); }

  std::uint64_t bits(std::int64_t flat) const {
    const unsigned char* p = elements + flat * width;
    std::uint64_t v = 0;
    switch (width) {
      case 1: return *p;
      case 2: std::memcpy(&v, p, 2); return v;
      case 4: std::memcpy(&v, p, 4); return v;
      default: std::memcpy(&v, p, 8); return v;
    }
  }
  /// The upper half of an element of 16 bytes, of which bits() gives the lower one.
  std::uint64_t high(std::int64_t flat) const {
    std::uint64_t v = 0;
    std::memcpy(&v, elements + flat * width + 8, 8);
    return v;
  }
  void set_high(std::int64_t flat, std::uint64_t v) const { std::memcpy(writable + flat * width + 8, &v, 8); }
  void set_bits(std::int64_t flat, std::uint64_t v) const {
    unsigned char* p = writable + flat * width;
    switch (width) {
      case 1: std::memcpy(p, &v, 1); break;
      case 2: std::memcpy(p, &v, 2); break;
      case 4: std::memcpy(p, &v, 4); break;
      default: std::memcpy(p, &v, 8); break;
    }
  }
  /// Bytes of one copy: elements and states.
  std::int64_t copy_bytes() const { return size * (width + 1); }
  Copy new_copy() const {
    return {ZeroedArray<unsigned char>(static_cast<std::size_t>(size * width)),
            ZeroedArray<std::uint8_t>(static_cast<std::size_t>(size)), 0};
  }
  /// Makes `c` the current copy.
  void use(Copy& c) {
    elements = writable = c.elements.get();
    states = c.states.get();
    blanket = &c.blanket;
  }
  /// Makes every cell of the current copy undefined.
  void forget() const {
    std::memset(states, 0, static_cast<std::size_t>(size));
    *blanket = 0;
  }
};

/// The buffers of `p`, inputs checked. With `only`, races are looked for in that buffer alone. Throws Faulted (RUN-5, RUN-9)
/// and Exhausted.
std::vector<Memory> set_up_memory(const Program& p, const ParameterMap& parameters, const TensorMap& inputs,
                                  bool detect_races, const std::optional<Symbol>& only = {});
/// Moves the observed buffers into the outcome. Throws Faulted (RUN-6).
void take_outputs(const std::vector<Memory>& memory, Outcome& into, bool with_marks);

}  // namespace assay::interp
