#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/selective/execution_policy.hpp"

namespace flopcast::protocol {

/// One execution of a program's work that a launch is to make: values of parameters by name, and the policy that decides which kernels are
/// executed.
struct MpiExecution {
  std::map<std::string, std::string> parameters;
  selective::Policy policy = selective::Policy::full;
  bool times_are_used = true;  ///< later executions use the kernel times of this one, if policy is full
  friend bool operator==(const MpiExecution&, const MpiExecution&) = default;
};

/// The executions that one launch of a program is to make. The program's command line has the values of the first one. A program that reads
/// values by name (flopcast_parameter) can go on with others that differ from the first one only in values it reads.
class MpiExecutions {
 public:
  MpiExecutions() = default;
  explicit MpiExecutions(std::vector<MpiExecution> all) : all_(std::move(all)), done_(all_.size()) {}

  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] std::size_t number() const noexcept { return current_; }
  [[nodiscard]] const MpiExecution& current() const { return all_.at(current_); }
  /// Returns the current execution's value of parameter `name`, or nullptr if it has none. The call also records that the program reads
  /// `name`.
  const std::string* value(const std::string& name);
  /// Marks the current execution as done. Returns the number of the next execution that the program can go on with, or nothing if there is
  /// none.
  std::optional<std::size_t> next();
  void go_on_with(std::size_t number) { current_ = number; }

 private:
  [[nodiscard]] bool is_within_reach(const MpiExecution& execution) const;

  std::vector<MpiExecution> all_;
  std::vector<bool> done_;
  std::set<std::string> read_;
  std::size_t current_ = 0;
};

[[nodiscard]] std::string to_text(const std::vector<MpiExecution>& executions);
/// Inverse of to_text(). Throws bad_input if `text` has another form.
[[nodiscard]] std::vector<MpiExecution> parse_mpi_executions(const std::string& text);

}  // namespace flopcast::protocol
