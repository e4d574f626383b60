#include <mpi.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "flopcast/interpose/preloaded/mpi/requests.hpp"
#include "flopcast/interpose/preloaded/mpi/session.hpp"
#include "flopcast/interpose/preloaded/mpi/shadow.hpp"

namespace flopcast::interpose::mpi {
namespace {

using path::Pattern;

/// A collective as far as its cost goes.
struct Collective {
  Routine routine = Routine::barrier;
  Pattern pattern = Pattern::barrier;
  std::int64_t bytes = 0;  ///< as path::MessageModel counts them
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

int size_of(MPI_Comm comm) noexcept {
  int size = 1;
  PMPI_Comm_size(comm, &size);
  return size;
}

/// Bytes of `counts` elements, one count per process.
std::int64_t all_bytes(const int* counts, MPI_Datatype type, MPI_Comm comm) noexcept {
  return counts == nullptr ? 0 : message_bytes(std::accumulate(counts, counts + size_of(comm), 0), type);
}

/// Bytes of one process's part times their number.
std::int64_t parts_bytes(int count, MPI_Datatype type, MPI_Comm comm) noexcept { return message_bytes(count, type) * size_of(comm); }

std::int64_t all_bytes(const int* counts, const MPI_Datatype* types, MPI_Comm comm) noexcept {
  std::int64_t sum = 0;
  for (int i = 0; counts != nullptr && types != nullptr && i < size_of(comm); ++i) {
    sum += message_bytes(counts[i], types[i]);
  }
  return sum;
}

/// Where data arrive, of one process or as many of each.
struct Output {
  void* buffer = nullptr;
  std::int64_t count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;

  /// Nothing has arrived, and what remains there of something else isn't to go through the program.
  void settle() const { settle_empty(buffer, count * message_bytes(1, type), type); }
};

/// Where data of each process arrive that says how many and where.
struct Outputs {
  void* buffer = nullptr;
  const int* counts = nullptr;
  const int* places = nullptr;  ///< in extents of the type
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int processes = 0;

