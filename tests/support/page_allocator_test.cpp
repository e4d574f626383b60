#include "flopcast/support/page_allocator.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <numeric>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace flopcast {
namespace {

TEST(PageAllocator, KeepsContentsWhileAVectorGrows) {
  PageVector<int> numbers;
  constexpr int count = 100000;  // enough elements to grow from malloc's memory to pages
  for (int i = 0; i < count; ++i) {
    numbers.push_back(i);
  }
  PageVector<int> expected(count);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(numbers, expected);
  const PageVector<int> copy = numbers;
  numbers.clear();
  numbers.shrink_to_fit();
  EXPECT_EQ(copy, expected);
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Returns whether malloc takes a block of this size from the system.
bool is_mapped(std::size_t bytes) {
  const std::size_t before = mallinfo2().hblks;
  const std::unique_ptr<void, void (*)(void*)> block(std::malloc(bytes), std::free);  // NOLINT(cppcoreguidelines-no-malloc)
  return block != nullptr && mallinfo2().hblks > before;
}

TEST(PageAllocator, DoesNotChangeWhereMallocPutsLargeBlocks) {
  constexpr std::size_t bytes = std::size_t{24} << 20U;  // larger than any block freed before
  if (!is_mapped(bytes)) {
    GTEST_SKIP() << "malloc keeps blocks of 24 MiB already";
  }
  // is_mapped() has freed a block of this size, so that from here on only larger blocks show a difference
  { const PageVector<char> large(bytes + (bytes / 8), 'x'); }
  EXPECT_TRUE(is_mapped(bytes + bytes / 16));
  { const std::vector<char> large(bytes + (bytes / 4), 'x'); }
  EXPECT_FALSE(is_mapped(bytes + bytes / 8)) << "this malloc doesn't behave as PageAllocator says";
}
#endif

}  // namespace
}  // namespace flopcast
