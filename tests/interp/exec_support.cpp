// See the header.
#include "exec_support.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <bit>

#include "interp/difference.hpp"
#include "interp/numerics.hpp"
#include "ir/literal.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {

Program program(std::string_view text) {
  const auto file = parse_source(text, "test.air");
  if (!file) {
    for (const Diagnostic& d : file.error()) ADD_FAILURE() << render(d, text, false, false);
    return {};
  }
  if (file->programs.empty()) {
    ADD_FAILURE() << "no program in the text";
    return {};
  }
  return file->programs.front();
}

Tensor tensor(Type type, std::vector<std::int64_t> dims, const std::vector<double>& values) {
  Tensor t(type, std::move(dims));
  EXPECT_EQ(t.size(), static_cast<std::int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    numerics::Flags flags;
    t.set(static_cast<std::int64_t>(i),
          type == Type::boolean ? bool_scalar(values[i] != 0)
                                : numerics::convert(type, {Type::f64, std::bit_cast<std::uint64_t>(values[i])}, flags));
  }
  return t;
}

Tensor row(Type type, const std::vector<double>& values) {
  return tensor(type, {static_cast<std::int64_t>(values.size())}, values);
}

interp::Outcome run_text(std::string_view text, const TensorMap& inputs) { return run_text(text, inputs, {}); }
interp::Outcome run_text(std::string_view text, const TensorMap& inputs, const interp::Options& options) {
  return run_both(program(text), inputs, options);
}

interp::Outcome run_both(const Program& p, const TensorMap& inputs, interp::Options options) {
  options.engine = interp::Engine::tree;
  interp::Outcome tree = interp::run(p, inputs, options);
  options.engine = interp::Engine::compiled;
  const std::string difference = interp::difference(tree, interp::run(p, inputs, options));
  RULE_TRUE("EXEC-34", difference.empty()) << difference << "\n" << print(p);
  return tree;
}

std::vector<double> output(const interp::Outcome& o, const std::string& buffer) {
  std::vector<double> values;
  const auto it = o.outputs.find(buffer);
  if (it == o.outputs.end()) {
    ADD_FAILURE() << "no output " << buffer << ": " << describe(o);
    return values;
  }
  for (std::int64_t i = 0; i < it->second.size(); ++i) values.push_back(to_double(it->second.get(i)));
  return values;
}

namespace {
std::string iteration(const interp::Instance& at) {
  std::string text;
  for (const auto& [symbol, value] : at.iteration) text += fmt::format(" {}={}", symbol, value);
  return text;
}
std::string place(const Symbol& buffer, const std::vector<std::int64_t>& cell) {
  if (buffer.empty()) return "";
  return cell.empty() ? " " + buffer : fmt::format(" {}[{}]", buffer, fmt::join(cell, ", "));
}
}  // namespace

std::string describe(const interp::Outcome& o) {
  if (o.status == interp::Status::ok) return "ok";
  if (o.status == interp::Status::budget) return "budget";
  const interp::Fault& f = *o.fault;
  return fmt::format("{} statement {} line {}{}{}", f.code, f.at.statement, f.at.where.line, iteration(f.at),
                     place(f.buffer, f.cell));
}

std::string describe_race(const interp::Outcome& o) {
  if (!o.race) return "none";
  const interp::Race& r = *o.race;
  const auto side = [](const interp::Instance& at, bool writes) {
    return fmt::format("{}{} {}", at.statement, iteration(at), writes ? "stores" : "loads");
  };
  return fmt::format("{}, {}{}", side(r.first, r.first_writes), side(r.second, r.second_writes),
                     place(r.buffer, r.cell));
}

}  // namespace assay::test
