// The subjects as expressions, so that interpreter and generated code get them from one place, and hashing.
#include "f32_blocks.hpp"

#include <bit>
#include <chrono>
#include <cstring>
#include <fstream>

#include "interp/numerics.hpp"
#include "ir/literal.hpp"
#include "ir/typing.hpp"

namespace assay::sweep {
namespace {

template <Op O>
Expr operation(Expr x) {
  return make_op(O, {std::move(x)});
}
template <Type T>
Expr conversion(Expr x) {
  return make_convert(T, std::move(x));
}

Tensor arguments(std::uint64_t block) {
  Tensor t(Type::f32, {static_cast<std::int64_t>(block_size)});
  for (std::uint64_t i = 0; i < block_size; ++i)
    t.set(static_cast<std::int64_t>(i), {Type::f32, block << block_bits | i});
  return t;
}

}  // namespace

Program block_program(const Subject& s) {
  const Index rows(static_cast<std::int64_t>(block_size));
  const Expr row = make_index(Index::symbol("i"));
  const Expr value = s.apply(make_load("a", Type::f32, {row}));
  Program p;
  p.name = "block";
  p.buffers = {{"a", BufferKind::input, Type::f32, {rows}, {}, {}, {}},
               {"r", BufferKind::output, value->type, {rows}, {}, {}, {}}};
  p.body = {make_loop("i", 0, rows, 1, Axis::serial, {make_store("r", {row}, value)})};
  return p;
}

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all{{"to_f16", conversion<Type::f16>},
                                        {"to_bf16", conversion<Type::bf16>},
                                        {"to_f8e5m2", conversion<Type::f8e5m2>},
                                        {"to_f8e4m3fn", conversion<Type::f8e4m3fn>},
                                        {"f8e5m2_sat", operation<Op::f8e5m2_sat>},
                                        {"f8e4m3fn_nosat", operation<Op::f8e4m3fn_nosat>},
                                        {"neg", operation<Op::neg>},
                                        {"abs", operation<Op::abs>},
                                        {"relu", operation<Op::relu>},
                                        {"sat01", operation<Op::sat01>},
                                        {"trunc", operation<Op::trunc>},
                                        {"floor", operation<Op::floor>},
                                        {"ceil", operation<Op::ceil>},
                                        {"sqrt", operation<Op::sqrt>},
                                        {"recip", operation<Op::recip>},
                                        {"rsqrt", operation<Op::rsqrt>},
                                        {"exp2", operation<Op::exp2>},
                                        {"exp", operation<Op::exp>},
                                        {"log2", operation<Op::log2>},
                                        {"log", operation<Op::log>},
                                        {"tanh", operation<Op::tanh>},
                                        {"sin", operation<Op::sin>},
                                        {"cos", operation<Op::cos>}};
  return all;
}

const Subject* find_subject(const std::string& name) {
  for (const Subject& s : subjects()) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

namespace {

numerics::Function function_of(const Subject& s) {
  const Expr value = s.apply(make_load("a", Type::f32, {}));
  return value->op == Op::convert ? numerics::find_convert(value->type, Type::f32)
                                  : numerics::find(value->op, operation_type(*value));
}

}  // namespace

std::uint64_t hash(const Tensor& results) {
  std::uint64_t h = hash_start;
  const std::uint64_t nan = canonical_nan(results.type).bits;
  for (std::int64_t i = 0; i < results.size(); ++i) {
    const Scalar s = results.get(i);
    h = hash_step(h, is_nan(s) ? nan : s.bits);
  }
  return h;
}

// Results that are NaN are the one NaN already (NUM-2).
std::uint64_t interpreted_hash(const Subject& s, std::uint64_t block) {
  const numerics::Function f = function_of(s);
  std::uint64_t h = hash_start;
  numerics::Flags flags;
  for (std::uint64_t i = 0; i < block_size; ++i) {
    const Scalar x{Type::f32, block << block_bits | i};
    h = hash_step(h, f(&x, flags).bits);
  }
  return h;
}

Tensor interpreted(const Subject& s, std::uint64_t block) {
  const numerics::Function f = function_of(s);
  Tensor results(s.apply(make_load("a", Type::f32, {}))->type, {static_cast<std::int64_t>(block_size)});
  numerics::Flags flags;
  for (std::uint64_t i = 0; i < block_size; ++i) {
    const Scalar x{Type::f32, block << block_bits | i};
    results.set(static_cast<std::int64_t>(i), f(&x, flags));
  }
  return results;
}

std::optional<Compiled> Compiled::make(const Subject& s, const codegen::CompilerSpec& compiler, std::string& error) {
  codegen::KernelOutcome outcome;
  Compiled c;
  c.kernel_ = codegen::compile(block_program(s), compiler, outcome);
  error = outcome.message;
  if (!c.kernel_) return std::nullopt;
  return c;
}

std::optional<Tensor> Compiled::results(std::uint64_t block, std::string& error) const {
  codegen::KernelOutcome outcome = kernel_->run({}, {{"a", arguments(block)}}, std::chrono::seconds(600));
  error = outcome.message;
  if (outcome.status != codegen::KernelOutcome::Status::ok) return std::nullopt;
  return std::move(outcome.outputs.at("r"));
}

std::string kept_path(const Subject& s) {
  return std::string(ASSAY_SOURCE_DIR) + "/tests/data/f32/" + s.name + ".hashes";
}

std::optional<std::vector<std::uint64_t>> kept_hashes(const Subject& s) {
  static_assert(std::endian::native == std::endian::little);
  std::ifstream file(kept_path(s), std::ios::binary);
  std::vector<std::uint64_t> hashes(block_count);
  file.read(reinterpret_cast<char*>(hashes.data()), static_cast<std::streamsize>(8 * block_count));
  if (!file || file.peek() != std::ifstream::traits_type::eof()) return std::nullopt;
  return hashes;
}

}  // namespace assay::sweep
