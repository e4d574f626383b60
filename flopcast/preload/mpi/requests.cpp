#include "flopcast/preload/mpi/requests.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "flopcast/preload/kernels/skipped_data.hpp"
#include "flopcast/preload/mpi/session.hpp"
#include "flopcast/support/page_allocator.hpp"

namespace flopcast::preload::mpi {

void Requests::add(MPI_Request request, Pending pending) {
  pending.channel->expect(pending.is_receive() ? 1 : 0);
  collectives_ += pending.is_receive() ? 0 : 1;
  pending_.emplace(request, std::move(pending));
}

std::optional<Pending> Requests::take(MPI_Request request) {
  const auto found = pending_.find(request);
  if (found == pending_.end()) {
    return std::nullopt;
  }
  Pending pending = std::move(found->second);
  pending_.erase(found);
  pending.channel->expect(pending.is_receive() ? -1 : 0);
  collectives_ -= pending.is_receive() ? 0 : 1;
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

Pending agreement_begun(Routine routine, Channel& channel, const Agreement& mine) {
  Pending pending;
  pending.routine = routine;
  pending.channel = channel.shared_from_this();
  pending.agreement = std::make_unique<AgreementInFlight>();
  pending.agreement->mine = mine;
  channel.begin_to_agree(pending.agreement->mine, pending.agreement->all, pending.agreement->request);
  return pending;
}

bool poll_goes_untimed() noexcept {
  TracingSession* all = session();
  if (all == nullptr || !all->gate.traces_this_thread() || CallGate::is_in_function()) {
    return false;
  }
  const auto turn = all->gate.try_turn();
  return turn && !requests().has_collectives() && all->ledger.polling().goes_untimed();
}

bool announce(Channel* channel, std::int64_t bytes, int destination, int tag, bool skipped) {
  if (channel == nullptr || !channel->has(destination)) {
    return false;
  }
  TracingSession& all = *session();
  all.note_call(Routine::send, bytes, destination, tag);
  all.ledger.note_awaited(Routine::send, channel->world_rank(destination), MpiWaitKind::late_receiver);
  return channel->send(all.ledger.path_to_send(), all.propagation.envelope(bytes, tag, skipped), destination, all.propagation.counts());
}

std::int64_t received_bytes(const MPI_Status& status) noexcept {
#ifdef OPEN_MPI
  return static_cast<std::int64_t>(status._ucount);
#else
  return (std::int64_t{status.count_hi_and_cancelled >> 1} << 32U) | static_cast<std::uint32_t>(status.count_lo);
#endif
}

const Arrival* count_piggyback(const Arrival* piggyback) noexcept {
  (piggyback != nullptr ? bypassing.taken : bypassing.unknown) += 1;
  return piggyback;
}

std::int64_t counted_bytes(const Arrival* piggyback, const MPI_Status& status) noexcept {
  return count_piggyback(piggyback) != nullptr ? piggyback->bytes : std::max(received_bytes(status), std::int64_t{0});
}

namespace {

/// Returns the bytes of the real numbers in a basic type, 4 or 8; 0 if there are none.
int real_bytes(MPI_Datatype type) noexcept {
  const std::array singles = {MPI_FLOAT, MPI_REAL, MPI_C_FLOAT_COMPLEX, MPI_COMPLEX};
  const std::array doubles = {MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_C_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX};
  return std::find(singles.begin(), singles.end(), type) != singles.end()   ? 4
         : std::find(doubles.begin(), doubles.end(), type) != doubles.end() ? 8
                                                                            : 0;
}

bool has_precision_of_fortran(int combiner) noexcept { return combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX; }

/// Returns real_bytes() if `type` is derived, in any way, from numbers of one precision alone. Only the sequence of basic types matters,
/// which is the same in all processes of a communication. Types are examined at every use, because programs make and free them all the
/// time.
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
      PMPI_Type_free(&part);  // a derived type is returned as a new handle
    }
  }
  return all;
}

