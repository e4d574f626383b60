#include "flopcast/path/critical_path.hpp"

namespace flopcast::path {

PathMark longer(const PathMark& a, const PathMark& b) noexcept {
  const bool first = a.along.time != b.along.time ? a.along.time > b.along.time : a.place.rank <= b.place.rank;
  PathMark result = first ? a : b;
  result.longest = greatest(a.longest, b.longest);
  return result;
}

void CriticalPath::wait(Seconds seconds) noexcept { own_ += {.time = seconds, .idle = seconds}; }

bool CriticalPath::follow(const PathMark& mark) {
  longest_ = greatest(longest_, mark.longest);
  if (mark.place.rank != rank_ && mark.along.time > along_.time) {
    along_ = mark.along;
    log_.add_jump(mark.place);
    return true;
  }
  return false;
}

}  // namespace flopcast::path
