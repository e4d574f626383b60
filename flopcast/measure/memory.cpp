#include "flopcast/measure/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "flopcast/support/control_group.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::measure {

void Memory::Unmap::operator()(std::byte* bytes) const noexcept { munmap(bytes, static_cast<std::size_t>(size_bytes)); }

Memory::Memory(std::int64_t bytes, Pages real) : real_(real) {
  const std::int64_t available = available_memory_bytes();
  if (bytes > available) {
    throw environment_error("measuring needs {} of memory, but only {} are available", format_bytes(static_cast<double>(bytes)),
                            format_bytes(static_cast<double>(available)));
  }
  const int populate = real == Pages::all ? MAP_POPULATE : MAP_NORESERVE;
  void* const mapped =
      mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | populate, -1, 0);
  if (mapped == MAP_FAILED) {
    throw environment_error("the system refuses {} of memory: {}", format_bytes(static_cast<double>(bytes)), std::strerror(errno));
  }
  bytes_ = std::unique_ptr<std::byte, Unmap>(static_cast<std::byte*>(mapped), Unmap{bytes});
}

void Memory::reserve(std::int64_t bytes, Pages real) {
  if (bytes > size_bytes() || (real == Pages::all && real_ != Pages::all)) {
    bytes_.reset();
    *this = Memory(bytes, real);
  }
}

std::int64_t available_memory_bytes() {
  const std::int64_t granted = control_group_limits().memory_bytes;
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::int64_t kibibytes = 0;
  for (std::string unit; file >> name >> kibibytes; std::getline(file, unit)) {
    if (name == "MemAvailable:") {
      return std::min(kibibytes * 1024, granted);
    }
  }
  return granted;
}

std::string huge_pages_setting() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  for (std::string word; file >> word;) {  // "always [madvise] never"
    if (word.front() == '[' && word.back() == ']') {
      return word.substr(1, word.size() - 2);
    }
  }
  return "unknown";
}

}  // namespace flopcast::measure