/// Replaces unusual numbers in memory that a strided type covers, such as a block of a matrix. This is done in a copy without gaps,
/// because the data in the gaps aren't the message's.
void clean_strided(void* buffer, std::int64_t bytes, MPI_Datatype type) {
  const int element_bytes = real_bytes_of_derived(type);
  const std::int64_t size = message_bytes(1, type);
  if (element_bytes == 0 || size == 0 || bytes % size != 0 || bytes / size > std::numeric_limits<int>::max()) {
    return;
  }
  const int count = static_cast<int>(bytes / size);
  int packed_bytes = 0;
  PMPI_Pack_size(count, type, MPI_COMM_SELF, &packed_bytes);
  static PageVector<char> copy;
  copy.resize(std::max(copy.size(), static_cast<std::size_t>(packed_bytes)));
  int end = 0;
  PMPI_Pack(buffer, count, type, copy.data(), packed_bytes, &end, MPI_COMM_SELF);
  if (end == bytes && clean_numbers(copy.data(), bytes, element_bytes)) {
    int begin = 0;
    PMPI_Unpack(copy.data(), end, &begin, buffer, count, type, MPI_COMM_SELF);
  }
}

}  // namespace

bool may_be_skipped(std::int64_t bytes, MPI_Datatype type) noexcept {
  constexpr std::int64_t max_control_bytes = 64;
  return bytes > max_control_bytes && type != MPI_DATATYPE_NULL &&
         (real_bytes(type) != 0 || (session()->options.policy != selective::Policy::full && real_bytes_of_derived(type) != 0));
}

void restore_status(const Piggyback& piggyback, MPI_Status& status) noexcept {
  if (piggyback.is_empty()) {
    PMPI_Status_set_elements_x(&status, MPI_BYTE, static_cast<MPI_Count>(piggyback.bytes));
  }
}

void clean_empty(void* buffer, std::int64_t bytes, MPI_Datatype type) {
  MPI_Aint begin = 0;
  MPI_Aint extent = 0;
  if (buffer == nullptr || type == MPI_DATATYPE_NULL || PMPI_Type_get_extent(type, &begin, &extent) != MPI_SUCCESS) {
    return;
  }
  if (begin == 0 && message_bytes(1, type) == extent) {
    clean_message(buffer, bytes, real_bytes(type) == 4 ? 4 : 8);
  } else {
    clean_strided(buffer, bytes, type);
  }
}

namespace {

/// The latest type used. Asking MPI takes as long as everything else that a short message costs here. Only MPI's own types are kept,
/// because they are never freed.
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

std::int64_t message_bytes(std::int64_t count, MPI_Datatype type) noexcept {
  return count > 0 && type != MPI_DATATYPE_NULL ? static_cast<std::int64_t>(size_of(type)) * count : 0;
}

namespace {

/// Returns whether the processes of a nonblocking collective have agreed; makes progress.
bool has_agreed(AgreementInFlight& agreement) {
  int done = 1;
  if (agreement.is_programs) {
    PMPI_Request_get_status(agreement.request, &done, MPI_STATUS_IGNORE);
  } else {
    PMPI_Test(&agreement.request, &done, MPI_STATUS_IGNORE);
  }
  return done != 0;
}

/// The result of completing one or more requests.
class Completion {
 public:
  /// Runs before MPI is called to complete `handle`: waits for its message or the piggyback message ahead of the message, and for
  /// agreements, which must come before MPI can complete the request. `request` is the number of the request in the program's call.
  void await(int request, MPI_Request handle, Pending pending) {
    note_awaited(pending, pending.source);
    if (pending.names_its_message()) {
      const Arrival* piggyback = session()->ledger.idle(
          [&] { return pending.channel->await(pending.source, pending.tag, [handle] { return is_complete(handle); }); });
      if (piggyback == nullptr) {
        later_.push_back(std::move(pending));
        return;
      }
      session()->propagation.follow(*piggyback);
      pending.bytes = piggyback->bytes;
      if (session()->options.policy != selective::Policy::full) {
        awaited_.push_back({request, done_.size(), *piggyback});
      } else {
        count_piggyback(piggyback);
      }
    } else if (!pending.is_receive()) {
      await_agreement(*pending.agreement);
      follow(pending);
    } else {
      later_.push_back(std::move(pending));
      return;
    }
    done_.push_back(std::move(pending));
  }

