#include "flopcast/support/fnv_hash.hpp"

#include <gtest/gtest.h>

namespace flopcast {
namespace {

TEST(FnvHash, HasThePublishedValues) {
  EXPECT_EQ(fnv_hash_32(""), 0x811c9dc5U);
  EXPECT_EQ(fnv_hash_32("foobar"), 0xbf9cf968U);
  EXPECT_EQ(fnv_hash_64("foobar"), 0x85944171f73967e8U);
}

TEST(FnvHash, GoesOnBehindAPart) { EXPECT_EQ(fnv_hash_64("bar", fnv_hash_64("foo")), fnv_hash_64("foobar")); }

}  // namespace
}  // namespace flopcast
