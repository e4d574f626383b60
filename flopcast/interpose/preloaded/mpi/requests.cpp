#include "flopcast/interpose/preloaded/mpi/requests.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "flopcast/core/own_pages.hpp"
#include "flopcast/interpose/preloaded/mpi/session.hpp"
#include "flopcast/interpose/preloaded/mpi/skipped_data.hpp"

namespace flopcast::interpose::mpi {

void Requests::add(MPI_Request request, Pending pending) { pending_.emplace(request, std::move(pending)); }

std::optional<Pending> Requests::take(MPI_Request request) {
  const auto found = pending_.find(request);
  if (found == pending_.end()) {
    return std::nullopt;
  }
  Pending pending = std::move(found->second);
  pending_.erase(found);
  return pending;
}

Pending* Requests::find(MPI_Request request) {
  const auto found = pending_.find(request);
  return found != pending_.end() ? &found->second : nullptr;
}

Requests& requests() {
  static Requests all;
  return all;
}

void announce(Channel* channel, std::int64_t bytes, int destination, int tag, bool skipped) {
  if (channel != nullptr && channel->has(destination)) {
    session()->note_call(Routine::send, bytes, destination, tag);
    channel->send(session()->path(), session()->envelope(bytes, tag, skipped), destination, session()->counts());
  }
}

namespace {

/// Bytes of the reals that a basic type is made of, 4 or 8; 0 if it isn't made of any.
int real_bytes(MPI_Datatype type) noexcept {
  const std::array singles = {MPI_FLOAT, MPI_REAL, MPI_C_FLOAT_COMPLEX, MPI_COMPLEX};
  const std::array doubles = {MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_C_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX};
  return std::find(singles.begin(), singles.end(), type) != singles.end()   ? 4
         : std::find(doubles.begin(), doubles.end(), type) != doubles.end() ? 8
                                                                            : 0;
}

bool has_precision_of_fortran(int combiner) noexcept { return combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX; }

/// The same if `type` is derived from numbers of one precision alone, in whatever way: it goes by the sequence of basic types, which is the
/// same in all processes of a communication. Derived types are made and freed all the time: it is asked anew whenever one is used.
int real_bytes_of_derived(MPI_Datatype type) {
  int integer_count = 0;
  int address_count = 0;
  int type_count = 0;
  int combiner = MPI_COMBINER_NAMED;
  if (PMPI_Type_get_envelope(type, &integer_count, &address_count, &type_count, &combiner) != MPI_SUCCESS) {
    return 0;
  }
  if (has_precision_of_fortran(combiner)) {
    const std::int64_t bytes = message_bytes(1, type);
    return bytes <= (combiner == MPI_COMBINER_F90_REAL ? 4 : 8) ? 4 : 8;
  }
  if (combiner == MPI_COMBINER_NAMED || type_count == 0) {
    return real_bytes(type);
  }
  std::vector<int> integers(static_cast<std::size_t>(integer_count));
  std::vector<MPI_Aint> addresses(static_cast<std::size_t>(address_count));
  std::vector<MPI_Datatype> parts(static_cast<std::size_t>(type_count));
  PMPI_Type_get_contents(type, integer_count, address_count, type_count, integers.data(), addresses.data(), parts.data());
  int all = real_bytes_of_derived(parts.front());
  for (MPI_Datatype& part : parts) {
    all = real_bytes_of_derived(part) == all ? all : 0;
    PMPI_Type_get_envelope(part, &integer_count, &address_count, &type_count, &combiner);
    if (combiner != MPI_COMBINER_NAMED && !has_precision_of_fortran(combiner) && combiner != MPI_COMBINER_F90_INTEGER) {
      PMPI_Type_free(&part);  // a derived type comes as another handle
    }
  }
  return all;
}

/// Memory that a strided type spreads over, such as a block of a matrix, is settled in a copy without gaps, since what lies in the gaps isn't
/// the message's.
void settle_strided(void* buffer, std::int64_t bytes, MPI_Datatype type) {
  const int element_bytes = real_bytes_of_derived(type);
  const std::int64_t size = message_bytes(1, type);
  if (element_bytes == 0 || size == 0 || bytes % size != 0 || bytes / size > std::numeric_limits<int>::max()) {
    return;
  }
  const int count = static_cast<int>(bytes / size);
  int packed_bytes = 0;
  PMPI_Pack_size(count, type, MPI_COMM_SELF, &packed_bytes);
  static OwnVector<char> copy;
  copy.resize(std::max(copy.size(), static_cast<std::size_t>(packed_bytes)));
  int end = 0;
  PMPI_Pack(buffer, count, type, copy.data(), packed_bytes, &end, MPI_COMM_SELF);
  if (end == bytes && settle_numbers(copy.data(), bytes, element_bytes)) {
    int begin = 0;
    PMPI_Unpack(copy.data(), end, &begin, buffer, count, type, MPI_COMM_SELF);
  }
}

}  // namespace

bool may_be_skipped(std::int64_t bytes, MPI_Datatype type) noexcept {
  constexpr std::int64_t most_control_bytes = 64;
  return bytes > most_control_bytes && type != MPI_DATATYPE_NULL &&
         (real_bytes(type) != 0 || (session()->options().policy != path::Policy::full && real_bytes_of_derived(type) != 0));
}

void mend_status(const Shadow& shadow, MPI_Status& status) noexcept {
  if (shadow.is_empty()) {
    PMPI_Status_set_elements_x(&status, MPI_BYTE, static_cast<MPI_Count>(shadow.bytes));
  }
}

void settle_empty(void* buffer, std::int64_t bytes, MPI_Datatype type) {
  MPI_Aint begin = 0;
  MPI_Aint extent = 0;
  if (buffer == nullptr || type == MPI_DATATYPE_NULL || PMPI_Type_get_extent(type, &begin, &extent) != MPI_SUCCESS) {
    return;
  }
  if (begin == 0 && message_bytes(1, type) == extent) {
    settle_message(buffer, bytes, real_bytes(type) == 4 ? 4 : 8);
  } else {
    settle_strided(buffer, bytes, type);
  }
}

namespace {

/// The type that was asked for last: asking MPI takes as long as all else that a short message costs here. Only types of MPI's own are kept,
/// as nobody frees them.
struct {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Count size = 0;
} last_named;

MPI_Count size_of(MPI_Datatype type) noexcept {
  if (type == last_named.type) {
    return last_named.size;
  }
  MPI_Count size = 0;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS) {
    return 0;
  }
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = 0;
  if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS && combiner == MPI_COMBINER_NAMED) {
    last_named = {type, size};
  }
  return size;
}

}  // namespace

