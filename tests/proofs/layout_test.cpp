// Layouts of tiles: rank over GF(2) against enumeration and against bit-vectors.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "proofs/layout/tile.hpp"
#include "proofs/native/query.hpp"
#include "proofs/validate/layout.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

RC_GTEST_PROP(BitMap, rank_is_the_size_of_the_image, ()) {
  const int bits = *rc::gen::inRange(1, 9);
  std::vector<std::uint64_t> columns;
  for (int i = 0; i < bits; ++i) columns.push_back(*rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << bits));
  const BitMap map(columns);
  std::set<std::uint64_t> image;
  for (std::uint64_t x = 0; x >> bits == 0; ++x) image.insert(map.apply(x));
  RC_ASSERT(test::record_rule("LAY-3", image.size() == std::uint64_t{1} << map.rank()));
  const auto inverse = map.inverse();
  RC_ASSERT(test::record_rule("LAY-3", inverse.has_value() == (map.rank() == bits)));
  for (std::uint64_t x = 0; inverse && x >> bits == 0; ++x) RC_ASSERT(inverse->apply(map.apply(x)) == x);
}

// Whether enumeration finds a cell in its own row for each element, and none twice.
bool one_to_one(const TileLayout& t, std::int64_t rows) {
  std::set<std::int64_t> cells;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < t.columns; ++c) {
      const std::int64_t a = t.address(r, c);
      if (a / t.columns != r) return false;
      cells.insert(a);
    }
  }
  return cells.size() == static_cast<std::size_t>(rows * t.columns);
}

// Every small layout, element by element, against the obligation of a program that has it.
TEST(TileLayout, all_small_ones_are_judged_as_by_enumeration) {
  int kept_apart = 0, not_kept = 0;
  const auto query = make_native_query();
  for (const Type type : {Type::i8, Type::f16, Type::f32, Type::f64}) {
    for (std::int64_t rows = 1; rows <= 20; ++rows) {
      for (std::int64_t columns = 1; columns <= 40; ++columns) {
        for (const Swizzle s : {Swizzle::elem, Swizzle::b128}) {
          if (columns % swizzle_unit(s, type) != 0) continue;
          const TileLayout t{columns, swizzle_unit(s, type)};
          const bool expected = one_to_one(t, rows);
          (expected ? kept_apart : not_kept) += 1;
          Program p;
          p.buffers.push_back({"T", BufferKind::local, type, {Index(rows), Index(columns)}, {}, {}, {}, s});
          const auto o = derive::layout_obligations(p, *query);
          ASSERT_EQ(1U, o.size());
          ASSERT_TRUE(test::record_rule("LAY-2", (o[0].status == Obligation::Status::proved) == expected &&
                                                     o[0].status != Obligation::Status::undecided));
          ASSERT_TRUE(test::record_rule("LAY-4", (!t.most_rows() || rows <= *t.most_rows()) == expected));
          if (!expected) {
            // The witness is an element that leaves its row.
            const auto& cell = o[0].witness->cell;
            ASSERT_NE(cell[0], t.address(cell[0], cell[1]) / columns);
            continue;
          }
          // The linear map says where in its block the unit goes.
          const int bits = t.row_bits();
          const std::int64_t low = std::int64_t{1} << bits;
          for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t u = 0; u < t.units(); ++u) {
              const auto packed = static_cast<std::uint64_t>(u % low + r % low * low);
              const std::int64_t goes = t.address(r, u * t.unit) % columns / t.unit;
              ASSERT_EQ(goes, u / low * low + static_cast<std::int64_t>(t.bit_map().apply(packed)) % low);
            }
          }
        }
      }
    }
  }
  EXPECT_GT(kept_apart, 500);
  EXPECT_GT(not_kept, 500);
}

TEST(TileLayout, bit_vectors_agree) {
  for (const int width : {16, 32}) {
    for (const std::int64_t unit : {1, 8})
      RULE_TRUE("LAY-3", bijective_by_bit_vectors({32, unit}, 24, width) == true) << width;
    // Twelve units: up to four rows.
    RULE_TRUE("LAY-4", bijective_by_bit_vectors({12, 1}, 4, width) == true);
    RULE_TRUE("LAY-4", bijective_by_bit_vectors({12, 1}, 5, width) == false);
  }
}

// A map that is not one-to-one has no inverse: a row bit that takes the place of a unit's bit.
TEST(TileLayout, a_wrong_map_is_noticed) {
  BitMap right = TileLayout{8, 1}.bit_map();
  EXPECT_TRUE(right.inverse().has_value());
  std::vector<std::uint64_t> columns = right.columns();
  columns[1] = columns[0];
  RULE_TRUE("LAY-3", !BitMap(columns).inverse() && BitMap(columns).rank() == 5);
}

TEST(TileLayout, rows_may_depend_on_parameters) {
  const auto query = make_native_query();
  const auto of = [&](const std::string& declarations) {
    const auto o = derive::layout_obligations(
        test::program("program p { " + declarations + " output Y: f32[1]  Y[0] = 1.0 }"), *query);
    return std::make_pair(o[0].status, o[0].code);
  };
  using Status = Obligation::Status;
  RULE_TRUE("LAY-4", of("param n in 1..5 local T: f32[n, 12] swizzle elem").first == Status::proved);
  RULE_TRUE("LAY-4", of("param n in 1..6 local T: f32[n, 12] swizzle elem").first == Status::violated);
  RULE_TRUE("LAY-4",
            of("param n in 1..600 param m in 1..600 local T: f32[n, m, 16] swizzle elem").first == Status::proved);
  RULE_EQ("LAY-2", std::string("LAY-2"),
          of("param n in 1..3 param m in 1..4 local T: f32[n, m, 12] swizzle elem").second);
}

// What no engine answers is undecided, with a code of its own.
TEST(TileLayout, an_unknown_number_of_rows_is_undecided) {
  class Silent final : public Query {
   public:
    Answer solve(const Formula&, const std::vector<Symbol>&) override { return {}; }
  } silent;
  const auto o = derive::layout_obligations(
      test::program("program p { param n in 1..6 local T: f32[n, 12] swizzle elem output Y: f32[1]  Y[0] = 1.0 }"),
      silent);
  EXPECT_EQ(Obligation::Status::undecided, o[0].status);
  RULE_EQ("LAY-5", std::string("LAY-5"), o[0].code);
}

}  // namespace
}  // namespace assay
