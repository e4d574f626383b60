#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "flopcast/preload/smpi/requests.hpp"

/// Sizes of collectives, the processes for which they wait, and how they are traced. The functions that describe a collective have the
/// names and parameters of those in mpi/collective.hpp, because both are called as mpi/functions.txt says.
namespace flopcast::preload::smpi {

/// The processes for which a process waits in a collective.
enum class Needs { everybody, root, root_needs_everybody };

constexpr int no_root = -1;

/// A collective as far as its kernel and the path are concerned.
struct Description {
  std::int64_t bytes = 0;  ///< size in the key of this process's kernel
  Needs needs = Needs::everybody;
  int root = no_root;
};

/// Returns `describe`: under SMPI an operation of the program changes nothing.
template <class Describe>
auto with_operation(MPI_Op /*op*/, Describe describe) {
  return describe;
}

/// Returns the bytes of `counts` elements, one count per process of `group`.
inline std::int64_t all_bytes(const int* counts, MPI_Datatype type, const Group& group) {
  return counts == nullptr ? 0 : bytes_of(std::accumulate(counts, counts + group.size(), 0), type);
}

/// The following functions describe a collective from its arguments. Each returns a function of the communicator's group, which returns a
/// Description.
inline auto barrier() {
  return [](const Group&) { return Description(); };
}

inline auto bcast(void* /*buffer*/, int count, MPI_Datatype type, int root) {
  return [=](const Group&) { return Description{bytes_of(count, type), Needs::root, root}; };
}

inline auto reduce(void* /*out*/, int count, MPI_Datatype type, int root) {
  return [=](const Group&) { return Description{bytes_of(count, type), Needs::root_needs_everybody, root}; };
}

inline auto allreduce(void* /*out*/, int count, MPI_Datatype type) {
  return [=](const Group&) { return Description{bytes_of(count, type)}; };
}

inline auto scan(void* out, int count, MPI_Datatype type) { return allreduce(out, count, type); }

inline auto gather(const void* /*in*/, int sent, MPI_Datatype in_type, void* /*out*/, int received, MPI_Datatype out_type, int root) {
  return [=](const Group& group) {
    return Description{group.rank == root ? bytes_of(received, out_type) : bytes_of(sent, in_type), Needs::root_needs_everybody, root};
  };
}

inline auto gatherv(const void* /*in*/, int sent, MPI_Datatype in_type, void* /*out*/, const int* received, const int* /*places*/,
                    MPI_Datatype out_type, int root) {
  return [=](const Group& group) {
    return Description{group.rank == root ? all_bytes(received, out_type, group) : bytes_of(sent, in_type), Needs::root_needs_everybody,
                       root};
  };
}

inline auto scatter(int sent, MPI_Datatype in_type, void* /*out*/, int received, MPI_Datatype out_type, int root) {
  return [=](const Group& group) {
    return Description{group.rank == root ? bytes_of(sent, in_type) : bytes_of(received, out_type), Needs::root, root};
  };
}

inline auto scatterv(const int* sent, MPI_Datatype in_type, void* /*out*/, int received, MPI_Datatype out_type, int root) {
  return [=](const Group& group) {
    return Description{group.rank == root ? all_bytes(sent, in_type, group) : bytes_of(received, out_type), Needs::root, root};
  };
}

inline auto allgather(void* /*out*/, int received, MPI_Datatype out_type) {
  return [=](const Group&) { return Description{bytes_of(received, out_type)}; };
}

inline auto allgatherv(void* /*out*/, const int* received, const int* /*places*/, MPI_Datatype out_type) {
  return [=](const Group& group) { return Description{all_bytes(received, out_type, group)}; };
}

inline auto alltoall(void* out, int received, MPI_Datatype out_type) { return allgather(out, received, out_type); }

inline auto alltoallv(void* out, const int* received, const int* places, MPI_Datatype out_type) {
  return allgatherv(out, received, places, out_type);
}

/// Parts of different types have no size here.
inline auto alltoallw(const int* /*received*/, const MPI_Datatype* /*out_types*/) { return barrier(); }

inline auto reduce_scatter(void* /*out*/, const int* counts, MPI_Datatype type) {
  return [=](const Group& group) { return Description{all_bytes(counts, type, group)}; };
}

inline auto reduce_scatter_block(void* out, int count, MPI_Datatype type) { return allreduce(out, count, type); }

/// Returns the arrivals for which `group`'s process waited, if any. Processes that forward data between it and the root are counted as part
/// of the network.
std::vector<ProcessArrival> needed(const OpenCollective& collective, const Group& group, const Description& description);

/// Executes a blocking collective through `execute`.
template <class Describe, class Execute>
int executed(mpi::Routine routine, MPI_Comm comm, Describe describe, Execute execute) {
  const SimulatedCall inside;
  const std::shared_ptr<const Group> group = inside ? inside.process().group(comm) : nullptr;
  if (group == nullptr) {
    return execute();
  }
  const Description description = describe(*group);
  SmpiProcess& process = inside.process();
  Collectives& all = simulation()->collectives();
  const Collectives::Key key(group->id, process.next_collective(*group));
  all.arrive(key, group->rank, arrival_of(process));
  const int result = execute();
  const std::vector<ProcessArrival> others = needed(all.at(key), *group, description);
  all.leave(key, group->size());
  simulation()->communicated(process, simulation()->communication_kernel(routine, description.bytes, *group), inside.entered(), others,
                             static_cast<double>(description.bytes));
  return result;
}

/// Begins a nonblocking collective through `execute`. As far as paths go, the collective is complete when all processes have begun it.
template <class Describe, class Execute>
int begun(mpi::Routine routine, MPI_Comm comm, MPI_Request* request, Describe describe, Execute execute) {
  const SimulatedCall inside;
  const std::shared_ptr<const Group> group = inside ? inside.process().group(comm) : nullptr;
  if (group == nullptr) {
    return execute();
  }
  SmpiProcess& process = inside.process();
  OpenRequest pending;
  pending.group = group;
  pending.bytes = describe(*group).bytes;
  const std::int64_t bytes = pending.bytes;
  pending.is_collective = true;
  pending.collective = {group->id, process.next_collective(*group)};
  simulation()->collectives().arrive(pending.collective, group->rank, arrival_of(process));
  const int result = execute();
  remember(process, *request, std::move(pending));
  simulation()->communicated(process, simulation()->communication_kernel(routine, bytes, *group), inside.entered(), {},
                             static_cast<double>(bytes));
  return result;
}

/// Makes a communicator through `execute`, which waits for all processes and moves hardly any data. On the path it is a barrier.
template <class Execute>
int made_communicator(MPI_Comm comm, Execute execute) {
  return executed(mpi::Routine::barrier, comm, barrier(), execute);
}

}  // namespace flopcast::preload::smpi