  void settle() const {
    MPI_Aint begin = 0;
    MPI_Aint extent = 0;
    if (buffer == nullptr || counts == nullptr || places == nullptr || PMPI_Type_get_extent(type, &begin, &extent) != MPI_SUCCESS) {
      return;
    }
    for (int i = 0; i < processes; ++i) {
      Output{static_cast<char*>(buffer) + places[i] * extent, counts[i], type}.settle();
    }
  }
};

/// `count` from each process.
Output from_all(void* buffer, int count, MPI_Datatype type, const Channel& channel) noexcept {
  return {buffer, std::int64_t{count} * channel.size(), type};
}

/// A blocking collective: first everybody learns who was on the longest path, and has come; what it takes from there on is communication.
/// It is left out if nobody wants it executed.
template <class Execute, class Arriving = Output>
int blocking(const Collective& collective, Channel* channel, Execute execute, const Arriving& output = {}) {
  Session& all = *session();
  const std::uint32_t kernel = all.communication_kernel(collective.routine, collective.bytes, channel->size(), channel->stride());
  const bool wanted = !may_be_skipped(collective.bytes, collective.type) || all.wants_execution(kernel);
  all.note_call(collective.routine, collective.bytes, channel->size(), channel->stride());
  Agreement mine = all.agreement(wanted, channel);
  mine.wanted = channel->votes().wanted();
  const Agreement agreed = all.idle([&] { return channel->agree(mine); });
  channel->votes().agree(agreed.wanted);
  all.follow(agreed, *channel);
  if (agreed.execute == 0) {
    all.note_left_out();
    output.settle();
    all.communicated(kernel, all.estimate(kernel), static_cast<double>(collective.bytes), false);
    return MPI_SUCCESS;
  }
  const Seconds start = all.now();
  const int result = execute();
  const Seconds seconds = all.uses_cpu_clock()
                              ? all.messages().seconds(collective.pattern, static_cast<double>(collective.bytes), channel->size())
                              : all.now() - start;
  all.communicated(kernel, seconds, static_cast<double>(collective.bytes), true);
  return result;
}

/// All processes must find the same for a nonblocking collective without a word: those can be left out whose bytes are as many in each.
bool may_be_left_out(const Collective& collective) {
  constexpr std::array uneven = {Routine::igatherv, Routine::iscatterv, Routine::ialltoallv, Routine::ialltoallw};
  return std::find(uneven.begin(), uneven.end(), collective.routine) == uneven.end() && may_be_skipped(collective.bytes, collective.type);
}

/// Whether it is left out; what this process wants counts from the next blocking collective on.
bool is_left_out(const Collective& collective, Channel& channel) {
  if (!may_be_left_out(collective)) {
    return false;
  }
  Session& all = *session();
  const std::uint32_t kernel = all.communication_kernel(collective.routine, collective.bytes, channel.size(), channel.stride());
  const std::uint64_t kind = path::KernelKeyHash()(all.kernels()[kernel].key);
  channel.votes().vote(kind, all.wants_execution(kernel));
  return !channel.votes().executes(kind);
}

/// A nonblocking collective, with the question who is on the longest path under way beside it. One that is left out gives the program a
/// request that is complete, and completes with that question.
template <class Execute, class Arriving = Output>
int nonblocking(const Collective& collective, Channel* channel, MPI_Request* request, Execute execute, const Arriving& output = {}) {
  session()->note_call(collective.routine, collective.bytes, channel->size(), channel->stride());
  Pending pending;
  pending.routine = collective.routine;
  pending.pattern = collective.pattern;
  pending.bytes = collective.bytes;
  pending.channel = channel->shared_from_this();
  pending.agreement = std::make_unique<AgreementInFlight>();
  pending.agreement->mine = session()->agreement(true);
  pending.skipped = is_left_out(collective, *channel);
  channel->begin_to_agree(pending.agreement->mine, pending.agreement->all, pending.agreement->request);
  if (pending.skipped) {
    session()->note_left_out();
    output.settle();
  }
  const int result = pending.skipped ? PMPI_Irecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, request) : execute();
  requests().add(*request, std::move(pending));
  return result;
}

}  // namespace
}  // namespace flopcast::interpose::mpi

using namespace flopcast::interpose::mpi;
using flopcast::path::Pattern;

extern "C" {

#pragma GCC visibility push(default)

int MPI_Barrier(MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Barrier(comm); };
  return channel == nullptr ? execute() : blocking({Routine::barrier, Pattern::barrier, 0}, channel, execute);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Bcast(buffer, count, type, root, comm); };
  return channel == nullptr ? execute()
                            : blocking({Routine::bcast, Pattern::broadcast, message_bytes(count, type), type}, channel, execute,
                                       channel->rank() == root ? Output() : Output{buffer, count, type});
}

int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Reduce(in, out, count, type, op, root, comm); };
  return channel == nullptr ? execute()
                            : blocking({Routine::reduce, Pattern::reduce, message_bytes(count, type), type}, channel, execute,
                                       channel->rank() == root ? Output{out, count, type} : Output());
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Allreduce(in, out, count, type, op, comm); };
  return channel == nullptr
             ? execute()
             : blocking({Routine::allreduce, Pattern::allreduce, message_bytes(count, type), type}, channel, execute, {out, count, type});
}

int MPI_Scan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Scan(in, out, count, type, op, comm); };
  return channel == nullptr
             ? execute()
             : blocking({Routine::scan, Pattern::scan, message_bytes(count, type), type}, channel, execute, {out, count, type});
}

int MPI_Exscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Exscan(in, out, count, type, op, comm); };
  return channel == nullptr
             ? execute()
             : blocking({Routine::exscan, Pattern::scan, message_bytes(count, type), type}, channel, execute, {out, count, type});
}

