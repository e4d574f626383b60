#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

#include "flopcast/preload/mpi/callbacks.hpp"
#include "flopcast/preload/mpi/piggyback.hpp"
#include "flopcast/preload/mpi/requests.hpp"
#include "flopcast/preload/mpi/session.hpp"

/// Costs and outputs of collectives, with any type of counts and displacements, and how they are traced.
namespace flopcast::preload::mpi {

/// A collective as far as its cost is concerned.
struct Collective {
  path::Pattern pattern = path::Pattern::barrier;
  std::int64_t bytes = 0;  ///< counted as in path::MessageModel
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// Memory where data arrive, from one process or equally much from each.
struct Output {
  void* buffer = nullptr;
  std::int64_t count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;

  /// Replaces remains of other data where nothing has arrived, so that they don't spread through the program.
  void clean() const { clean_empty(buffer, count * message_bytes(1, type), type); }
};

/// Memory where data of each process arrive, with a count and a position for each.
template <class Count, class Displacement>
struct Outputs {
  void* buffer = nullptr;
  const Count* counts = nullptr;
  const Displacement* places = nullptr;  ///< in units of the type's extent
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int processes = 0;

  void clean() const {
    MPI_Aint begin = 0;
    MPI_Aint extent = 0;
    if (buffer == nullptr || counts == nullptr || places == nullptr || PMPI_Type_get_extent(type, &begin, &extent) != MPI_SUCCESS) {
      return;
    }
    for (int i = 0; i < processes; ++i) {
      Output{static_cast<char*>(buffer) + places[i] * extent, counts[i], type}.clean();
    }
  }
};

/// Returns the bytes of `counts` elements, one count per process.
template <class Count>
std::int64_t parts_bytes(const Count* counts, MPI_Datatype type, const Channel& channel) noexcept {
  return counts == nullptr ? 0 : message_bytes(std::accumulate(counts, counts + channel.size(), std::int64_t{0}), type);
}

template <class Count>
std::int64_t parts_bytes(const Count* counts, const MPI_Datatype* types, const Channel& channel) noexcept {
  std::int64_t sum = 0;
  for (int i = 0; counts != nullptr && types != nullptr && i < channel.size(); ++i) {
    sum += message_bytes(counts[i], types[i]);
  }
  return sum;
}

/// Returns the bytes of one process's part times the number of processes.
inline std::int64_t parts_bytes(std::int64_t count, MPI_Datatype type, const Channel& channel) noexcept {
  return message_bytes(count, type) * channel.size();
}

/// Returns an output of `count` elements from each process.
inline Output from_all(void* buffer, std::int64_t count, MPI_Datatype type, const Channel& channel) noexcept {
  return {buffer, count * channel.size(), type};
}

/// The following functions describe a collective from its arguments. Each returns a function of the communicator's channel, which returns a
/// Collective and its output.
inline auto barrier() {
  return [](const Channel&) { return std::pair(Collective(), Output()); };
}

inline auto bcast(void* buffer, std::int64_t count, MPI_Datatype type, int root) {
  return [=](const Channel& channel) {
    return std::pair(Collective{path::Pattern::broadcast, message_bytes(count, type), type},
                     channel.rank() == root ? Output() : Output{buffer, count, type});
  };
}

inline auto reduce(void* out, std::int64_t count, MPI_Datatype type, int root) {
  return [=](const Channel& channel) {
    return std::pair(Collective{path::Pattern::reduce, message_bytes(count, type), type},
                     channel.rank() == root ? Output{out, count, type} : Output());
  };
}

/// Describes a collective from which every process gets a vector like the others'.
inline auto alike(path::Pattern pattern, void* out, std::int64_t count, MPI_Datatype type) {
  return [=](const Channel&) { return std::pair(Collective{pattern, message_bytes(count, type), type}, Output{out, count, type}); };
}

inline auto allreduce(void* out, std::int64_t count, MPI_Datatype type) { return alike(path::Pattern::allreduce, out, count, type); }

inline auto scan(void* out, std::int64_t count, MPI_Datatype type) { return alike(path::Pattern::scan, out, count, type); }

/// Describes a gather to `root`. `arriving` returns the output there from the channel.
template <class Received, class Arriving>
auto to_root(const void* in, std::int64_t sent, MPI_Datatype in_type, Received received, MPI_Datatype out_type, int root,
             Arriving arriving) {
  return [=](const Channel& channel) {
    const bool in_place = in == MPI_IN_PLACE;
    const std::int64_t bytes = in_place ? parts_bytes(received, out_type, channel) : parts_bytes(sent, in_type, channel);
    return std::pair(Collective{path::Pattern::gather, bytes, in_place ? out_type : in_type},
                     channel.rank() == root ? arriving(channel) : decltype(arriving(channel))());
  };
}

inline auto gather(const void* in, std::int64_t sent, MPI_Datatype in_type, void* out, std::int64_t received, MPI_Datatype out_type,
                   int root) {
  return to_root(in, sent, in_type, received, out_type, root,
                 [=](const Channel& channel) { return from_all(out, received, out_type, channel); });
}

template <class Count, class Displacement>
auto gatherv(const void* in, Count sent, MPI_Datatype in_type, void* out, const Count* received, const Displacement* places,
             MPI_Datatype out_type, int root) {
  return to_root(in, sent, in_type, received, out_type, root, [=](const Channel& channel) {
    return Outputs<Count, Displacement>{out, received, places, out_type, channel.size()};
  });
}

/// The root passes MPI_IN_PLACE or has an output like all others; its rank doesn't matter. `sent` is a count, or one for each process.
template <class Sent>
auto scatter(Sent sent, MPI_Datatype in_type, void* out, std::int64_t received, MPI_Datatype out_type, int /*root*/) {
  return [=](const Channel& channel) {
    const bool in_place = out == MPI_IN_PLACE;
    const std::int64_t bytes = in_place ? parts_bytes(sent, in_type, channel) : parts_bytes(received, out_type, channel);
    return std::pair(Collective{path::Pattern::scatter, bytes, in_place ? in_type : out_type},
                     in_place ? Output() : Output{out, received, out_type});
  };
}

template <class Count>
auto scatterv(const Count* sent, MPI_Datatype in_type, void* out, Count received, MPI_Datatype out_type, int root) {
  return scatter(sent, in_type, out, received, out_type, root);
}

/// Describes a collective from which every process gets equally much, or as much as `received` says, from each process.
inline auto from_each(path::Pattern pattern, void* out, std::int64_t received, MPI_Datatype out_type) {
  return [=](const Channel& channel) {
    return std::pair(Collective{pattern, parts_bytes(received, out_type, channel), out_type}, from_all(out, received, out_type, channel));
  };
}

template <class Count, class Displacement>
auto from_each(path::Pattern pattern, void* out, const Count* received, const Displacement* places, MPI_Datatype out_type) {
  return [=](const Channel& channel) {
    return std::pair(Collective{pattern, parts_bytes(received, out_type, channel), out_type},
                     Outputs<Count, Displacement>{out, received, places, out_type, channel.size()});
  };
}

inline auto allgather(void* out, std::int64_t received, MPI_Datatype out_type) {
  return from_each(path::Pattern::allgather, out, received, out_type);
}

inline auto alltoall(void* out, std::int64_t received, MPI_Datatype out_type) {
  return from_each(path::Pattern::alltoall, out, received, out_type);
}

template <class Count, class Displacement>
auto allgatherv(void* out, const Count* received, const Displacement* places, MPI_Datatype out_type) {
  return from_each(path::Pattern::allgather, out, received, places, out_type);
}

template <class Count, class Displacement>
auto alltoallv(void* out, const Count* received, const Displacement* places, MPI_Datatype out_type) {
  return from_each(path::Pattern::alltoall, out, received, places, out_type);
}

template <class Count>
auto alltoallw(const Count* received, const MPI_Datatype* out_types) {
  return [=](const Channel& channel) {
    return std::pair(Collective{path::Pattern::alltoall, parts_bytes(received, out_types, channel)}, Output());
  };
}

template <class Count>
auto reduce_scatter(void* out, const Count* counts, MPI_Datatype type) {
  return [=](const Channel& channel) {
    return std::pair(Collective{path::Pattern::reduce_scatter, parts_bytes(counts, type, channel), type},
                     Output{out, counts[channel.rank()], type});
  };
}

inline auto reduce_scatter_block(void* out, std::int64_t count, MPI_Datatype type) {
  return [=](const Channel& channel) {
    return std::pair(Collective{path::Pattern::reduce_scatter, parts_bytes(count, type, channel), type}, Output{out, count, type});
  };
}

/// Executes a blocking collective through `execute`. First all processes arrive and agree on the longest path; the time from there on is
/// communication. The collective is skipped if no process wants it executed.
template <class Describe, class Execute>
int executed(Routine routine, MPI_Comm comm, Describe describe, Execute execute, const void* site = __builtin_return_address(0)) {
  const InterceptGuard inside(site);
  Channel* channel = inside.channel(comm);
  if (channel == nullptr) {
    return execute();
  }
  TracingSession& all = *session();
  const auto [collective, output] = describe(*channel);
  const Communication communication = channel->communication(routine, collective.bytes, collective.pattern);
  const bool wanted = !may_be_skipped(collective.bytes, collective.type) || all.ledger.wants_execution(all.kernels.number(communication));
  all.note_call(routine, collective.bytes, channel->size(), channel->stride());
  Agreement mine = all.propagation.agreement(wanted, channel);
  mine.wanted = channel->votes().wanted();
  const Agreement agreed = all.ledger.idle([&] {
    const Agreement found = channel->agree(mine);
    all.ledger.note_last_to_come(found.mark.place.rank);
    return found;
  });
  channel->votes().agree(agreed.wanted);
  all.propagation.follow(agreed, *channel);
  if (agreed.execute == 0) {
    all.kernels.decisions.skipped();
    output.clean();
    all.ledger.skipped(communication);
    return MPI_SUCCESS;
  }
  const Seconds start = all.clock.now();
  const int result = execute();
  all.ledger.executed(communication, all.clock.now() - start);
  return result;
}

/// Returns whether a nonblocking collective is skipped. The process's own wish counts from the next blocking collective on.
bool is_skipped(Routine routine, const Collective& collective, Channel& channel);

/// Sets the request of a nonblocking collective that is skipped. It completes when the processes have agreed. A request that is complete
/// at once would not do. MPI uses the same handle for many of those, and the program would wait for one collective in place of another.
inline int begin_without_data(AgreementInFlight& agreement, MPI_Request* request) {
  if (agreement.request == MPI_REQUEST_NULL) {  // a single process has nothing to agree on
    return PMPI_Irecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, request);
  }
  *request = agreement.request;
  agreement.is_programs = true;
  return MPI_SUCCESS;
}

/// Begins a nonblocking collective through `execute`, with the agreement on the longest path under way beside it.
template <class Describe, class Execute>
int begun(Routine routine, MPI_Comm comm, MPI_Request* request, Describe describe, Execute execute,
          const void* site = __builtin_return_address(0)) {
  const InterceptGuard inside(site);
  Channel* channel = inside.channel(comm);
  if (channel == nullptr) {
    return execute();
  }
  const auto [collective, output] = describe(*channel);
  session()->note_call(routine, collective.bytes, channel->size(), channel->stride());
  Pending pending = agreement_begun(routine, *channel, session()->propagation.agreement(true));
  pending.pattern = collective.pattern;
  pending.bytes = collective.bytes;
  pending.skipped = is_skipped(routine, collective, *channel);
  if (pending.skipped) {
    session()->kernels.decisions.skipped();
    output.clean();
  }
  const int result = pending.skipped ? begin_without_data(*pending.agreement, request) : execute();
  requests().add(*request, std::move(pending));
  return result;
}

}  // namespace flopcast::preload::mpi