std::int64_t message_bytes(int count, MPI_Datatype type) noexcept {
  return count > 0 && type != MPI_DATATYPE_NULL ? static_cast<std::int64_t>(size_of(type)) * count : 0;
}

namespace {

/// What the completion of one or more requests comes to.
class Completion {
 public:
  /// Before MPI is asked: shadows of messages that must arrive, and agreements that must be reached, before it can answer.
  void await(int request, Pending pending) {
    if (pending.names_its_message()) {
      const Arrival* shadow = session()->idle([&] { return &pending.channel->receive(pending.source, pending.tag); });
      follow(pending, *shadow);
      if (shadow->is_empty()) {
        to_mend_.emplace_back(request, *shadow);
      }
    } else if (!pending.is_receive()) {
      follow(pending);
    } else {
      later_.push_back(std::move(pending));
      return;
    }
    done_.push_back(std::move(pending));
  }

  /// Statuses of empty messages among those of await(), by the number of the request that was given.
  template <class Statuses>
  void mend(Statuses& statuses) {
    for (const auto& [request, shadow] : to_mend_) {
      mend_status(shadow, statuses[request]);
    }
  }

  /// For those of await() that only their status tells about, in the same order.
  [[nodiscard]] std::size_t unknown() const noexcept { return later_.size(); }