int MPI_Gather(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, int root, MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Gather(in, sent, in_type, out, received, out_type, root, comm); };
  return channel == nullptr ? execute()
                            : blocking({Routine::gather, Pattern::gather,
                                        in == MPI_IN_PLACE ? parts_bytes(received, out_type, comm) : parts_bytes(sent, in_type, comm),
                                        in == MPI_IN_PLACE ? out_type : in_type},
                                       channel, execute, channel->rank() == root ? from_all(out, received, out_type, *channel) : Output());
}

int MPI_Gatherv(const void* in, int sent, MPI_Datatype in_type, void* out, const int received[], const int places[], MPI_Datatype out_type,
                int root, MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Gatherv(in, sent, in_type, out, received, places, out_type, root, comm); };
  return channel == nullptr
             ? execute()
             : blocking({Routine::gatherv, Pattern::gather,
                         in == MPI_IN_PLACE ? all_bytes(received, out_type, comm) : parts_bytes(sent, in_type, comm),
                         in == MPI_IN_PLACE ? out_type : in_type},
                        channel, execute, channel->rank() == root ? Outputs{out, received, places, out_type, channel->size()} : Outputs());
}

int MPI_Scatter(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, int root, MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Scatter(in, sent, in_type, out, received, out_type, root, comm); };
  return channel == nullptr ? execute()
                            : blocking({Routine::scatter, Pattern::scatter,
                                        out == MPI_IN_PLACE ? parts_bytes(sent, in_type, comm) : parts_bytes(received, out_type, comm),
                                        out == MPI_IN_PLACE ? in_type : out_type},
                                       channel, execute, out == MPI_IN_PLACE ? Output() : Output{out, received, out_type});
}

int MPI_Scatterv(const void* in, const int sent[], const int places[], MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type,
                 int root, MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Scatterv(in, sent, places, in_type, out, received, out_type, root, comm); };
  return channel == nullptr ? execute()
                            : blocking({Routine::scatterv, Pattern::scatter,
                                        out == MPI_IN_PLACE ? all_bytes(sent, in_type, comm) : parts_bytes(received, out_type, comm),
                                        out == MPI_IN_PLACE ? in_type : out_type},
                                       channel, execute, out == MPI_IN_PLACE ? Output() : Output{out, received, out_type});
}

int MPI_Allgather(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Allgather(in, sent, in_type, out, received, out_type, comm); };
  return channel == nullptr ? execute()
                            : blocking({Routine::allgather, Pattern::allgather, parts_bytes(received, out_type, comm), out_type}, channel,
                                       execute, from_all(out, received, out_type, *channel));
}

int MPI_Allgatherv(const void* in, int sent, MPI_Datatype in_type, void* out, const int received[], const int places[],
                   MPI_Datatype out_type, MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Allgatherv(in, sent, in_type, out, received, places, out_type, comm); };
  return channel == nullptr ? execute()
                            : blocking({Routine::allgatherv, Pattern::allgather, all_bytes(received, out_type, comm), out_type}, channel,
                                       execute, Outputs{out, received, places, out_type, channel->size()});
}

int MPI_Alltoall(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Alltoall(in, sent, in_type, out, received, out_type, comm); };
  return channel == nullptr ? execute()
                            : blocking({Routine::alltoall, Pattern::alltoall, parts_bytes(received, out_type, comm), out_type}, channel,
                                       execute, from_all(out, received, out_type, *channel));
}

int MPI_Alltoallv(const void* in, const int sent[], const int in_places[], MPI_Datatype in_type, void* out, const int received[],
                  const int out_places[], MPI_Datatype out_type, MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Alltoallv(in, sent, in_places, in_type, out, received, out_places, out_type, comm); };
  return channel == nullptr ? execute()
                            : blocking({Routine::alltoallv, Pattern::alltoall, all_bytes(received, out_type, comm), out_type}, channel,
                                       execute, Outputs{out, received, out_places, out_type, channel->size()});
}

