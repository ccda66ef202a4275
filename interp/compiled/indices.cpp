// Index values: as base + stride·lane where that is what they are, else lane by lane; never a wrong value.
#include <algorithm>
#include <limits>

#include "interp/compiled/machine.hpp"

namespace assay::interp::compiled {
namespace {

std::int64_t symbol_value(Reference r, const Frame& f, std::uint32_t lane) {
  const Frame* at = &f;
  for (int d = 0; d < r.depth; ++d) {
    lane = at->parent != nullptr ? at->parent[lane] : 0;
    at = at->outer;
  }
  const SymbolValue& s = at->symbols[r.slot];
  if (s.column) return reinterpret_cast<const std::int64_t*>(at->column(r.slot))[lane];
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(s.base) + static_cast<std::uint64_t>(s.stride) * lane);
}

bool add_product(std::int64_t& sum, std::int64_t value, std::int64_t coefficient) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(value, coefficient, &product) && !__builtin_add_overflow(sum, product, &sum);
}

}  // namespace

// False where the value is not of the form, or where that does not show without leaving int64 on the way.
bool Machine::linear(const IndexCode& e, Frame& f, std::int64_t& base, std::int64_t& stride) {
  if (e.overflowed) return false;
  std::int64_t b = e.constant, s = 0;
  for (const IndexTerm& t : e.terms) {
    std::int64_t term_base = 0, term_stride = 0;
    if (t.kind == IndexAtom::Kind::symbol) {
      const Frame& at = frame_at(f, t.symbol);
      const SymbolValue& v = at.symbols[t.symbol.slot];
      if (v.column) return false;
      term_base = v.base;
      if (t.symbol.depth == 0) {
        term_stride = v.stride;
      } else if (v.stride != 0 && at.total != 1) {
        return false;
      }
    } else {
      bool first = true;
      for (const IndexCode& arg : t.args) {
        std::int64_t v = 0, varies = 0;
        if (!linear(arg, f, v, varies) || varies != 0) return false;
        switch (t.kind) {
          case IndexAtom::Kind::floordiv: term_base = floor_div(v, t.divisor); break;
          case IndexAtom::Kind::floormod: term_base = floor_mod(v, t.divisor); break;
          case IndexAtom::Kind::min: term_base = first ? v : std::min(term_base, v); break;
          default: term_base = first ? v : std::max(term_base, v); break;
        }
        first = false;
      }
    }
    if (!add_product(b, term_base, t.coefficient) || !add_product(s, term_stride, t.coefficient)) return false;
  }
  base = b;
  stride = s;
  return true;
}

// The mathematical value, by halves of the products so that no partial sum can leave 128 bits.
std::optional<std::int64_t> Machine::exact(const IndexCode& e, Frame& f, std::uint32_t lane) {
  if (e.overflowed) return std::nullopt;
  Int128 high = 0;
  Int128 low = e.constant;
  for (const IndexTerm& t : e.terms) {
    std::int64_t value = 0;
    if (t.kind == IndexAtom::Kind::symbol) {
      value = symbol_value(t.symbol, f, lane);
    } else {
      bool first = true;
      for (const IndexCode& arg : t.args) {
        const auto v = exact(arg, f, lane);
        if (!v) return std::nullopt;
        switch (t.kind) {
          case IndexAtom::Kind::floordiv: value = floor_div(*v, t.divisor); break;
          case IndexAtom::Kind::floormod: value = floor_mod(*v, t.divisor); break;
          case IndexAtom::Kind::min: value = first ? *v : std::min(value, *v); break;
          default: value = first ? *v : std::max(value, *v); break;
        }
        first = false;
      }
    }
    const Int128 product = static_cast<Int128>(value) * t.coefficient;
    high += product >> 64;
    low += static_cast<std::uint64_t>(product);
  }
  high += low >> 64;
  const auto rest = static_cast<std::uint64_t>(low);
  if (high != (static_cast<std::int64_t>(rest) < 0 ? -1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(rest);
}

// Term by term over the lanes. False where a sum left int64, which may be a lane that does not count.
bool Machine::vector(const IndexCode& e, Frame& f, const Active& a, std::int64_t* out) {
  if (e.overflowed) return false;
  bool fits = true;
  for_each(a, [&](std::uint32_t l) { out[l] = e.constant; });
  for (const IndexTerm& t : e.terms) {
    if (t.kind == IndexAtom::Kind::symbol) {
      for_each(a, [&](std::uint32_t l) { fits &= add_product(out[l], symbol_value(t.symbol, f, l), t.coefficient); });
      continue;
    }
    ArenaScope scope(arena_);
    auto* value = arena_.array<std::int64_t>(f.total);
    auto* other = t.args.size() > 1 ? arena_.array<std::int64_t>(f.total) : nullptr;
    if (!vector(t.args[0], f, a, value)) return false;
    switch (t.kind) {
      case IndexAtom::Kind::floordiv:
        for_each(a, [&](std::uint32_t l) { value[l] = floor_div(value[l], t.divisor); });
        break;
      case IndexAtom::Kind::floormod:
        for_each(a, [&](std::uint32_t l) { value[l] = floor_mod(value[l], t.divisor); });
        break;
      default:
        for (std::size_t k = 1; k < t.args.size(); ++k) {
          if (!vector(t.args[k], f, a, other)) return false;
          if (t.kind == IndexAtom::Kind::min) {
            for_each(a, [&](std::uint32_t l) { value[l] = std::min(value[l], other[l]); });
          } else {
            for_each(a, [&](std::uint32_t l) { value[l] = std::max(value[l], other[l]); });
          }
        }
        break;
    }
    for_each(a, [&](std::uint32_t l) { fits &= add_product(out[l], value[l], t.coefficient); });
  }
  return fits;
}

bool Machine::values(const IndexCode& e, Frame& f, const Active& a, std::int64_t* out) {
  std::int64_t base = 0, stride = 0;
  if (linear(e, f, base, stride)) {
    // Both ends fit, so everything between does.
    std::int64_t first = base, last = base;
    if (stride == 0) {
      for_each(a, [&](std::uint32_t l) { out[l] = base; });
      return true;
    }
    if (add_product(first, stride, a[0]) && add_product(last, stride, a.last())) {
      for_each(a, [&](std::uint32_t l) { out[l] = base + stride * static_cast<std::int64_t>(l); });
      return true;
    }
  }
  if (a.count > 1 && vector(e, f, a, out)) return true;
  bool fits = true;
  for_each(a, [&](std::uint32_t l) {
    const auto v = exact(e, f, l);
    fits &= v.has_value();
    out[l] = v.value_or(0);
  });
  return fits;
}

}  // namespace assay::interp::compiled
