#include "flopcast/path/critical_path.hpp"

namespace flopcast::path {

PathMark longer(const PathMark& a, const PathMark& b) noexcept {
  const bool first = a.along.time != b.along.time ? a.along.time > b.along.time : a.place.rank <= b.place.rank;
  PathMark result = first ? a : b;
  result.longest = greatest(a.longest, b.longest);
  return result;
}

void CriticalPath::wait(Seconds seconds) noexcept { own_ += {.time = seconds, .idle = seconds}; }

bool CriticalPath::follow(const PathMark& mark, Seconds time) {
  longest_ = greatest(longest_, mark.longest);
  if (mark.place.rank != rank_ && mark.along.time > along_.time) {
    along_ = mark.along;
    unnamed_ = 0;
    log_.add_jump(mark.place, time);
    return true;
  }
  return false;
}

}  // namespace flopcast::path
