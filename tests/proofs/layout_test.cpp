// Layouts of tiles: rank over GF(2) against enumeration and against bit-vectors.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "proofs/layout/tile.hpp"
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

// Every small layout, element by element.
TEST(TileLayout, all_small_ones_are_one_to_one) {
  int swizzled = 0;
  for (const int bytes : {1, 2, 4, 8}) {
    for (std::int64_t rows = 1; rows <= 20; ++rows) {
      for (std::int64_t columns = 1; columns <= 40; ++columns) {
        for (const std::int64_t pad : {0, 2, 4, 16, 5}) {
          for (const Swizzle s : {Swizzle::none, Swizzle::elem, Swizzle::b128}) {
            const auto t = make_tile_layout(rows, columns, bytes, pad, s);
            if (!t) continue;
            if (s != Swizzle::none) ++swizzled;
            std::set<std::int64_t> cells;
            for (std::int64_t r = 0; r < rows; ++r) {
              for (std::int64_t c = 0; c < columns; ++c) {
                const std::int64_t a = t->address(r, c);
                ASSERT_TRUE(a >= 0 && a < t->cells());
                cells.insert(a);
                if (s == Swizzle::none) continue;
                // The linear map says where in the row.
                const int column_bits = std::countr_zero(static_cast<std::uint64_t>(t->stride));
                const auto packed = static_cast<std::uint64_t>(c) |
                                    static_cast<std::uint64_t>(r % (t->stride / t->unit)) << column_bits;
                ASSERT_EQ(a % t->stride, static_cast<std::int64_t>(t->bit_map().apply(packed)) % t->stride);
              }
            }
            const bool one_to_one = cells.size() == static_cast<std::size_t>(rows * columns);
            RULE_EQ("LAY-2", one_to_one, layout_bijection(*t, "T").status == Obligation::Status::proved);
          }
        }
      }
    }
  }
  EXPECT_GT(swizzled, 500);
}

TEST(TileLayout, bit_vectors_agree) {
  for (const int width : {16, 32}) {
    for (const Swizzle s : {Swizzle::none, Swizzle::elem, Swizzle::b128}) {
      const auto t = make_tile_layout(24, 32, 2, 0, s);
      ASSERT_TRUE(t.has_value());
      const auto holds = bijective_by_bit_vectors(*t, width);
      RULE_TRUE("LAY-3", holds == true) << width;
    }
    // A stride below the columns: rows overlap.
    EXPECT_EQ(false, bijective_by_bit_vectors({8, 16, 8, 1, Swizzle::elem}, width));
    RULE_EQ("LAY-2", Obligation::Status::violated, layout_bijection({8, 16, 8, 1, Swizzle::elem}, "T").status);
  }
}

TEST(TileLayout, what_does_not_fit_is_refused) {
  const auto fits = [](std::int64_t columns, int bytes, std::int64_t pad, Swizzle s) {
    return make_tile_layout(8, columns, bytes, pad, s).has_value();
  };
  RULE_TRUE("LAY-1", fits(8, 4, 0, Swizzle::elem) && !fits(12, 4, 0, Swizzle::elem) && !fits(1, 4, 0, Swizzle::elem));
  RULE_TRUE("LAY-1", !fits(4, 4, 0, Swizzle::b128) && !fits(12, 4, 0, Swizzle::b128) && !fits(3, 4, 0, Swizzle::b128));
  RULE_TRUE("LAY-1", fits(8, 4, 0, Swizzle::b128) && !fits(24, 2, 0, Swizzle::b128) && fits(16, 2, 0, Swizzle::b128));
  RULE_TRUE("LAY-1", !fits(8, 4, 1, Swizzle::none) && fits(12, 4, 16, Swizzle::b128));
  EXPECT_EQ(12, make_tile_layout(8, 8, 4, 12, Swizzle::none)->stride);
  EXPECT_EQ(96, make_tile_layout(8, 8, 4, 12, Swizzle::none)->cells());
}

}  // namespace
}  // namespace assay