  /// Mends empty messages among those of await(), once MPI has completed the program's requests.
  template <class Statuses>
  void mend(Statuses& statuses) {
    for (Awaited& each : awaited_) {
      Pending& pending = done_[each.place];
      MPI_Status& status = statuses[each.request];
      count_arrival(pending, pending.channel->take_instead(each.piggyback, pending.source, received_bytes(status)), status);
    }
  }

  /// Returns the number of requests of await() whose message only the status identifies; they are in the same order.
  [[nodiscard]] std::size_t unknown() const noexcept { return later_.size(); }
  /// Returns whether mend() or finish_unknown() will need the statuses of the requests.
  [[nodiscard]] bool needs_statuses() const noexcept { return !awaited_.empty() || !later_.empty(); }

  void finish_unknown(std::size_t i, MPI_Status& status) { finish(std::move(later_[i]), status); }

  /// Runs after MPI has completed the request.
  void finish(Pending pending, MPI_Status& status) {
    note_awaited(pending, status.MPI_SOURCE);
    if (!pending.is_receive()) {
      follow(pending);
    } else if (pending.is_exchange()) {
      if (const Arrival* piggyback = piggyback_of_exchange(pending)) {
        session()->propagation.follow(*piggyback);
        mend(pending, *piggyback, status);
      }
    } else if (!was_cancelled(pending, status)) {
      const Arrival* piggyback = pending.channel->take(status.MPI_SOURCE, status.MPI_TAG, received_bytes(status));
      if (piggyback != nullptr) {
        session()->propagation.follow(*piggyback);
      }
      count_arrival(pending, piggyback, status);
    } else {
      return;
    }
    done_.push_back(std::move(pending));
  }

  /// Puts the costs on the path; `seconds` is the time between the program's call and MPI's answer. With CPU time as clock, the model gives
  /// the time of each message or collective. Otherwise the time waited is divided among the completed requests.
  void account(Seconds seconds) {
    TracingSession& all = *session();
    if (done_.empty()) {
      seconds += all.ledger.end_polling(0, 0);
      all.ledger.waited_on_path(all.clock.is_cpu_time() ? 0 : all.acknowledgements.explain_wait(seconds));  // of a send for its receiver
      return;
    }
    seconds += all.ledger.end_polling(last_seen(), usual_seconds());
    const Seconds share = seconds / static_cast<double>(done_.size());
    for (const Pending& pending : done_) {
      pending.skipped ? all.ledger.skipped(pending.communication()) : all.ledger.executed(pending.communication(), share);
      if (pending.made != MPI_COMM_NULL) {
        attach_channel(pending.made, pending.agreement->all.channel);
      }
    }
  }

  /// Does the same where the call may have waited for the messages of `seconds`: what exceeds their usual time was waiting.
  void account_with_wait(Seconds seconds) {
    const Seconds taken = done_.empty() ? seconds : std::min(seconds, usual_seconds());
    session()->ledger.waited(seconds - taken);
    account(taken);
  }

 private:
  /// Returns the time since which all completed requests were under way; negative if unknown.
  [[nodiscard]] Seconds last_seen() const noexcept {
    const auto earlier = [](const Pending& a, const Pending& b) { return a.seen < b.seen; };
    const bool all_seen = std::all_of(done_.begin(), done_.end(), [](const Pending& pending) { return pending.seen >= 0; });
    return all_seen ? std::max_element(done_.begin(), done_.end(), earlier)->seen : -1;
  }

