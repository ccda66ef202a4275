// Equality of observed values and coordinates of flat offsets.
#include "ir/tensor.hpp"

namespace assay {

bool is_nan(Scalar s) {
  switch (s.type) {
    case Type::f64: return (s.bits & 0x7fffffffffffffffU) > 0x7ff0000000000000U;
    case Type::f32: return (s.bits & 0x7fffffffU) > 0x7f800000U;
    case Type::f16: return (s.bits & 0x7fffU) > 0x7c00U;
    case Type::bf16: return (s.bits & 0x7fffU) > 0x7f80U;
    case Type::f8e5m2: return (s.bits & 0x7fU) > 0x7cU;
    case Type::f8e4m3fn: return (s.bits & 0x7fU) == 0x7fU;
    default: return false;
  }
}

bool same_value(Scalar a, Scalar b) { return a == b || (a.type == b.type && is_nan(a) && is_nan(b)); }

std::vector<std::int64_t> unflatten(std::int64_t flat, const std::vector<std::int64_t>& dims) {
  std::vector<std::int64_t> cell(dims.size());
  for (std::size_t i = dims.size(); i-- > 0;) {
    cell[i] = flat % dims[i];
    flat /= dims[i];
  }
  return cell;
}

}  // namespace assay
