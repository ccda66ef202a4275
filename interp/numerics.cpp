// One table over operations and operand types (NUM-3), filled from the families.
#include "interp/numerics.hpp"

#include <array>

#include "interp/numerics_tables.hpp"

namespace assay::numerics {
namespace {

using Table = std::array<std::array<Function, type_count>, op_count>;

Table make_table() {
  Table table{};
  for (std::size_t op = 0; op < op_count; ++op) {
    for (std::size_t type = 0; type < type_count; ++type) {
      for (const auto family : {find_float_arithmetic, find_float_function, find_integer_arithmetic,
                                find_bool_arithmetic, find_ruled_conversion, find_random_function}) {
        if (const Function f = family(static_cast<Op>(op), static_cast<Type>(type))) table[op][type] = f;
      }
    }
  }
  return table;
}

}  // namespace

Function find(Op op, Type operand) {
  static const Table table = make_table();
  return table[static_cast<std::size_t>(op)][static_cast<std::size_t>(operand)];
}

Scalar apply(Op op, const Scalar* operands, Flags& flags) { return find(op, operands[0].type)(operands, flags); }

}  // namespace assay::numerics