  void finish_unknown(std::size_t i, MPI_Status& status) { finish(std::move(later_[i]), status); }

  /// After MPI has said that it is complete.
  void finish(Pending pending, MPI_Status& status) {
    if (!pending.is_receive()) {
      follow(pending);
    } else if (!was_cancelled(pending, status)) {
      const Arrival& shadow = pending.channel->receive(status.MPI_SOURCE, status.MPI_TAG);
      follow(pending, shadow);
      mend_status(shadow, status);
    } else {
      return;
    }
    done_.push_back(std::move(pending));
  }

  /// Puts the costs on the path: `seconds` of the clock between the program's question and MPI's answer. What a message or a collective
  /// moves takes what the model says where CPU time is the clock; otherwise it takes the time waited, shared out among those that are
  /// complete.
  void account(Seconds seconds) {
    Session& all = *session();
    if (done_.empty()) {
      const Seconds idle = all.uses_cpu_clock() ? 0 : all.explain_wait(seconds);  // of a send, for its receiver
      all.waited_on_path(idle);
      return;
    }
    const Seconds share = seconds / static_cast<double>(done_.size());
    for (const Pending& pending : done_) {
      const Seconds cost = all.uses_cpu_clock()
                               ? all.messages().seconds(pending.pattern, static_cast<double>(pending.bytes), pending.channel->size())
                               : share;
      const std::uint32_t kernel =
          all.communication_kernel(pending.routine, pending.bytes, pending.channel->size(), pending.channel->stride());
      const Seconds taken = pending.skipped ? all.estimate(kernel, pending.pattern, pending.bytes, pending.channel->size()) : cost;
      all.communicated(kernel, taken, static_cast<double>(pending.bytes), !pending.skipped);
    }
  }

 private:
  static bool was_cancelled(const Pending& pending, MPI_Status& status) {
    int cancelled = 0;
    if (pending.cancelled) {
      PMPI_Test_cancelled(&status, &cancelled);
    }
    return cancelled != 0 || !pending.channel->has(status.MPI_SOURCE);
  }

  static void follow(Pending& pending, const Arrival& shadow) {
    session()->follow(shadow);
    pending.bytes = shadow.bytes;
    pending.skipped = shadow.is_empty();
    if (pending.skipped && real_bytes(pending.type) != 0) {  // others may have been freed
      settle_empty(pending.buffer, shadow.bytes, pending.type);
    }
  }

  static void follow(Pending& pending) {
    session()->idle([&] { return PMPI_Wait(&pending.agreement->request, MPI_STATUS_IGNORE); });
    session()->follow(pending.agreement->all);
  }

  std::vector<Pending> done_;
  std::vector<Pending> later_;  ///< of await()
  std::vector<std::pair<int, Shadow>> to_mend_;
};

/// Statuses for us where the program doesn't want any.
class Statuses {
 public:
  Statuses(MPI_Status* wanted, int count) : all_(wanted) {
    if (wanted == MPI_STATUSES_IGNORE) {
      own_.resize(static_cast<std::size_t>(count));
      all_ = own_.data();
    }
  }
  [[nodiscard]] MPI_Status* get() noexcept { return all_; }
  MPI_Status& operator[](int i) noexcept { return all_[i]; }

