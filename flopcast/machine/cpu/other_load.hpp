#pragma once

#include <optional>

namespace flopcast::machine {

/// What processes other than our children take of the machine's cores while something is measured: wall times say little then.
class OtherLoad {
 public:
  /// So many cores kept busy by others are told to the user: our own recorder, which works in turns with us, takes less.
  static constexpr double much = 0.5;

  OtherLoad();

  /// Cores that others have kept busy on average since this was made, other machines of the host among them; nothing if that can't be said,
  /// or if our children did too little to be those who were measured (a launcher may have others start them).
  [[nodiscard]] std::optional<double> cores() const;

 private:
  /// In seconds.
  struct State {
    std::optional<double>
        machine;     ///< CPU time of all processes, and what other machines of the host took; nothing if the system doesn't tell
    double own = 0;  ///< CPU time of this process and of children that have ended
    double wall = 0;
  };
  [[nodiscard]] static State now();

  State begin_;
};

}  // namespace flopcast::machine
