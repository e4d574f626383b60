#pragma once

#include <string>

namespace flopcast::cli {

/// The profile of an earlier run in the file that --output names. It is moved aside before the program starts, so that nobody takes it for
/// this run's, and is removed when there is a new one. It stays in its place if all processes read it during the run.
class EarlierProfile {
 public:
  /// Throws environment_error if the file can't be moved.
  EarlierProfile(const std::string& file, bool is_read, bool is_first_process);
  [[nodiscard]] bool exists() const noexcept { return exists_; }
  [[nodiscard]] const std::string& file() const noexcept { return aside_; }
  void remove() const noexcept;

 private:
  std::string aside_;
  bool exists_ = false;
};

}  // namespace flopcast::cli
