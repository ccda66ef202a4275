// Choice and assembly of helpers: which operations are C's own, names, and the order of the texts.
#include "codegen/c/helpers.hpp"

#include <algorithm>

#include "codegen/c/text.hpp"

namespace assay::codegen {

std::string fill(std::string_view pattern, const std::vector<std::pair<std::string_view, std::string_view>>& values) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size();) {
    const auto match = [&](const auto& kv) { return pattern.compare(i, kv.first.size(), kv.first) == 0; };
    const auto found = pattern[i] == '$' ? std::find_if(values.begin(), values.end(), match) : values.end();
    if (found == values.end()) {
      out += pattern[i++];
    } else {
      out += found->second;
      i += found->first.size();
    }
  }
  return out;
}

std::string_view word(Op op) {
  switch (op) {
    case Op::neg: return "neg";
    case Op::add: return "add";
    case Op::sub: return "sub";
    case Op::mul: return "mul";
    case Op::div: return "div";
    case Op::eq: return "eq";
    case Op::ne: return "ne";
    case Op::lt: return "lt";
    case Op::le: return "le";
    case Op::gt: return "gt";
    case Op::ge: return "ge";
    case Op::block: return "block";
    default: return info(op).text;  // a function's own name
  }
}

bool is_native(Op op, Type t) {
  if (op == Op::land || op == Op::lor || op == Op::lnot) return true;
  const bool wide_float = t == Type::f32 || t == Type::f64;
  if (is_comparison(op)) return wide_float || (!is_float(t) && t != Type::u32x4);
  switch (op) {
    case Op::neg:
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div: return wide_float;
    default: return false;
  }
}

std::string Helpers::use(std::string_view runtime_name) {
  if (target_ == Target::opencl && runtime_name == "allocate")
    uncovered_.insert("arrays of a thread that are large or whose size depends on parameters");
  const RuntimeHelper* helper = find_runtime_helper(runtime_name);
  if (helper != nullptr && in_use_.count(std::string(runtime_name)) == 0) {
    for (std::string_view needs = helper->needs; !needs.empty();) {
      const std::size_t end = std::min(needs.find(' '), needs.size());
      use(needs.substr(0, end));
      needs.remove_prefix(std::min(end + 1, needs.size()));
    }
    in_use_.insert(std::string(runtime_name));
    text_ += helper->text;
  }
  return std::string(runtime_name);
}

std::string Helpers::use(Op op, Type t) {
  if (t == Type::index) t = Type::i64;
  const std::string helper_name = std::string(word(op)) + "_" + std::string(name(t));
  if (in_use_.count(helper_name) != 0) return helper_name;
  std::string text;
  if (op == Op::select) {
    text = fill("static inline $T select_$t(int c, $T a, $T b) { return c ? a : b; }\n",
                {{"$T", c_type(t)}, {"$t", name(t)}});
  } else if (t == Type::u32x4 || op >= Op::block) {
    text = random(op, t);
  } else if (!is_float(t)) {
    text = integer(op, t);
  } else {
    const bool transcendental = (op >= Op::exp && op <= Op::tanh) || op == Op::rsqrt || op == Op::pow;
    text = transcendental ? function(op, t) : real(op, t);
  }
  in_use_.insert(helper_name);
  text_ += text;
  return helper_name;
}

std::string Helpers::use_vector(Type t, int width) {
  const std::string type = "vec" + std::to_string(width) + "_" + std::string(name(t));
  if (in_use_.insert(type).second)
    text_ += fill("typedef $T $v __attribute__((vector_size($n * sizeof($T)), aligned(sizeof($T)), may_alias));\n",
                  {{"$T", c_type(t)}, {"$v", type}, {"$n", std::to_string(width)}});
  return type;
}

}  // namespace assay::codegen
