#include "flopcast/machine/caches/arena.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::machine {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;

}  // namespace

Arena::Arena(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
  void* mapped = mmap(nullptr, bytes_ + huge_page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    throw environment_error("the system refuses {} of memory: {}", format_bytes(static_cast<double>(bytes)), std::strerror(errno));
  }
  mapped_ = static_cast<std::byte*>(mapped);
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  data_ = mapped_ + (huge_page_bytes - address % huge_page_bytes) % huge_page_bytes;
  madvise(data_, bytes_, MADV_HUGEPAGE);
}

Arena::~Arena() { munmap(mapped_, bytes_ + huge_page_bytes); }

}  // namespace flopcast::machine