  /// Returns an upper limit of the requests' times, for use where the time since which they were under way is unknown.
  [[nodiscard]] Seconds usual_seconds() const {
    Seconds sum = 0;
    for (const Pending& pending : done_) {
      sum += 2 * session()->kernels.modelled(pending.communication());
    }
    return sum;
  }

  /// Returns the exchange's piggyback message or, with wildcards, some piggyback message that may be its own. A piggyback message that was
  /// found with wildcards isn't taken: a superfluous piggyback message does no harm, but a wrong one that was taken would be missed.
  static const Arrival* piggyback_of_exchange(const Pending& pending) {
    if (pending.names_its_message() && pending.channel->has(pending.source)) {
      return count_piggyback(pending.channel->take(pending.source, pending.tag, Channel::any_length));
    }
    bypassing.left += 1;
    return pending.channel->look(pending.source, pending.tag);
  }

  /// Notes that the call waits for the request's message from `source`, or for its collective.
  static void note_awaited(const Pending& pending, int source) {
    const bool has_sender = pending.is_receive() && pending.channel->has(source);
    session()->ledger.note_awaited(pending.routine, has_sender ? pending.channel->world_rank(source) : Wait::nobody,
                                   pending.is_receive() ? MpiWaitKind::late_sender : MpiWaitKind::collective);
  }

  static bool was_cancelled(const Pending& pending, MPI_Status& status) {
    int cancelled = 0;
    if (pending.cancelled) {
      PMPI_Test_cancelled(&status, &cancelled);
    }
    return cancelled != 0 || !pending.channel->has(status.MPI_SOURCE);
  }

  static bool is_complete(MPI_Request handle) noexcept {
    int done = 0;
    return PMPI_Request_get_status(handle, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
  }

  /// Notes what a message's piggyback message says of the message, and mends the message and its status if it came empty.
  static void mend(Pending& pending, const Arrival& piggyback, MPI_Status& status) {
    pending.bytes = piggyback.bytes;
    pending.skipped = piggyback.is_empty();
    if (pending.skipped && real_bytes(pending.type) != 0) {  // other types may have been freed
      clean_empty(pending.buffer, piggyback.bytes, pending.type);
    }
    restore_status(piggyback, status);
  }

  /// Counts a message that has come, and mends the message if it came empty. `piggyback` is nullptr if it has none.
  static void count_arrival(Pending& pending, const Arrival* piggyback, MPI_Status& status) {
    pending.bytes = counted_bytes(piggyback, status);
    if (piggyback != nullptr) {
      mend(pending, *piggyback, status);
    }
  }

  /// Waits for an agreement without completing the program's own request.
  static void await_agreement(AgreementInFlight& agreement) {
    session()->ledger.idle([&] {
      while (agreement.is_programs && !has_agreed(agreement)) {
        sched_yield();
      }
      const int result = agreement.is_programs ? MPI_SUCCESS : PMPI_Wait(&agreement.request, MPI_STATUS_IGNORE);
      session()->ledger.note_last_to_come(agreement.all.mark.place.rank);
      return result;
    });
  }

  /// Traces a collective that MPI has completed, or is called to complete: all processes have begun it.
  static void follow(Pending& pending) {
    if (!pending.agreement->is_programs) {
      await_agreement(*pending.agreement);
    }
    session()->propagation.follow(pending.agreement->all);
  }

  /// A receive of await() whose message may have come empty.
  struct Awaited {
    int request = 0;        ///< its number in the program's call
    std::size_t place = 0;  ///< its place among those that are done
    Arrival piggyback;
  };

  std::vector<Pending> done_;
  std::vector<Pending> later_;  ///< requests that await() left
  std::vector<Awaited> awaited_;
};

/// Memory for one element per request. Few requests need no allocation, because programs ask for them again and again.
template <class T>
class PerRequest {
 public:
  explicit PerRequest(std::size_t count) {
    if (count > few_.size()) {
      many_.resize(count);
    }
    all_ = {count > few_.size() ? many_.data() : few_.data(), count};
  }
  PerRequest(const PerRequest&) = delete;
  PerRequest& operator=(const PerRequest&) = delete;
  ~PerRequest() = default;
  [[nodiscard]] std::span<T> get() noexcept { return all_; }

