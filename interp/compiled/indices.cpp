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
  if (s.axis >= 0) lane = at->grid->coordinate[s.axis][lane];
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(s.base) + static_cast<std::uint64_t>(s.stride) * lane);
}

// Of an atom whose arguments are known.
std::int64_t atom_value(const AtomTerm& t, bool first, std::int64_t so_far, std::int64_t v) {
  switch (t.kind) {
    case IndexAtom::Kind::floordiv: return floor_div(v, t.divisor);
    case IndexAtom::Kind::floormod: return floor_mod(v, t.divisor);
    case IndexAtom::Kind::min: return first ? v : std::min(so_far, v);
    default: return first ? v : std::max(so_far, v);
  }
}

// Quotient or remainder of base + stride·lane, without a division for each lane.
void divide_line(const AtomTerm& t, std::int64_t base, std::int64_t stride, const Active& a, std::int64_t* out) {
  const std::int64_t quotients = floor_div(stride, t.divisor), remainders = floor_mod(stride, t.divisor);
  std::uint32_t at = a[0];
  const std::int64_t first = base + stride * static_cast<std::int64_t>(at);
  std::int64_t quotient = floor_div(first, t.divisor), remainder = floor_mod(first, t.divisor);
  for_each(a, [&](std::uint32_t l) {
    for (; at < l; ++at) {
      quotient += quotients;
      remainder += remainders;
      const bool carry = remainder >= t.divisor;
      quotient += carry ? 1 : 0;
      remainder -= carry ? t.divisor : 0;
    }
    out[l] = t.kind == IndexAtom::Kind::floordiv ? quotient : remainder;
  });
}

}  // namespace

// The part that is a sum of symbols. False where it is not of the form, or where that does not show without leaving
// int64 on the way.
bool Machine::linear_part(const IndexCode& e, Frame& f, std::int64_t& base, std::int64_t& stride) {
  if (e.overflowed) return false;
  std::int64_t b = e.constant, s = 0;
  for (const SymbolTerm& t : e.symbols) {
    const Frame& at = frame_at(f, t.symbol);
    const SymbolValue& v = at.symbols[t.symbol.slot];
    if (v.column || v.axis >= 0) return false;
    if (!add_product(b, v.base, t.coefficient)) return false;
    if (v.stride == 0) continue;
    if (t.symbol.depth == 0) {
      if (!add_product(s, v.stride, t.coefficient)) return false;
    } else if (at.total != 1) {
      return false;
    }
  }
  base = b;
  stride = s;
  return true;
}

bool Machine::linear(const IndexCode& e, Frame& f, std::int64_t& base, std::int64_t& stride) {
  if (!linear_part(e, f, base, stride)) return false;
  for (const AtomTerm& t : e.atoms) {
    std::int64_t value = 0;
    bool first = true;
    for (const IndexCode& arg : t.args) {
      std::int64_t v = 0, varies = 0;
      if (!linear(arg, f, v, varies) || varies != 0) return false;
      value = atom_value(t, first, value, v);
      first = false;
    }
    if (!add_product(base, value, t.coefficient)) return false;
  }
  return true;
}

// The mathematical value, by halves of the products so that no partial sum can leave 128 bits.
std::optional<std::int64_t> Machine::exact(const IndexCode& e, Frame& f, std::uint32_t lane) {
  if (e.overflowed) return std::nullopt;
  Int128 high = 0;
  Int128 low = e.constant;
  const auto add = [&](std::int64_t value, std::int64_t coefficient) {
    const Int128 product = static_cast<Int128>(value) * coefficient;
    high += product >> 64;
    low += static_cast<std::uint64_t>(product);
  };
  for (const SymbolTerm& t : e.symbols) add(symbol_value(t.symbol, f, lane), t.coefficient);
  for (const AtomTerm& t : e.atoms) {
    std::int64_t value = 0;
    bool first = true;
    for (const IndexCode& arg : t.args) {
      const auto v = exact(arg, f, lane);
      if (!v) return std::nullopt;
      value = atom_value(t, first, value, *v);
      first = false;
    }
    add(value, t.coefficient);
  }
  high += low >> 64;
  const auto rest = static_cast<std::uint64_t>(low);
  if (high != (static_cast<std::int64_t>(rest) < 0 ? -1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(rest);
}

// Term by term over the lanes. False where a sum left int64.
bool Machine::vector(const IndexCode& e, Frame& f, const Active& a, std::int64_t* out) {
  if (e.overflowed) return false;
  bool fits = true;
  if (!line(e, f, a, out)) {
    for_each(a, [&](std::uint32_t l) { out[l] = e.constant; });
    for (const SymbolTerm& t : e.symbols)
      for_each(a, [&](std::uint32_t l) { fits &= add_product(out[l], symbol_value(t.symbol, f, l), t.coefficient); });
  }
  for (const AtomTerm& t : e.atoms) {
    ArenaScope scope(arena_);
    auto* value = arena_.array<std::int64_t>(f.total);
    if (t.args.size() == 1) {
      std::int64_t base = 0, stride = 0, end = 0;
      if (linear(t.args[0], f, base, stride) && !__builtin_mul_overflow(stride, std::int64_t{a.last()} + 1, &end) &&
          !__builtin_add_overflow(base, end, &end)) {
        divide_line(t, base, stride, a, value);
      } else {
        if (!vector(t.args[0], f, a, value)) return false;
        for_each(a, [&](std::uint32_t l) { value[l] = atom_value(t, true, 0, value[l]); });
      }
    } else {
      auto* other = arena_.array<std::int64_t>(f.total);
      if (!vector(t.args[0], f, a, value)) return false;
      for (std::size_t k = 1; k < t.args.size(); ++k) {
        if (!vector(t.args[k], f, a, other)) return false;
        for_each(a, [&](std::uint32_t l) { value[l] = atom_value(t, false, value[l], other[l]); });
      }
    }
    for_each(a, [&](std::uint32_t l) { fits &= add_product(out[l], value[l], t.coefficient); });
  }
  return fits;
}

// The sum of symbols for all lanes, where both ends fit, so that everything between does.
bool Machine::line(const IndexCode& e, Frame& f, const Active& a, std::int64_t* out) {
  std::int64_t base = 0, stride = 0;
  if (!linear_part(e, f, base, stride)) return false;
  std::int64_t first = base, last = base;
  if (!add_product(first, stride, a[0]) || !add_product(last, stride, a.last())) return false;
  for_each(a, [&](std::uint32_t l) { out[l] = base + stride * static_cast<std::int64_t>(l); });
  return true;
}

bool Machine::values(const IndexCode& e, Frame& f, const Active& a, std::int64_t* out) {
  if (e.atoms.empty() && line(e, f, a, out)) return true;
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
