#include "flopcast/preload/smpi/requests.hpp"

#include <algorithm>

namespace flopcast::preload::smpi {
namespace {

using mpi::Routine;

/// Returns a copy of the requests of a call, from before the call sets them to MPI_REQUEST_NULL.
std::vector<MPI_Request> copy_of(int count, const MPI_Request* requests) {
  return count > 0 ? std::vector<MPI_Request>(requests, requests + count) : std::vector<MPI_Request>();
}

/// Statuses for functions whose caller ignores them.
class Statuses {
 public:
  Statuses(int count, MPI_Status* wanted)
      : own_(wanted == MPI_STATUSES_IGNORE ? static_cast<std::size_t>(std::max(count, 1)) : 0), all_(own_.empty() ? wanted : own_.data()) {}
  [[nodiscard]] MPI_Status* all() const noexcept { return all_; }

 private:
  std::vector<MPI_Status> own_;
  MPI_Status* all_;
};

/// Requests that one call has completed.
class Completion {
 public:
  explicit Completion(Process& process) : process_(process) {}

  void add(MPI_Request request, const MPI_Status* status) {
    const auto found = process_.requests.find(request);
    if (found == process_.requests.end()) {
      return;
    }
    any_ = true;
    bytes_ += found->second.bytes;
    add_others(process_, found->second, status, others_);
    process_.requests.erase(found);
  }

  /// Ends the call. Time without a completed request isn't separate communication: it is the time of a loop of tests.
  void finish(const InterceptGuard& inside) {
    if (any_ || now() > inside.entered()) {
      const std::shared_ptr<const Group> world = process_.group(MPI_COMM_WORLD);
      simulation()->communicated(process_, simulation()->communication_kernel(Routine::wait, bytes_, *world), inside.entered(), others_, 0);
    }
  }

 private:
  Process& process_;
  std::vector<Arrival> others_;
  std::int64_t bytes_ = 0;
  bool any_ = false;
};

/// Starts the persistent requests among these.
void start(Process& process, int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    const auto found = process.persistent.find(requests[i]);
    if (found != process.persistent.end()) {
      const Persistent& what = found->second;
      remember(process, requests[i],
               what.sends ? begin_send(process, what.partner, what.tag, what.comm, what.bytes)
                          : begin_receive(process, what.partner, what.tag, what.comm, what.bytes));
    }
  }
}

/// Adds the processes for which a process waits in a collective: all others, whose parts it needs.
void add_collective(const Pending& pending, std::vector<Arrival>& others) {
  const auto others_than = [own = pending.group->rank](int rank) { return rank != own; };
  if (const Arrival* last = last_arrival(simulation()->collectives().at(pending.collective), now(), others_than)) {
    others.push_back(*last);
  }
  simulation()->collectives().leave(pending.collective, pending.group->size());
}

}  // namespace

std::int64_t bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::int64_t>(count) * size;
}

Arrival arrival_of(const Process& process) { return {now(), process.path().mark()}; }

std::optional<Pending> begin_send(Process& process, int destination, int tag, MPI_Comm comm, std::int64_t bytes) {
  const std::shared_ptr<const Group> group = process.group(comm);
  if (group == nullptr || destination < 0 || destination >= group->size()) {
    return std::nullopt;
  }
  ++process.messages;
  process.message_bytes += static_cast<double>(bytes);
  Pending pending;
  pending.group = group;
  pending.bytes = bytes;
  pending.sends = true;
  pending.message = simulation()->matching().send({group->id, group->rank, destination, tag}, arrival_of(process));
  return pending;
}

std::optional<Pending> begin_receive(Process& process, int source, int tag, MPI_Comm comm, std::int64_t bytes) {
  const std::shared_ptr<const Group> group = process.group(comm);
  if (group == nullptr || source == MPI_PROC_NULL) {
    return std::nullopt;
  }
  Pending pending;
  pending.group = group;
  pending.bytes = bytes;
  pending.route = {group->id, source, group->rank, tag};
  pending.wildcard = source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG;
  if (!pending.wildcard) {
    pending.message = simulation()->matching().receive(pending.route, arrival_of(process));
  }
  return pending;
}

void add_others(Process& process, Pending& pending, const MPI_Status* status, std::vector<Arrival>& others) {
  if (pending.is_collective) {
    add_collective(pending, others);
    return;
  }
  if (pending.wildcard && status != nullptr && status->MPI_SOURCE >= 0) {
    pending.message = simulation()->matching().receive(
        {pending.route.communicator, status->MPI_SOURCE, pending.group->rank, status->MPI_TAG}, arrival_of(process));
  }
  if (!pending.message) {
    return;
  }
  const std::optional<Arrival>& other = pending.sends ? pending.message->receiver : pending.message->sender;
  // A short message is sent whether or not its receiver is there.
  if (other && (!pending.sends || pending.bytes > simulation()->options().eager_bytes)) {
    others.push_back(*other);
  }
}

void remember(Process& process, MPI_Request request, std::optional<Pending> pending) {
  if (pending && request != MPI_REQUEST_NULL) {
    process.requests[request] = std::move(*pending);
  }
}

std::uint32_t message_kernel(mpi::Routine routine, std::int64_t bytes, const Group* group) {
  static const Group none;
  return simulation()->communication_kernel(routine, bytes, group != nullptr ? *group : none);
}

}  // namespace flopcast::preload::smpi