 private:
  std::array<T, 8> few_;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  std::vector<T> many_;
  std::span<T> all_;
};

/// Copies of the program's requests, which MPI changes when they are complete.
class Handles {
 public:
  Handles(int count, const MPI_Request* all) : copies_(static_cast<std::size_t>(std::max(count, 0))) {
    std::copy_n(all, std::max(count, 0), copies_.get().begin());
  }
  [[nodiscard]] std::span<const MPI_Request> get() noexcept { return copies_.get(); }
  [[nodiscard]] MPI_Request operator[](int i) noexcept { return copies_.get()[static_cast<std::size_t>(i)]; }

 private:
  PerRequest<MPI_Request> copies_;
};

/// One or more statuses that MPI fills, and the library's own ones where the program ignores them.
class Statuses {
 public:
  Statuses(MPI_Status* wanted, int count)
      : own_(wanted == MPI_STATUSES_IGNORE ? static_cast<std::size_t>(std::max(count, 0)) : 0),
        all_(wanted == MPI_STATUSES_IGNORE ? own_.get().data() : wanted) {}
  [[nodiscard]] MPI_Status* get() noexcept { return all_; }
  // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.UndefReturn): own_ isn't empty where there is an element to ask for
  MPI_Status& operator[](int i) noexcept { return all_[i]; }

