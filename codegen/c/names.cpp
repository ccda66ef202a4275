// Which identifiers are not free in a generated unit, and the choice of those that are.
#include "codegen/c/names.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "ir/type.hpp"

namespace assay::codegen {
namespace {

// Keywords of C11 and GNU C, lower-case macros of compilers and headers, and the identifiers that the unit's own text uses.
constexpr std::string_view taken[] = {"auto",
                                      "break",
                                      "case",
                                      "char",
                                      "const",
                                      "continue",
                                      "default",
                                      "do",
                                      "double",
                                      "else",
                                      "enum",
                                      "extern",
                                      "float",
                                      "for",
                                      "goto",
                                      "if",
                                      "inline",
                                      "int",
                                      "long",
                                      "register",
                                      "restrict",
                                      "return",
                                      "short",
                                      "signed",
                                      "sizeof",
                                      "static",
                                      "struct",
                                      "switch",
                                      "typedef",
                                      "union",
                                      "unsigned",
                                      "void",
                                      "volatile",
                                      "while",
                                      "asm",
                                      "typeof",
                                      "bool",
                                      "true",
                                      "false",
                                      "linux",
                                      "unix",
                                      "i386",
                                      "math_errhandling",
                                      "errno",
                                      "abort",
                                      "calloc",
                                      "free",
                                      "malloc",
                                      "memcpy",
                                      "memset",
                                      "main",
                                      "parameters",
                                      "buffers",
                                      "narrow",
                                      "narrow8",
                                      "memcmp",
                                      "ldexp",
                                      "rint",
                                      "signbit",
                                      "rotate_left",
                                      "threefry_mix",
                                      "threefry_key",
                                      "extended",
                                      "unfolded",
                                      "flag",
                                      "bytes",
                                      "overlap",
                                      "environment",
                                      "add_to_odd",
                                      "index_floordiv",
                                      "index_floormod",
                                      "index_min",
                                      "index_max",
                                      "index_next",
                                      "trip_count",
                                      "swizzled",
                                      "allocate",
                                      "extent_product",
                                      "state",
                                      "assay_kernel",
                                      "body",
                                      "stdin",
                                      "stdout",
                                      "stderr"};

// Keywords of C++17 that C lacks, and what CUDA declares for every kernel.
constexpr std::string_view taken_by_cuda[] = {"alignas",
                                              "alignof",
                                              "and",
                                              "and_eq",
                                              "bitand",
                                              "bitor",
                                              "catch",
                                              "class",
                                              "compl",
                                              "const_cast",
                                              "constexpr",
                                              "decltype",
                                              "delete",
                                              "dynamic_cast",
                                              "explicit",
                                              "export",
                                              "friend",
                                              "mutable",
                                              "namespace",
                                              "new",
                                              "noexcept",
                                              "not",
                                              "not_eq",
                                              "nullptr",
                                              "operator",
                                              "or",
                                              "or_eq",
                                              "private",
                                              "protected",
                                              "public",
                                              "reinterpret_cast",
                                              "static_assert",
                                              "static_cast",
                                              "template",
                                              "this",
                                              "thread_local",
                                              "throw",
                                              "try",
                                              "typeid",
                                              "typename",
                                              "using",
                                              "virtual",
                                              "xor",
                                              "xor_eq",
                                              "blockDim",
                                              "blockIdx",
                                              "gridDim",
                                              "threadIdx",
                                              "warpSize",
                                              "dim3"};

// Keywords of OpenCL C, and its built-in types and functions that a kernel calls.
constexpr std::string_view taken_by_opencl[] = {
    "kernel",     "global",       "local",        "constant",       "private", "generic",   "read_only", "write_only",
    "read_write", "uniform",      "pipe",         "half",           "uchar",   "ushort",    "uint",      "ulong",
    "barrier",    "get_group_id", "get_local_id", "get_local_size", "complex", "imaginary", "vec_step"};

bool ends_in_type(const std::string& s) {
  const auto ends = [&](std::string_view suffix) {
    return s.size() > suffix.size() && s.compare(s.size() - suffix.size(), suffix.size(), suffix) == 0 &&
           s[s.size() - suffix.size() - 1] == '_';
  };
  return ends("t") || ends("index") ||
         std::any_of(std::begin(storage_types), std::end(storage_types), [&](Type t) { return ends(name(t)); });
}

// Object-like macros of the standard headers have upper-case names (NAN, FLT_MAX, FE_TONEAREST, …).
bool looks_like_macro(const std::string& s) {
  return s.size() >= 3 &&
         std::none_of(s.begin(), s.end(), [](char c) { return std::islower(static_cast<unsigned char>(c)) != 0; });
}

bool claimed(const std::string& s, Words words) {
  const auto among = [&](const auto& list) { return std::find(std::begin(list), std::end(list), s) != std::end(list); };
  if (words == Words::cuda && among(taken_by_cuda)) return true;
  if (words == Words::opencl && among(taken_by_opencl)) return true;
  return s.front() == '_' || s.compare(0, 6, "assay_") == 0 || looks_like_macro(s) || ends_in_type(s) || among(taken);
}

}  // namespace

std::string Names::of(const Symbol& symbol) {
  if (const auto known = given_.find(symbol); known != given_.end()) return known->second;
  std::string wanted = symbol;
  std::replace(wanted.begin(), wanted.end(), '.', '_');
  if (claimed(wanted, words_)) wanted = wanted.front() == '_' ? "v" + wanted + "_" : wanted + "_";
  std::string chosen = fresh(wanted);
  given_.emplace(symbol, chosen);
  return chosen;
}

std::string Names::fresh(std::string_view stem) {
  std::string candidate(stem);
  int& next = next_[candidate];
  while (!used_.insert(candidate).second) {
    next = std::max(next, 1) + 1;
    candidate = std::string(stem) + "_" + std::to_string(next);
  }
  return candidate;
}

}  // namespace assay::codegen
