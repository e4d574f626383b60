#pragma once

#include <mpi.h>

#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "flopcast/path/critical_path.hpp"

namespace flopcast::interpose::mpi {

/// What travels ahead of every message of the program, on a communicator of ours.
struct Shadow {
  path::PathMark mark;     ///< of the sender, when it sent
  std::int64_t bytes = 0;  ///< of the message
  std::int32_t tag = 0;
  std::int16_t skipped = 0;  ///< the message is empty in place of these bytes
  std::int16_t epoch = 0;    ///< of the sender; a mark from before flopcast_reset() says nothing
};

/// What the processes of a collective communication find together.
struct Agreement {
  path::PathMark mark;       ///< the longest path
  std::int32_t execute = 0;  ///< at least one of them wants it executed
  std::int32_t epoch = 0;    ///< of the mark; the latest of all
};

/// The shadow of one of the program's communicators. It may outlive that: a request on a freed communicator still has to complete.
class Channel : public std::enable_shared_from_this<Channel> {
 public:
  /// Collective over `comm`.
  explicit Channel(MPI_Comm comm);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();

  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] int stride() const noexcept { return stride_; }  ///< between the world ranks of its processes; 0 if it varies
  [[nodiscard]] int world_rank(int rank) const noexcept { return world_ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] bool has(int rank) const noexcept { return rank >= 0 && rank < size_; }

  /// Never blocks.
  void send(const Shadow& shadow, int destination);
  /// The oldest shadow from `source` with this tag that nobody has taken; waits for it. Since it travels ahead of its message, there is one for every message that
  /// arrived.
  Shadow receive(int source, int tag);

  /// A shadow that has come from anybody, if there is one; doesn't wait.
  std::optional<Shadow> poll();

  Agreement agree(const Agreement& mine);
  /// The same without waiting; `mine` and `all` must stay where they are until `request` is complete.
  void begin_to_agree(const Agreement& mine, Agreement& all, MPI_Request& request);

 private:
  struct Outgoing {
    Shadow shadow;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  Outgoing& free_slot();

  MPI_Comm comm_ = MPI_COMM_NULL;
  int size_ = 1, stride_ = 1;
  std::vector<int> world_ranks_;
  std::list<Outgoing> outgoing_;               ///< oldest first
  std::map<int, std::deque<Shadow>> arrived_;  ///< by source; taken out of the network while looking for another tag
};

/// What agree() needs of MPI; between begin and end of a session.
void make_agreement_type();
void free_agreement_type();

/// Gives a communicator of the program its shadow. Collective over it; nothing for intercommunicators and MPI_COMM_NULL.
void adopt(MPI_Comm comm);
/// Its shadow; nullptr if it has none: then nothing is followed on it.
Channel* channel_of(MPI_Comm comm) noexcept;
/// Takes the shadow away; collective.
void disown(MPI_Comm comm);

}  // namespace flopcast::interpose::mpi