int MPI_Alltoallw(const void* in, const int sent[], const int in_places[], const MPI_Datatype in_types[], void* out, const int received[],
                  const int out_places[], const MPI_Datatype out_types[], MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Alltoallw(in, sent, in_places, in_types, out, received, out_places, out_types, comm); };
  return channel == nullptr ? execute()
                            : blocking({Routine::alltoallw, Pattern::alltoall, all_bytes(received, out_types, comm)}, channel, execute);
}

int MPI_Reduce_scatter(const void* in, void* out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Reduce_scatter(in, out, counts, type, op, comm); };
  return channel == nullptr ? execute()
                            : blocking({Routine::reduce_scatter, Pattern::reduce_scatter, all_bytes(counts, type, comm), type}, channel,
                                       execute, {out, counts[channel->rank()], type});
}

int MPI_Reduce_scatter_block(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Reduce_scatter_block(in, out, count, type, op, comm); };
  return channel == nullptr ? execute()
                            : blocking({Routine::reduce_scatter_block, Pattern::reduce_scatter, parts_bytes(count, type, comm), type},
                                       channel, execute, {out, count, type});
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Ibarrier(comm, request); };
  return channel == nullptr ? execute() : nonblocking({Routine::ibarrier, Pattern::barrier, 0}, channel, request, execute);
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Ibcast(buffer, count, type, root, comm, request); };
  return channel == nullptr ? execute()
                            : nonblocking({Routine::ibcast, Pattern::broadcast, message_bytes(count, type), type}, channel, request,
                                          execute, channel->rank() == root ? Output() : Output{buffer, count, type});
}

int MPI_Ireduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Ireduce(in, out, count, type, op, root, comm, request); };
  return channel == nullptr ? execute()
                            : nonblocking({Routine::ireduce, Pattern::reduce, message_bytes(count, type), type}, channel, request, execute,
                                          channel->rank() == root ? Output{out, count, type} : Output());
}

int MPI_Iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Iallreduce(in, out, count, type, op, comm, request); };
  return channel == nullptr ? execute()
                            : nonblocking({Routine::iallreduce, Pattern::allreduce, message_bytes(count, type), type}, channel, request,
                                          execute, {out, count, type});
}

int MPI_Iscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Iscan(in, out, count, type, op, comm, request); };
  return channel == nullptr ? execute()
                            : nonblocking({Routine::iscan, Pattern::scan, message_bytes(count, type), type}, channel, request, execute,
                                          {out, count, type});
}

int MPI_Iexscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Iexscan(in, out, count, type, op, comm, request); };
  return channel == nullptr ? execute()
                            : nonblocking({Routine::iexscan, Pattern::scan, message_bytes(count, type), type}, channel, request, execute,
                                          {out, count, type});
}

int MPI_Igather(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, int root, MPI_Comm comm,
                MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Igather(in, sent, in_type, out, received, out_type, root, comm, request); };
  return channel == nullptr
             ? execute()
             : nonblocking({Routine::igather, Pattern::gather,
                            in == MPI_IN_PLACE ? parts_bytes(received, out_type, comm) : parts_bytes(sent, in_type, comm),
                            in == MPI_IN_PLACE ? out_type : in_type},
                           channel, request, execute, channel->rank() == root ? from_all(out, received, out_type, *channel) : Output());
}

int MPI_Igatherv(const void* in, int sent, MPI_Datatype in_type, void* out, const int received[], const int places[], MPI_Datatype out_type,
                 int root, MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Igatherv(in, sent, in_type, out, received, places, out_type, root, comm, request); };
  return channel == nullptr ? execute()
                            : nonblocking({Routine::igatherv, Pattern::gather,
                                           in == MPI_IN_PLACE ? all_bytes(received, out_type, comm) : parts_bytes(sent, in_type, comm)},
                                          channel, request, execute);
}

