#pragma once

namespace flopcast::interpose::mpi {

/// Of a process that waits for another one's word in memory.
class Patience {
 public:
  /// `crowded`: there are more processes than cores, and looking again is no use before somebody else has had this one.
  explicit Patience(bool crowded) noexcept : crowded_(crowded) {}

  /// After each look in vain: whether it is time to look after other things. Gives the core away now and then.
  bool is_over() noexcept;

 private:
  bool crowded_;
  unsigned int looks_ = 0;
};

}  // namespace flopcast::interpose::mpi
