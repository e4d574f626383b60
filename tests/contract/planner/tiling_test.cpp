#include "flopcast/contract/planner/tiling.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

TEST(ParseTiles, ReadsLengthsAndKernel) {
  EXPECT_EQ(parse_tiles("96x512x64"), (Tiling{96, 512, 64}));
  EXPECT_EQ(parse_tiles("96x512x64:panels", 3), (Tiling{96, 512, 64, TileKernel::panels, 3}));
  EXPECT_EQ(parse_tiles("96x512x8:streaming"), (Tiling{96, 512, 8, TileKernel::streaming}));
}

TEST(ParseTiles, ReadsOptionsInAnyOrder) {
  Tiling expected{8, 8, 8, TileKernel::panels};
  expected.rows = RowOrder::interleaved_long_a;
  expected.order = LoopOrder::mkn;
  expected.keep_a = expected.keep_c = true;
  expected.stream_c = true;
  EXPECT_EQ(parse_tiles("8x8x8:panels:interleavedA:mkn:keepAC:streamC"), expected);
  EXPECT_EQ(parse_tiles("8x8x8:panels:streamC:keepAC:mkn:interleavedA"), expected);
  expected = {8, 8, 8, TileKernel::gemm, 4};
  expected.split_k = true;
  EXPECT_EQ(parse_tiles("8x8x8:gemm:splitK", 4), expected);
}

TEST(ParseTiles, ReadsWholeAndBatch) {
  constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(parse_tiles("whole"), (Tiling{longest, longest, longest, TileKernel::gemm}));
  EXPECT_EQ(parse_tiles("batch", 2).kernel, TileKernel::batch);
  EXPECT_EQ(parse_tiles("batch", 2).threads, 2);
}

TEST(ParseTiles, ReadsTheTextOfTiles) {
  for (const char* text : {"96x512x64", "whole", "batch", "8x8x8:streaming:nmk", "8x8x8:panels:interleavedA:mkn:keepAC:streamC",
                           "8x8x8:gemm:splitK:A:keepB"}) {
    EXPECT_EQ(parse_tiles(to_text(parse_tiles(text))), parse_tiles(text)) << to_text(parse_tiles(text));
  }
}

TEST(ParseTiles, RefusesOtherTexts) {
  for (const char* text :
       {"", "8x8", "8x8x8x8", "0x8x8", "8x8x-1", "8x8x8:nosuch", "8x8x8:batch", "8x8x8:gemm:nkn", "8x8x8:gemm:nmk:mnk", "8x8x8:gemm:keep",
        "8x8x8:gemm:keepCA", "8x8x8:panels:A:A", "8x8x8:panels:splitK:splitK", "8x8x8:panels:crossed", "8x8x99999999999"}) {
    EXPECT_THROW(static_cast<void>(parse_tiles(text)), Error) << text;
  }
}

TEST(ParseTiles, RefusesRowOrdersThatTheContractionLacks) {
  const Contraction plain = make_contraction(parse_notation("ab=ai,ib"), {{'a', 40}, {'b', 40}, {'i', 8}});
  const Contraction crossed = make_contraction(parse_notation("abc=bai,ic"), {{'a', 64}, {'b', 64}, {'c', 64}, {'i', 8}});
  EXPECT_NO_THROW(require_row_order(parse_tiles("8x8x8:panels"), plain));
  EXPECT_THROW(require_row_order(parse_tiles("8x8x8:panels:A"), plain), Error);
  EXPECT_NO_THROW(require_row_order(parse_tiles("8x8x8:panels:A"), crossed));
}

}  // namespace
}  // namespace flopcast::contract
