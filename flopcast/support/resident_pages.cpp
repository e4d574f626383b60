#include "flopcast/support/resident_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "flopcast/support/division.hpp"

namespace flopcast {

ResidentPages::ResidentPages(std::uintptr_t begin, std::uintptr_t end) : first_(begin / page_bytes * page_bytes) {
  if (sysconf(_SC_PAGESIZE) != static_cast<long>(page_bytes) || end <= begin) {
    return;
  }
  resident_.resize(ceil_div(end - first_, page_bytes));
  if (mincore(reinterpret_cast<void*>(first_), end - first_, resident_.data()) != 0) {
    resident_.clear();
  }
}

}  // namespace flopcast
