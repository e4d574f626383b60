#pragma once

#include <filesystem>
#include <functional>

#include "flopcast/support/descriptor.hpp"

namespace flopcast::measure {

/// The right to measure, which one process at a time has: processes that time kernels together slow each other down. Processes that name the
/// same file take turns in the order in which they asked.
///
/// A process asks by locking the file's second byte, then waits for the first one. So whoever measures sees whether another process waits.
/// Locks of the open file (fcntl(2), F_OFD_SETLK) end with the process that holds them, however it ends.
class Turn {
 public:
  /// Opens `file`, and makes it if there is none. Where that fails, or the file system has no locks, every turn is had at once.
  explicit Turn(const std::filesystem::path& file);

  /// Waits until nobody else measures. Calls `wait` again and again meanwhile, which sleeps for a moment and returns false to give up. Returns
  /// whether the turn was waited for to its beginning; after giving up the caller may measure all the same.
  bool take(const std::function<bool()>& wait);
  /// Ends the turn.
  void end();
  /// Returns whether another process waits for this turn to end.
  [[nodiscard]] bool is_wanted() const;

 private:
  Descriptor file_;
};

}  // namespace flopcast::measure
