// Operations of f32 block by block: sampled blocks of every operation by the interpreter's arithmetic and by every compiler,
// against the kept hashes where a sweep was made; all blocks with ASSAY_LONG_TESTS=1.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "f32_blocks.hpp"
#include "interp/random.hpp"
#include "ir/literal.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using sweep::Subject;

/// The block that begins with 1.0, and one of a fixed draw; all blocks in a long run.
std::vector<std::uint64_t> sample(const Subject& s) {
  const char* wanted = std::getenv("ASSAY_LONG_TESTS");
  std::vector<std::uint64_t> blocks;
  if (wanted != nullptr && std::string(wanted) == "1") {
    for (std::uint64_t b = 0; b < sweep::block_count; ++b) blocks.push_back(b);
    return blocks;
  }
  interp::Random random(interp::seed_for(s.name, 32));
  return {std::uint64_t{0x3f800000} >> sweep::block_bits, random.below(sweep::block_count)};
}

class KeptHashes : public testing::TestWithParam<std::size_t> {
 protected:
  const Subject& subject() const { return sweep::subjects()[GetParam()]; }
};

TEST_P(KeptHashes, AreThoseOfEveryBackend) {
  if (std::getenv("ASSAY_PROPERTY_CASES") != nullptr && GetParam() % 8 != 0)
    GTEST_SKIP() << "a shortened run (ASSAY_PROPERTY_CASES): every eighth operation only";
  const auto kept = sweep::kept_hashes(subject());
  if (!kept)
    std::printf("no sweep of %s is kept: backends are compared with the interpreter alone\n", subject().name.c_str());
  const std::vector<std::uint64_t> blocks = sample(subject());
  std::vector<std::uint64_t> expected;
  for (const std::uint64_t block : blocks) {
    expected.push_back(sweep::interpreted_hash(subject(), block));
    if (!kept) continue;
    RULE_TRUE("NUM-49", (*kept)[block] == expected.back()) << subject().name << " " << block;
  }
  std::vector<codegen::CompilerSpec> compilers = codegen::available_compilers();
  for (const codegen::CompilerSpec& device : codegen::device_compilers()) {
    if (device.dialect == codegen::Dialect::simt) compilers.push_back(device);
  }
  for (const codegen::CompilerSpec& compiler : compilers) {
    std::string error;
    const auto compiled = sweep::Compiled::make(subject(), compiler, error);
    ASSERT_TRUE(compiled) << compiler.name << ": " << error;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto results = compiled->results(blocks[i], error);
      ASSERT_TRUE(results) << compiler.name << ": " << error;
      RULE_TRUE("NUM-49", expected[i] == sweep::hash(*results))
          << subject().name << " by " << compiler.name << ": see f32_sweep compare " << subject().name << " "
          << blocks[i];
      if (compiler.dialect == codegen::Dialect::simt) {
        RULE_TRUE("CUDA-6", expected[i] == sweep::hash(*results)) << subject().name << " " << blocks[i];
      }
    }
  }
}

std::string subject_name(const testing::TestParamInfo<std::size_t>& info) { return sweep::subjects()[info.param].name; }
INSTANTIATE_TEST_SUITE_P(F32, KeptHashes, testing::Range(std::size_t{0}, sweep::subjects().size()), subject_name);

TEST(BlockHashes, NoticeEveryDifferenceButTheSortOfNan) {
  const Subject& s = *sweep::find_subject("to_f8e5m2");
  const Tensor results = sweep::interpreted(s, 0x3f800000U >> sweep::block_bits);
  const std::uint64_t expected = sweep::hash(results);
  EXPECT_EQ(expected, sweep::interpreted_hash(s, 0x3f800000U >> sweep::block_bits));
  for (const std::int64_t i : {std::int64_t{0}, std::int64_t{77777}, results.size() - 1}) {
    Tensor other = results;
    other.set(i, {results.type, results.get(i).bits ^ 1});
    EXPECT_NE(expected, sweep::hash(other));
  }
  Tensor nan = results;
  nan.set(5, {results.type, 0x7e});
  Tensor other_nan = results;
  other_nan.set(5, {results.type, 0xff});
  EXPECT_EQ(sweep::hash(nan), sweep::hash(other_nan));
  EXPECT_NE(expected, sweep::hash(nan));
}

}  // namespace
}  // namespace assay::test