int MPI_Iscatter(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, int root, MPI_Comm comm,
                 MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Iscatter(in, sent, in_type, out, received, out_type, root, comm, request); };
  return channel == nullptr ? execute()
                            : nonblocking({Routine::iscatter, Pattern::scatter,
                                           out == MPI_IN_PLACE ? parts_bytes(sent, in_type, comm) : parts_bytes(received, out_type, comm),
                                           out == MPI_IN_PLACE ? in_type : out_type},
                                          channel, request, execute, out == MPI_IN_PLACE ? Output() : Output{out, received, out_type});
}

int MPI_Iscatterv(const void* in, const int sent[], const int places[], MPI_Datatype in_type, void* out, int received,
                  MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Iscatterv(in, sent, places, in_type, out, received, out_type, root, comm, request); };
  return channel == nullptr ? execute()
                            : nonblocking({Routine::iscatterv, Pattern::scatter,
                                           out == MPI_IN_PLACE ? all_bytes(sent, in_type, comm) : parts_bytes(received, out_type, comm)},
                                          channel, request, execute);
}

int MPI_Iallgather(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, MPI_Comm comm,
                   MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Iallgather(in, sent, in_type, out, received, out_type, comm, request); };
  return channel == nullptr ? execute()
                            : nonblocking({Routine::iallgather, Pattern::allgather, parts_bytes(received, out_type, comm), out_type},
                                          channel, request, execute, from_all(out, received, out_type, *channel));
}

int MPI_Iallgatherv(const void* in, int sent, MPI_Datatype in_type, void* out, const int received[], const int places[],
                    MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Iallgatherv(in, sent, in_type, out, received, places, out_type, comm, request); };
  return channel == nullptr ? execute()
                            : nonblocking({Routine::iallgatherv, Pattern::allgather, all_bytes(received, out_type, comm), out_type},
                                          channel, request, execute, Outputs{out, received, places, out_type, channel->size()});
}

int MPI_Ialltoall(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, MPI_Comm comm,
                  MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Ialltoall(in, sent, in_type, out, received, out_type, comm, request); };
  return channel == nullptr ? execute()
                            : nonblocking({Routine::ialltoall, Pattern::alltoall, parts_bytes(received, out_type, comm), out_type}, channel,
                                          request, execute, from_all(out, received, out_type, *channel));
}

int MPI_Ialltoallv(const void* in, const int sent[], const int in_places[], MPI_Datatype in_type, void* out, const int received[],
                   const int out_places[], MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Ialltoallv(in, sent, in_places, in_type, out, received, out_places, out_type, comm, request); };
  return channel == nullptr
             ? execute()
             : nonblocking({Routine::ialltoallv, Pattern::alltoall, all_bytes(received, out_type, comm)}, channel, request, execute);
}

int MPI_Ialltoallw(const void* in, const int sent[], const int in_places[], const MPI_Datatype in_types[], void* out, const int received[],
                   const int out_places[], const MPI_Datatype out_types[], MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Ialltoallw(in, sent, in_places, in_types, out, received, out_places, out_types, comm, request); };
  return channel == nullptr
             ? execute()
             : nonblocking({Routine::ialltoallw, Pattern::alltoall, all_bytes(received, out_types, comm)}, channel, request, execute);
}

int MPI_Ireduce_scatter(const void* in, void* out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Ireduce_scatter(in, out, counts, type, op, comm, request); };
  return channel == nullptr ? execute()
                            : nonblocking({Routine::ireduce_scatter, Pattern::reduce_scatter, all_bytes(counts, type, comm), type}, channel,
                                          request, execute, {out, counts[channel->rank()], type});
}

int MPI_Ireduce_scatter_block(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  const auto execute = [&] { return PMPI_Ireduce_scatter_block(in, out, count, type, op, comm, request); };
  return channel == nullptr ? execute()
                            : nonblocking({Routine::ireduce_scatter_block, Pattern::reduce_scatter, parts_bytes(count, type, comm), type},
                                          channel, request, execute, {out, count, type});
}

#pragma GCC visibility pop
}