 private:
  std::vector<MPI_Status> own_;
  MPI_Status* all_;
};

/// Runs `answer`, which asks MPI, and returns its result and the seconds it took.
template <class Answer>
std::pair<int, Seconds> timed(Answer answer) {
  const Seconds start = session()->now();
  const int result = answer();
  return {result, session()->now() - start};
}

int wait_one(MPI_Request* request, MPI_Status* wanted) {
  std::optional<Pending> pending = requests().take(*request);
  MPI_Status own;
  MPI_Status* status = wanted == MPI_STATUS_IGNORE ? &own : wanted;
  Completion completion;
  const bool any = pending.has_value();
  if (any) {
    completion.await(0, std::move(*pending));
  }
  const auto [result, seconds] = timed([&] { return PMPI_Wait(request, status); });
  completion.mend(status);
  if (any && completion.unknown() > 0 && result == MPI_SUCCESS) {
    completion.finish_unknown(0, *status);
  }
  completion.account(seconds);
  return result;
}

int wait_all(int count, MPI_Request* all, MPI_Status* wanted) {
  Completion completion;
  std::vector<int> unknown;
  for (int i = 0; i < count; ++i) {
    const std::size_t before = completion.unknown();
    if (std::optional<Pending> pending = requests().take(all[i])) {
      completion.await(i, std::move(*pending));
    }
    if (completion.unknown() > before) {
      unknown.push_back(i);
    }
  }
  Statuses statuses(wanted, unknown.empty() ? 0 : count);
  MPI_Status* const asked = unknown.empty() ? wanted : statuses.get();
  const auto [result, seconds] = timed([&] { return PMPI_Waitall(count, all, asked); });
  if (asked != MPI_STATUSES_IGNORE) {
    completion.mend(asked);
  }
  for (std::size_t i = 0; i < unknown.size() && result == MPI_SUCCESS; ++i) {
    completion.finish_unknown(i, statuses[unknown[i]]);
  }
  completion.account(seconds);
  return result;
}

/// A nonblocking collective isn't complete for the program before its agreement is: MPI must not be asked earlier.
bool agreement_is_open(MPI_Request request) {
  const Pending* pending = requests().find(request);
  int done = 1;
  if (pending != nullptr && !pending->is_receive()) {
    PMPI_Test(&pending->agreement->request, &done, MPI_STATUS_IGNORE);
  }
  return done == 0;
}

bool any_agreement_is_open(std::span<const MPI_Request> all) {
  bool open = false;
  for (const MPI_Request request : all) {
    open = (request != MPI_REQUEST_NULL && agreement_is_open(request)) || open;  // each of them makes progress
  }
  return open;
}

void finish_if_followed(Completion& completion, MPI_Request handle, MPI_Status& status) {
  if (std::optional<Pending> pending = requests().take(handle)) {
    completion.finish(std::move(*pending), status);
  }
}

/// MPI_Waitany and MPI_Testany: `ask` gets a status and tells which request is complete.
template <class Ask>
int complete_any(int count, MPI_Request* all, const int* index, const int* flag, MPI_Status* wanted, Ask ask) {
  const std::vector<MPI_Request> handles(all, all + count);
  MPI_Status own;
  MPI_Status* status = wanted == MPI_STATUS_IGNORE ? &own : wanted;
  const auto [result, seconds] = timed([&] { return ask(status); });
  Completion completion;
  if (result == MPI_SUCCESS && *flag != 0 && *index != MPI_UNDEFINED) {
    finish_if_followed(completion, handles[static_cast<std::size_t>(*index)], *status);
  }
  completion.account(seconds);
  return result;
}

/// MPI_Waitsome and MPI_Testsome.
template <class Ask>
int complete_some(int count, MPI_Request* all, const int* completed, const int* indices, MPI_Status* wanted, Ask ask) {
  const std::vector<MPI_Request> handles(all, all + count);
  Statuses statuses(wanted, count);
  const auto [result, seconds] = timed([&] { return ask(statuses.get()); });
  Completion completion;
  for (int i = 0; result == MPI_SUCCESS && *completed != MPI_UNDEFINED && i < *completed; ++i) {
    finish_if_followed(completion, handles[static_cast<std::size_t>(indices[i])], statuses[i]);
  }
  completion.account(seconds);
  return result;
}

int test_all(int count, MPI_Request* all, int* flag, MPI_Status* wanted) {
  if (any_agreement_is_open({all, static_cast<std::size_t>(count)})) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  const std::vector<MPI_Request> handles(all, all + count);
  Statuses statuses(wanted, count);
  const auto [result, seconds] = timed([&] { return PMPI_Testall(count, all, flag, statuses.get()); });
  Completion completion;
  for (int i = 0; result == MPI_SUCCESS && *flag != 0 && i < count; ++i) {
    finish_if_followed(completion, handles[static_cast<std::size_t>(i)], statuses[i]);
  }
  completion.account(seconds);
  return result;
}

/// A persistent request begins anew.
void start(MPI_Request request) {
  const auto found = requests().persistent.find(request);
  if (found == requests().persistent.end()) {
    return;
  }
  const Persistent& persistent = found->second;
  if (!persistent.receives) {
    announce(persistent.channel.get(), persistent.bytes, persistent.peer, persistent.tag);
  } else {
    Pending pending;
    pending.routine = persistent.routine;
    pending.channel = persistent.channel;
    pending.source = persistent.peer;
    pending.tag = persistent.tag;
    session()->note_call(Routine::irecv, 0, persistent.peer, persistent.tag);
    requests().add(request, std::move(pending));
  }
}

}  // namespace
}  // namespace flopcast::interpose::mpi

