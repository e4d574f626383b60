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
class SmpiStatuses {
 public:
  SmpiStatuses(int count, MPI_Status* wanted)
      : own_(wanted == MPI_STATUSES_IGNORE ? static_cast<std::size_t>(std::max(count, 1)) : 0), all_(own_.empty() ? wanted : own_.data()) {}
  [[nodiscard]] MPI_Status* all() const noexcept { return all_; }

 private:
  std::vector<MPI_Status> own_;
  MPI_Status* all_;
};

/// Requests that one call has completed.
class SmpiCompletion {
 public:
  explicit SmpiCompletion(SmpiProcess& process) : process_(process) {}

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
  void finish(const SimulatedCall& inside) {
    if (any_ || now() > inside.entered()) {
      const std::shared_ptr<const Group> world = process_.group(MPI_COMM_WORLD);
      simulation()->communicated(process_, simulation()->communication_kernel(Routine::wait, bytes_, *world), inside.entered(), others_, 0);
    }
  }

 private:
  SmpiProcess& process_;
  std::vector<ProcessArrival> others_;
  std::int64_t bytes_ = 0;
  bool any_ = false;
};

/// The requests that a call has completed: as many as `count`, at `indices` or, without these, in their order.
struct Completed {
  int count = 0;
  const int* indices = nullptr;
};

/// Waits for requests or tests them by `call`, which fills statuses. `completed` returns the requests that it has completed.
template <class Call, class Which>
int complete(int count, const MPI_Request* requests, MPI_Status* status, Call call, Which completed) {
  const SimulatedCall inside;
  if (!inside) {
    return call(status);
  }
  const std::vector<MPI_Request> before = copy_of(count, requests);
  const SmpiStatuses statuses(count, status);
  const int result = call(statuses.all());
  SmpiCompletion completion(inside.process());
  const Completed ended = completed();
  for (int i = 0; i < ended.count; ++i) {
    const int at = ended.indices != nullptr ? ended.indices[i] : i;
    if (at >= 0 && at < count) {
      completion.add(before[static_cast<std::size_t>(at)], statuses.all() + i);
    }
  }
  completion.finish(inside);
  return result;
}

/// Handles MPI_Wait and MPI_Waitall.
template <class Call>
int waited(int count, const MPI_Request* requests, MPI_Status* status, Call call) {
  return complete(count, requests, status, call, [count] { return Completed{count}; });
}

/// Handles MPI_Test and MPI_Testall.
template <class Call>
int tested(int count, const MPI_Request* requests, const int* flag, MPI_Status* status, Call call) {
  return complete(count, requests, status, call, [=] { return Completed{*flag != 0 ? count : 0}; });
}

/// Handles MPI_Waitany and, with a flag whether a request is complete, MPI_Testany.
template <class Call>
int completed_one(int count, const MPI_Request* requests, const int* flag, const int* index, MPI_Status* status, Call call) {
  return complete(count, requests, status, call, [=] { return Completed{flag == nullptr || *flag != 0 ? 1 : 0, index}; });
}

/// Handles MPI_Waitsome and MPI_Testsome.
template <class Call>
int completed_some(int count, const MPI_Request* requests, const int* completed, const int* indices, MPI_Status* status, Call call) {
  return complete(count, requests, status, call, [=] { return Completed{*completed, indices}; });
}

/// Starts the persistent requests among these by `call`.
template <class Call>
int start(int count, const MPI_Request* requests, Call call) {
  const SimulatedCall inside;
  if (!inside) {
    return call();
  }
  SmpiProcess& process = inside.process();
  for (int i = 0; i < count; ++i) {
    if (const auto found = process.persistent.find(requests[i]); found != process.persistent.end()) {
      remember(process, requests[i], begin(process, found->second));
    }
  }
  const int result = call();
  simulation()->communicated(process, message_kernel(Routine::start, 0, nullptr), inside.entered(), {}, 0);
  return result;
}

/// Adds the processes for which a process waits in a collective: all others, whose parts it needs.
void add_collective(const OpenRequest& pending, std::vector<ProcessArrival>& others) {
  const auto others_than = [own = pending.group->rank](int rank) { return rank != own; };
  if (const ProcessArrival* last = last_arrival(simulation()->collectives().at(pending.collective), now(), others_than)) {
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

ProcessArrival arrival_of(SmpiProcess& process) {
  process.path().name_part();
  return {now(), process.path().mark()};
}

std::optional<OpenRequest> begin(SmpiProcess& process, const MessageEnvelope& envelope) {
  const std::shared_ptr<const Group> group = process.group(envelope.comm);
  const int partner = envelope.partner;
  if (group == nullptr || (envelope.sends ? partner < 0 || partner >= group->size() : partner == MPI_PROC_NULL)) {
    return std::nullopt;
  }
  OpenRequest pending;
  pending.group = group;
  pending.bytes = envelope.bytes;
  pending.sends = envelope.sends;
  if (envelope.sends) {
    ++process.messages;
    process.message_bytes += static_cast<double>(envelope.bytes);
    pending.message = simulation()->matching().send({group->id, group->rank, partner, envelope.tag}, arrival_of(process));
    return pending;
  }
  pending.route = {group->id, partner, group->rank, envelope.tag};
  pending.wildcard = partner == MPI_ANY_SOURCE || envelope.tag == MPI_ANY_TAG;
  if (!pending.wildcard) {
    pending.message = simulation()->matching().receive(pending.route, arrival_of(process));
  }
  return pending;
}

void add_others(SmpiProcess& process, OpenRequest& pending, const MPI_Status* status, std::vector<ProcessArrival>& others) {
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
  const std::optional<ProcessArrival>& other = pending.sends ? pending.message->receiver : pending.message->sender;
  // A short message is sent whether or not its receiver is there.
  if (other && (!pending.sends || pending.bytes > simulation()->options().eager_bytes)) {
    others.push_back(*other);
    others.back().kind = pending.sends ? MpiWaitKind::late_receiver : MpiWaitKind::late_sender;
  }
}

void remember(SmpiProcess& process, MPI_Request request, std::optional<OpenRequest> pending) {
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

#include "flopcast/preload/kernels/completions.hpp"

int MPI_Start(MPI_Request* request) {
  return start(1, request, [&] { return PMPI_Start(request); });
}

int MPI_Startall(int count, MPI_Request* requests) {
  return start(count, requests, [&] { return PMPI_Startall(count, requests); });
}

int MPI_Request_free(MPI_Request* request) {
  if (SmpiProcess* process = simulation() != nullptr ? simulation()->current() : nullptr) {
    process->requests.erase(*request);
    process->persistent.erase(*request);
  }
  return PMPI_Request_free(request);
}

#pragma GCC visibility pop
}
