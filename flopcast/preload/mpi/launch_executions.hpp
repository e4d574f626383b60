#pragma once

#include <mpi.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/protocol/mpi_executions.hpp"
#include "flopcast/protocol/mpi_profile.hpp"

namespace flopcast::preload::mpi {

/// The executions of this launch: which one the program is in, and whether selective ones make the calls of full ones.
class LaunchExecutions {
 public:
  /// The program's progress through its executions.
  enum class Progress : unsigned char { not_asked, running, finished };

  /// Reads the list in `file` at rank 0, and broadcasts it. Without a file there are none. Ends all processes if it can't be read.
  /// Collective.
  void read(const std::string& file, MPI_Comm world);
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] const protocol::MpiExecution& current() const { return all_.current(); }
  [[nodiscard]] std::size_t number() const noexcept { return all_.number(); }
  /// Returns the current execution's value of a parameter, nullptr if it has none.
  const std::string* value(const std::string& name) { return all_.empty() ? nullptr : all_.value(name); }
  void go_on_with(std::size_t number) { all_.go_on_with(number); }

  [[nodiscard]] Progress progress() const noexcept { return progress_; }
  void set_progress(Progress progress) noexcept { progress_ = progress; }
  /// Ends the current execution. Returns the number of the next one that the program can go on with, which rank 0 finds. There is none if
  /// the program is steered by its results; flopcast then starts it anew with full executions. Collective.
  std::optional<std::size_t> next(MPI_Comm world);
  /// Compares the calls of the current execution, at rank 0, with those of earlier ones with the same parameters.
  void compare_calls(const std::vector<MpiCallSequence>& calls);

 private:
  using CallsByParameters = std::map<std::map<std::string, std::string>, std::vector<MpiCallSequence>>;

  protocol::MpiExecutions all_;
  Progress progress_ = Progress::not_asked;
  CallsByParameters full_calls_, selective_calls_;  ///< at rank 0, of full and other executions
  bool calls_differ_ = false;                       ///< at rank 0: a selective execution made other calls than the full one
};

}  // namespace flopcast::preload::mpi