 private:
  PerRequest<MPI_Status> own_;
  MPI_Status* all_;
};

/// Runs `answer`, which calls MPI, and returns its result and its seconds.
template <class Answer>
std::pair<int, Seconds> timed(Answer answer) {
  const Seconds start = session()->clock.now();
  const int result = answer();
  return {result, session()->clock.now() - start};
}

// The following functions handle calls that complete requests, as the list of functions says. `ask` calls MPI and fills statuses.

/// Handles MPI_Wait and MPI_Waitall, which complete all of the requests.
template <class Ask>
int waited(int count, const MPI_Request* all, MPI_Status* wanted, Ask ask, const void* site = __builtin_return_address(0)) {
  const InterceptGuard inside(site);
  if (!inside) {
    return ask(wanted);
  }
  Completion completion;
  std::vector<int> unknown;
  for (int i = 0; i < count; ++i) {
    const std::size_t before = completion.unknown();
    if (std::optional<Pending> pending = requests().take(all[i])) {
      completion.await(i, all[i], std::move(*pending));
    }
    if (completion.unknown() > before) {
      unknown.push_back(i);
    }
  }
  const bool needs_statuses = completion.needs_statuses();
  Statuses statuses(wanted, needs_statuses ? count : 0);
  MPI_Status* const asked = needs_statuses ? statuses.get() : wanted;
  const auto [result, seconds] = timed([&] { return ask(asked); });
  if (needs_statuses && result == MPI_SUCCESS) {
    completion.mend(asked);
  }
  for (std::size_t i = 0; i < unknown.size() && result == MPI_SUCCESS; ++i) {
    completion.finish_unknown(i, statuses[unknown[i]]);
  }
  completion.account(seconds);
  return result;
}

/// Returns whether a nonblocking collective still waits for its agreement. MPI must not be called before, because the collective isn't
/// complete for the program.
bool agreement_is_open(MPI_Request request) {
  const Pending* pending = requests().find(request);
  return pending != nullptr && !pending->is_receive() && !has_agreed(*pending->agreement);
}

bool any_agreement_is_open(std::span<const MPI_Request> all) {
  bool open = false;
  for (const MPI_Request request : all) {
    open = (request != MPI_REQUEST_NULL && agreement_is_open(request)) || open;  // each call makes progress
  }
  return open;
}

/// Returns whether the communication of a request is under way.
bool is_under_way(Pending& pending) {
  constexpr int max_looked_through = 64;
  if (!pending.is_receive()) {
    return has_agreed(*pending.agreement);
  }
  const bool is_looked_for = pending.source != MPI_ANY_SOURCE || pending.channel->size() <= max_looked_through;
  return is_looked_for && pending.channel->look(pending.source, pending.tag) != nullptr;
}

/// Notes an unsuccessful poll of these requests, whose communication may be under way already. If there are many, some are examined,
/// different ones each time.
void note_in_vain(std::span<const MPI_Request> all) {
  constexpr std::size_t max_looks = 16;
  static std::size_t next = 0;
  session()->ledger.polling().note_vain_call();
  if (session()->clock.is_cpu_time()) {
    return;
  }
  for (std::size_t i = 0; i < std::min(max_looks, all.size()); ++i) {
    const MPI_Request request = all[next++ % all.size()];
    Pending* pending = request == MPI_REQUEST_NULL ? nullptr : requests().find(request);
    if (pending != nullptr && pending->seen < 0 && is_under_way(*pending)) {
      pending->seen = session()->ledger.polling().seconds();
    }
  }
}

/// Handles MPI's answer whether a request is complete.
void note_answer(MPI_Request request, bool is_complete, MPI_Status& status) {
  if (!is_complete) {
    note_in_vain({&request, 1});
    return;
  }
  const Pending* pending = requests().find(request);
  if (pending != nullptr && pending->is_receive() && !pending->is_exchange() && !pending->cancelled &&
      pending->channel->has(status.MPI_SOURCE)) {
    if (const Arrival* piggyback = pending->channel->peek(status.MPI_SOURCE, status.MPI_TAG, received_bytes(status))) {
      restore_status(*piggyback, status);
    }
  }
}

/// MPI's answer which of the program's requests are complete.
struct CompletionAnswer {
  const int* completed = nullptr;  ///< their number; without `places`, not 0 if all are
  const int* places = nullptr;     ///< their places
};

/// Notes the requests that a call of MPI with this result has completed, `seconds` after the program called it.
void note_completed(int result, int count, Handles& handles, Statuses& statuses, const CompletionAnswer& answer, Seconds seconds) {
  Completion completion;
  const int found = result != MPI_SUCCESS || *answer.completed == MPI_UNDEFINED ? 0 : answer.places == nullptr ? count : *answer.completed;
  for (int i = 0; i < found; ++i) {
    const int place = answer.places == nullptr ? i : answer.places[i];
    if (std::optional<Pending> pending = place == MPI_UNDEFINED ? std::nullopt : requests().take(handles[place])) {
      completion.finish(std::move(*pending), statuses[i]);
    }
  }
  completion.account_with_wait(seconds);
}

/// Asks MPI which of these requests are complete, and handles the answer. `ask` calls MPI and fills up to `max_statuses` statuses.
template <class Ask>
int complete(int count, const MPI_Request* all, const CompletionAnswer& answer, MPI_Status* wanted, int max_statuses, Ask ask) {
  Handles handles(count, all);
  Statuses statuses(wanted, max_statuses);
  const int result = ask(statuses.get());
  if (result == MPI_SUCCESS && *answer.completed == 0) {
    note_in_vain(handles.get());
  } else {
    note_completed(result, count, handles, statuses, answer, session()->clock.since_call());
  }
  return result;
}

/// Does the same for a poll that goes untimed. If it is successful, it counts like a call that begins with MPI's answer.
template <class Ask>
int complete_untimed(int count, const MPI_Request* all, const CompletionAnswer& answer, MPI_Status* wanted, int max_statuses, Ask ask,
                     const void* site) {
  Handles handles(count, all);
  Statuses statuses(wanted, max_statuses);
  const int result = untraced([&] { return ask(statuses.get()); });
  if (result == MPI_SUCCESS && *answer.completed != 0) {
    if (const InterceptGuard inside(site); inside) {
      note_completed(result, count, handles, statuses, answer, 0);
    }
  }
  return result;
}

/// Handles MPI_Test and MPI_Testall.
template <class Ask>
int tested(int count, const MPI_Request* all, int* flag, MPI_Status* wanted, Ask ask, const void* site = __builtin_return_address(0)) {
  if (poll_goes_untimed()) {
    return complete_untimed(count, all, {flag}, wanted, count, ask, site);
  }
  const InterceptGuard inside(site);
  if (!inside) {
    return ask(wanted);
  }
  if (requests().has_collectives() && any_agreement_is_open({all, static_cast<std::size_t>(count)})) {
    session()->ledger.polling().note_vain_call();
    *flag = 0;
    return MPI_SUCCESS;
  }
  return complete(count, all, {flag}, wanted, count, ask);
}

/// Handles MPI_Waitany and, with a flag whether a request is complete, MPI_Testany.
template <class Ask>
int completed_one(int count, const MPI_Request* all, const int* flag, const int* index, MPI_Status* wanted, Ask ask,
                  const void* site = __builtin_return_address(0)) {
  const int always = 1;
  if (flag != nullptr && poll_goes_untimed()) {
    return complete_untimed(count, all, {flag, index}, wanted, 1, ask, site);
  }
  const InterceptGuard inside(site);
  return inside ? complete(count, all, {flag != nullptr ? flag : &always, index}, wanted, 1, ask) : ask(wanted);
}

/// Handles MPI_Waitsome and MPI_Testsome.
template <class Ask>
int completed_some(int count, const MPI_Request* all, const int* completed, const int* places, MPI_Status* wanted, Ask ask,
                   const void* site = __builtin_return_address(0)) {
  const InterceptGuard inside(site);
  return inside ? complete(count, all, {completed, places}, wanted, count, ask) : ask(wanted);
}

/// Starts a persistent request.
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
    session()->acknowledgements.send(*persistent.channel, persistent.peer, persistent.bytes);
    requests().add(request, std::move(pending));
  }
}

}  // namespace
}  // namespace flopcast::preload::mpi