using namespace flopcast::preload::smpi;

extern "C" {

#pragma GCC visibility push(default)

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const InterceptGuard inside;
  if (!inside) {
    return PMPI_Wait(request, status);
  }
  const MPI_Request before = *request;
  const Statuses statuses(1, status);
  const int result = PMPI_Wait(request, statuses.all());
  Completion completion(inside.process());
  completion.add(before, statuses.all());
  completion.finish(inside);
  return result;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status status[]) {
  const InterceptGuard inside;
  if (!inside) {
    return PMPI_Waitall(count, requests, status);
  }
  const std::vector<MPI_Request> before = copy_of(count, requests);
  const Statuses statuses(count, status);
  const int result = PMPI_Waitall(count, requests, statuses.all());
  Completion completion(inside.process());
  for (std::size_t i = 0; i < before.size(); ++i) {
    completion.add(before[i], statuses.all() + i);
  }
  completion.finish(inside);
  return result;
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const InterceptGuard inside;
  if (!inside) {
    return PMPI_Waitany(count, requests, index, status);
  }
  const std::vector<MPI_Request> before = copy_of(count, requests);
  const Statuses statuses(1, status);
  const int result = PMPI_Waitany(count, requests, index, statuses.all());
  Completion completion(inside.process());
  if (*index >= 0 && *index < count) {
    completion.add(before[static_cast<std::size_t>(*index)], statuses.all());
  }
  completion.finish(inside);
  return result;
}

int MPI_Waitsome(int count, MPI_Request requests[], int* completed, int* indices, MPI_Status status[]) {
  const InterceptGuard inside;
  if (!inside) {
    return PMPI_Waitsome(count, requests, completed, indices, status);
  }
  const std::vector<MPI_Request> before = copy_of(count, requests);
  const Statuses statuses(count, status);
  const int result = PMPI_Waitsome(count, requests, completed, indices, statuses.all());
  Completion completion(inside.process());
  for (int i = 0; i < *completed; ++i) {
    completion.add(before[static_cast<std::size_t>(indices[i])], statuses.all() + i);
  }
  completion.finish(inside);
  return result;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const InterceptGuard inside;
  if (!inside) {
    return PMPI_Test(request, flag, status);
  }
  const MPI_Request before = *request;
  const Statuses statuses(1, status);
  const int result = PMPI_Test(request, flag, statuses.all());
  Completion completion(inside.process());
  if (*flag != 0) {
    completion.add(before, statuses.all());
  }
  completion.finish(inside);
  return result;
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status status[]) {
  const InterceptGuard inside;
  if (!inside) {
    return PMPI_Testall(count, requests, flag, status);
  }
  const std::vector<MPI_Request> before = copy_of(count, requests);
  const Statuses statuses(count, status);
  const int result = PMPI_Testall(count, requests, flag, statuses.all());
  Completion completion(inside.process());
  for (std::size_t i = 0; *flag != 0 && i < before.size(); ++i) {
    completion.add(before[i], statuses.all() + i);
  }
  completion.finish(inside);
  return result;
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  const InterceptGuard inside;
  if (!inside) {
    return PMPI_Testany(count, requests, index, flag, status);
  }
  const std::vector<MPI_Request> before = copy_of(count, requests);
  const Statuses statuses(1, status);
  const int result = PMPI_Testany(count, requests, index, flag, statuses.all());
  Completion completion(inside.process());
  if (*flag != 0 && *index >= 0 && *index < count) {
    completion.add(before[static_cast<std::size_t>(*index)], statuses.all());
  }
  completion.finish(inside);
  return result;
}

int MPI_Testsome(int count, MPI_Request requests[], int* completed, int* indices, MPI_Status status[]) {
  const InterceptGuard inside;
  if (!inside) {
    return PMPI_Testsome(count, requests, completed, indices, status);
  }
  const std::vector<MPI_Request> before = copy_of(count, requests);
  const Statuses statuses(count, status);
  const int result = PMPI_Testsome(count, requests, completed, indices, statuses.all());
  Completion completion(inside.process());
  for (int i = 0; i < *completed; ++i) {
    completion.add(before[static_cast<std::size_t>(indices[i])], statuses.all() + i);
  }
  completion.finish(inside);
  return result;
}

int MPI_Start(MPI_Request* request) {
  const InterceptGuard inside;
  if (!inside) {
    return PMPI_Start(request);
  }
  start(inside.process(), 1, request);
  const int result = PMPI_Start(request);
  simulation()->communicated(inside.process(), message_kernel(Routine::start, 0, nullptr), inside.entered(), {}, 0);
  return result;
}

int MPI_Startall(int count, MPI_Request* requests) {
  const InterceptGuard inside;
  if (!inside) {
    return PMPI_Startall(count, requests);
  }
  start(inside.process(), count, requests);
  const int result = PMPI_Startall(count, requests);
  simulation()->communicated(inside.process(), message_kernel(Routine::start, 0, nullptr), inside.entered(), {}, 0);
  return result;
}

int MPI_Request_free(MPI_Request* request) {
  if (Process* process = simulation() != nullptr ? simulation()->current() : nullptr) {
    process->requests.erase(*request);
    process->persistent.erase(*request);
  }
  return PMPI_Request_free(request);
}

#pragma GCC visibility pop
}
