#include "flopcast/support/resident_pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace flopcast {
namespace {

TEST(ResidentPages, AreThoseThatWereReadOrWritten) {
  constexpr std::size_t pages = 8;
  constexpr std::size_t bytes = pages * ResidentPages::page_bytes;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  auto* const data = static_cast<volatile char*>(memory);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  data[2 * ResidentPages::page_bytes + 5] = 1;
  [[maybe_unused]] const char read = data[6 * ResidentPages::page_bytes - 1];
  const ResidentPages used(begin + 100, begin + bytes - 100);
  for (std::size_t page = 0; page < pages; ++page) {
    EXPECT_EQ(used.contain(begin + page * ResidentPages::page_bytes + 200), page == 2 || page == 5) << page;
  }
  EXPECT_EQ(ResidentPages::end_of_page(begin), begin + ResidentPages::page_bytes);
  EXPECT_EQ(ResidentPages::end_of_page(begin + ResidentPages::page_bytes - 1), begin + ResidentPages::page_bytes);
  munmap(memory, bytes);
}

TEST(ResidentPages, AreAllPagesIfTheSystemGivesNoInformation) {
  void* const memory = mmap(nullptr, ResidentPages::page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  munmap(memory, ResidentPages::page_bytes);
  EXPECT_TRUE(ResidentPages(begin, begin + ResidentPages::page_bytes).contain(begin));  // nothing is mapped there
  EXPECT_TRUE(ResidentPages(begin, begin).contain(begin));
}

}  // namespace
}  // namespace flopcast