using namespace flopcast::preload::mpi;

extern "C" {

#pragma GCC visibility push(default)

#include "flopcast/preload/kernels/completions.hpp"

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  const InterceptGuard inside;
  MPI_Status own;
  MPI_Status& into = status == MPI_STATUS_IGNORE ? own : *status;
  const int result = PMPI_Request_get_status(request, flag, &into);
  if (inside && result == MPI_SUCCESS) {
    note_answer(request, *flag != 0, into);
  }
  return result;
}

int MPI_Cancel(MPI_Request* request) {
  const InterceptGuard inside;
  if (Pending* pending = inside ? requests().find(*request) : nullptr) {
    pending->cancelled = true;
  }
  return PMPI_Cancel(request);
}

int MPI_Request_free(MPI_Request* request) {
  const InterceptGuard inside;
  if (inside) {
    const std::optional<Pending> dropped = requests().take(*request);
    bypassing.left += dropped && dropped->is_receive() ? 1 : 0;
    requests().persistent.erase(*request);
  }
  return PMPI_Request_free(request);
}

int MPI_Start(MPI_Request* request) {
  const InterceptGuard inside;
  if (inside) {
    start(*request);
  }
  return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request all[]) {
  const InterceptGuard inside;
  for (int i = 0; inside && i < count; ++i) {
    start(all[i]);
  }
  return PMPI_Startall(count, all);
}

#pragma GCC visibility pop
}