using namespace flopcast::interpose::mpi;

extern "C" {

#pragma GCC visibility push(default)

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const Inside inside;
  return inside ? wait_one(request, status) : PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request all[], MPI_Status* statuses) {
  const Inside inside;
  return inside ? wait_all(count, all, statuses) : PMPI_Waitall(count, all, statuses);
}

int MPI_Waitany(int count, MPI_Request all[], int* index, MPI_Status* status) {
  const Inside inside;
  const auto ask = [&](MPI_Status* into) { return PMPI_Waitany(count, all, index, into); };
  const int always = 1;
  return inside ? complete_any(count, all, index, &always, status, ask) : ask(status);
}

int MPI_Waitsome(int count, MPI_Request all[], int* completed, int indices[], MPI_Status* statuses) {
  const Inside inside;
  const auto ask = [&](MPI_Status* into) { return PMPI_Waitsome(count, all, completed, indices, into); };
  return inside ? complete_some(count, all, completed, indices, statuses, ask) : ask(statuses);
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const Inside inside;
  if (!inside) {
    return PMPI_Test(request, flag, status);
  }
  if (*request != MPI_REQUEST_NULL && agreement_is_open(*request)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  const int first = 0;
  return complete_any(1, request, &first, flag, status, [&](MPI_Status* into) { return PMPI_Test(request, flag, into); });
}

int MPI_Testall(int count, MPI_Request all[], int* flag, MPI_Status* statuses) {
  const Inside inside;
  return inside ? test_all(count, all, flag, statuses) : PMPI_Testall(count, all, flag, statuses);
}

int MPI_Testany(int count, MPI_Request all[], int* index, int* flag, MPI_Status* status) {
  const Inside inside;
  const auto ask = [&](MPI_Status* into) { return PMPI_Testany(count, all, index, flag, into); };
  return inside ? complete_any(count, all, index, flag, status, ask) : ask(status);
}

int MPI_Testsome(int count, MPI_Request all[], int* completed, int indices[], MPI_Status* statuses) {
  const Inside inside;
  const auto ask = [&](MPI_Status* into) { return PMPI_Testsome(count, all, completed, indices, into); };
  return inside ? complete_some(count, all, completed, indices, statuses, ask) : ask(statuses);
}

int MPI_Cancel(MPI_Request* request) {
  const Inside inside;
  if (Pending* pending = inside ? requests().find(*request) : nullptr) {
    pending->cancelled = true;
  }
  return PMPI_Cancel(request);
}

int MPI_Request_free(MPI_Request* request) {
  const Inside inside;
  if (inside) {
    requests().take(*request);
    requests().persistent.erase(*request);
  }
  return PMPI_Request_free(request);
}

int MPI_Start(MPI_Request* request) {
  const Inside inside;
  if (inside) {
    start(*request);
  }
  return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request all[]) {
  const Inside inside;
  for (int i = 0; inside && i < count; ++i) {
    start(all[i]);
  }
  return PMPI_Startall(count, all);
}

#pragma GCC visibility pop
}
