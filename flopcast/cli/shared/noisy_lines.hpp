#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace flopcast::cli {

/// Sentences on what made the machine noisy, with which results begin.
class NoisyLines {
 public:
  /// Adds a sentence unless the same one was told before.
  void tell(const std::string& text) {
    if (std::find(told_.begin(), told_.end(), text) == told_.end()) {
      told_.push_back(text);
    }
  }
  /// Returns all sentences.
  [[nodiscard]] const std::vector<std::string>& told() const { return told_; }
  /// Returns the sentences that were told since the last call.
  std::vector<std::string> take() {
    const auto fresh = told_.begin() + static_cast<std::ptrdiff_t>(std::exchange(taken_, told_.size()));
    return {fresh, told_.end()};
  }
  /// Returns a result that begins with the sentences that were told since the last call, each on a line, and a blank line.
  std::string take_before(const std::string& result) {
    std::string lines;
    for (const std::string& line : take()) {
      lines += line + '\n';
    }
    return lines.empty() ? result : lines + '\n' + result;
  }

 private:
  std::vector<std::string> told_;
  std::size_t taken_ = 0;
};

}  // namespace flopcast::cli
