#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/path/execution_policy.hpp"

namespace flopcast::interpose {

/// One execution of a program's work that a launch is asked for: values of parameters by their names, and which kernels are executed.
struct MpiExecution {
  std::map<std::string, std::string> parameters;
  path::Policy policy = path::Policy::full;
  bool teaches = true;  ///< what it shows of kernels' times is used by the following ones, if policy is full
  friend bool operator==(const MpiExecution&, const MpiExecution&) = default;
};

/// The executions that one launch of a program is asked for. The program's command line has the values of the first one; a program that
/// asks for values by name (flopcast_parameter) can go on with others, as long as they differ from the first one's only in what it asks for.
class MpiExecutions {
 public:
  MpiExecutions() = default;
  explicit MpiExecutions(std::vector<MpiExecution> all) : all_(std::move(all)), done_(all_.size()) {}

  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] std::size_t number() const noexcept { return current_; }
  [[nodiscard]] const MpiExecution& current() const { return all_.at(current_); }
  /// The present execution's value of parameter `name`, nullptr if it has none. From now on the program counts as one that asks for it.
  const std::string* value(const std::string& name);
  /// The present one is done; the number of the next one that the program can go on with, nothing if there is none.
  std::optional<std::size_t> next();
  void go_on_with(std::size_t number) { current_ = number; }

 private:
  [[nodiscard]] bool is_within_reach(const MpiExecution& execution) const;

  std::vector<MpiExecution> all_;
  std::vector<bool> done_;
  std::set<std::string> asked_;
  std::size_t current_ = 0;
};

[[nodiscard]] std::string to_text(const std::vector<MpiExecution>& executions);
/// Throws bad_input if `text` is no document of to_text().
[[nodiscard]] std::vector<MpiExecution> parse_mpi_executions(const std::string& text);

}  // namespace flopcast::interpose
