#include <mpi.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "flopcast/preload/mpi/piggyback.hpp"
#include "flopcast/preload/mpi/point_to_point.hpp"
#include "flopcast/preload/mpi/requests.hpp"
#include "flopcast/preload/mpi/session.hpp"

namespace flopcast::preload::mpi {
namespace {

/// Returns the usual time of a message with everything that MPI does for it, an upper limit.
Seconds usual_seconds(const Communication& message) { return 2 * session()->kernels.modelled(message); }

/// Decides whether a send leaves its message empty. The sender decides, and its piggyback message says so. The message's envelope travels
/// in either case, so that matching, probing and completion are the program's. No process waits for a message that was skipped.
bool is_left_empty(const Communication& message, MPI_Datatype type) {
  TracingSession& all = *session();
  const bool empty = may_be_skipped(message.bytes, type) && !all.ledger.wants_execution(all.kernels.number(message));
  if (empty) {
    all.kernels.decisions.skipped();
  }
  return empty;
}

/// Announces the sending half of an exchange, whose time the receiving half counts. Returns whether it is left empty.
bool announce_exchange(const Outgoing& message, Channel& channel) {
  const std::int64_t bytes = message_bytes(message.count, message.type);
  const bool empty = channel.has(message.destination) && is_left_empty(channel.communication(message.routine, bytes), message.type);
  return announce(&channel, bytes, message.destination, message.tag, empty) && empty;
}

bool names_a_message(int source, int tag) noexcept { return source != MPI_ANY_SOURCE && tag != MPI_ANY_TAG; }

/// Source of a message.
struct SourceAndTag {
  int source = 0, tag = 0;
};

/// Waits for the message that a receive with wildcards is going to get, and returns its sender. From then on the receive is like any other,
/// and its waiting time is distinct from the time that moves data.
SourceAndTag found_sender(const SourceAndTag& asked, MPI_Comm comm) {
  MPI_Status found;
  return PMPI_Probe(asked.source, asked.tag, comm, &found) == MPI_SUCCESS ? SourceAndTag{found.MPI_SOURCE, found.MPI_TAG} : asked;
}

/// Memory that receives a message.
struct ReceiveTarget {
  void* buffer = nullptr;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// Returns whether a message has come.
bool has_come(const SourceAndTag& from, MPI_Comm comm) noexcept {
  int there = 0;
  return PMPI_Iprobe(from.source, from.tag, comm, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS || there != 0;
}

/// Waits for a message of which the sender is known, or for its piggyback message, which is returned; nullptr if it has none. A sender that
/// waits for the receiver is told of it. `has_come` returns whether the message is there.
template <class HasCome>
Arrival* await_piggyback(Routine routine, Channel& channel, const SourceAndTag& from, HasCome has_come) {
  TracingSession& all = *session();
  all.ledger.note_awaited(routine, channel.world_rank(from.source), MpiWaitKind::late_sender);
  Arrival* piggyback = channel.await(from.source, from.tag, has_come);
  if (piggyback != nullptr) {
    all.propagation.follow(*piggyback);
    all.acknowledgements.send(channel, from.source, piggyback->bytes);
  }
  return piggyback;
}

/// Returns the piggyback message of a message that has come with this status, in place of `awaited`, which may belong to another one. If
/// the sender was `known` before, the piggyback message would have been awaited.
const Arrival* piggyback_of_come(Channel& channel, Arrival* awaited, bool known, const MPI_Status& status) {
  const std::int64_t come = received_bytes(status);
  const Arrival* right = awaited != nullptr ? channel.take_instead(*awaited, status.MPI_SOURCE, come)
                         : known            ? nullptr
                                            : channel.take(status.MPI_SOURCE, status.MPI_TAG, come);
  if (right != nullptr && right != awaited) {
    session()->propagation.follow(*right);
  }
  return right;
}

/// Makes a blocking receive, after waiting for the message or its piggyback message. `receive` gets the sender and the status to fill. With
/// MPI_COMM_NULL as `comm`, the message has come before.
template <class Receive>
int blocking_receive(Routine routine, Channel& channel, const SourceAndTag& asked, const ReceiveTarget& place, MPI_Comm comm,
                     MPI_Status* wanted, Receive receive) {
  TracingSession& all = *session();
  all.note_call(routine, 0, asked.source, asked.tag);
  const bool is_named = names_a_message(asked.source, asked.tag);
  const SourceAndTag from = is_named ? asked : found_sender(asked, comm);
  MPI_Status own;
  MPI_Status& status = wanted == MPI_STATUS_IGNORE ? own : *wanted;
  Arrival* awaited = nullptr;
  const bool known = names_a_message(from.source, from.tag) && channel.has(from.source);
  if (known) {
    awaited = await_piggyback(routine, channel, from, [&] { return !is_named || comm == MPI_COMM_NULL || has_come(from, comm); });
  }
  const Seconds start = all.clock.message_time();
  if (known) {
    all.ledger.waited(start - all.clock.called());
  }
  const int result = receive(from, &status);
  const Seconds end = all.clock.message_time();
  Seconds taken = end - start;
  const Arrival* piggyback = awaited;
  Communication message = channel.communication(routine, awaited != nullptr ? awaited->bytes : 0);
  if (result == MPI_SUCCESS && channel.has(status.MPI_SOURCE)) {
    piggyback = piggyback_of_come(channel, awaited, known, status);
    message.bytes = counted_bytes(piggyback, status);
    if (!known || piggyback == nullptr) {  // the waiting part of the time is unknown
      taken = std::min(taken, usual_seconds(message));
    }
  }
  if (piggyback != nullptr && piggyback->is_empty()) {
    restore_status(*piggyback, status);
    clean_empty(place.buffer, message.bytes, place.type);
    all.ledger.skipped(message);
    return result;
  }
  if (known) {
    all.clock.note_message_done(all.clock.after_receives(), end);
  }
  all.ledger.executed(message, taken);
  return result;
}

void expect(Routine routine, Channel* channel, int source, int tag, const ReceiveTarget& place, MPI_Request request) {
  if (channel == nullptr) {
    return;
  }
  session()->note_call(routine, 0, source, tag);
  Pending pending;
  pending.routine = routine;
  pending.channel = channel->shared_from_this();
  pending.source = source;
  pending.tag = tag;
  pending.buffer = place.buffer;
  pending.type = place.type;
  requests().add(request, std::move(pending));
}

#if MPI_VERSION >= 4
/// Begins a nonblocking exchange through `exchange`, which gets the number of elements to send.
template <class Exchange>
int begin_exchange(const Outgoing& message, const SourceAndTag& asked, const ReceiveTarget& place, MPI_Comm comm,
                   const MPI_Request* request, Exchange exchange, const void* site = __builtin_return_address(0)) {
  const InterceptGuard inside(site);
  Channel* channel = inside.channel(comm);
  if (channel == nullptr) {
    return exchange(message.count);
  }
  const bool empty = announce_exchange(message, *channel);
  const int result = exchange(empty ? 0 : message.count);
  if (result == MPI_SUCCESS && asked.source != MPI_PROC_NULL) {
    expect(message.routine, channel, asked.source, asked.tag, place, *request);
  }
  return result;
}
#endif

/// A message that MPI_Mprobe has found and that hasn't been received yet.
struct Matched {
  std::shared_ptr<Channel> channel;
  int source = 0, tag = 0;
};

std::unordered_multimap<MPI_Message, Matched>& matched_messages() {
  static std::unordered_multimap<MPI_Message, Matched> all;
  return all;
}

/// Notes a message that a probe has found. The process continues on its sender's path, and the status gets the program's length. The
/// receive follows later.
void note_found(Channel& channel, MPI_Status& status) {
  TracingSession& all = *session();
  if (!channel.has(status.MPI_SOURCE)) {
    return;
  }
  if (const Arrival* piggyback = channel.peek(status.MPI_SOURCE, status.MPI_TAG, received_bytes(status))) {
    all.propagation.follow(*piggyback);
    restore_status(*piggyback, status);
  }
  all.ledger.note_awaited(Routine::recv, channel.world_rank(status.MPI_SOURCE), MpiWaitKind::late_sender);
  all.ledger.end_polling(-1, 0);
  all.ledger.waited(all.clock.since_call());
}

/// A probe of the program.
struct ProbeCall {
  int source = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  const int* flag = nullptr;             ///< where the probe doesn't wait: whether there is a message
  const MPI_Message* message = nullptr;  ///< one that was matched
};

/// Notes a message that `probe` has found.
void note_probed(const InterceptGuard& inside, const ProbeCall& probe, MPI_Status& status) {
  Channel* channel = inside.channel(probe.comm, probe.source);
  if (channel == nullptr) {
    return;
  }
  note_found(*channel, status);
  if (probe.message != nullptr && *probe.message != MPI_MESSAGE_NULL && *probe.message != MPI_MESSAGE_NO_PROC) {
    channel->expect(1);
    matched_messages().emplace(*probe.message, Matched{channel->shared_from_this(), status.MPI_SOURCE, status.MPI_TAG});
  }
}

/// Handles a probe. `ask` calls MPI and fills a status.
template <class Ask>
int probed(const ProbeCall& probe, MPI_Status* wanted, Ask ask, const void* site = __builtin_return_address(0)) {
  MPI_Status own;
  MPI_Status& status = wanted == MPI_STATUS_IGNORE ? own : *wanted;
  if (probe.flag != nullptr && poll_goes_untimed()) {
    const int result = untraced([&] { return ask(&status); });
    if (result == MPI_SUCCESS && *probe.flag != 0) {
      const InterceptGuard inside(site);
      note_probed(inside, probe, status);
    }
    return result;
  }
  const InterceptGuard inside(site);
  const int result = ask(&status);
  if (!inside || result != MPI_SUCCESS) {
    return result;
  }
  if (probe.flag != nullptr && *probe.flag == 0) {
    session()->ledger.polling().note_vain_call();
  } else {
    note_probed(inside, probe, status);
  }
  return result;
}

std::optional<Matched> take_matched(MPI_Message message) {
  const auto found = matched_messages().find(message);
  if (found == matched_messages().end()) {
    return std::nullopt;
  }
  Matched matched = std::move(found->second);
  matched_messages().erase(found);
  matched.channel->expect(-1);
  return matched;
}

/// Returns whether MPI rejects these arguments of a message at once, so that nobody may wait for the message.
bool will_be_refused(int count, MPI_Datatype type) { return count < 0 || type == MPI_DATATYPE_NULL; }

}  // namespace

TracedSend::TracedSend(const Outgoing& message, MPI_Comm comm, const void* site)
    : inside_(site), channel_(inside_.channel(comm, message.destination)), elements_(message.count) {
  if (channel_ == nullptr) {
    return;
  }
  message_ = channel_->communication(message.routine, message_bytes(message.count, message.type));
  empty_ = is_left_empty(message_, message.type);
  announced_ = announce(channel_, message_.bytes, message.destination, message.tag, empty_);
  empty_ = empty_ && announced_;
  elements_ = empty_ ? 0 : message.count;
  session()->acknowledgements.collect(message_.bytes);
  start_ = session()->clock.begin_send();
}

/// The call alone of a nonblocking send takes time; the program waits for its completion elsewhere. Time of a blocking one beyond a
/// message's usual time is waiting for the receiver.
int TracedSend::made(int result, bool is_blocking) {
  if (channel_ == nullptr) {
    return result;
  }
  TracingSession& all = *session();
  const Seconds end = all.clock.now();
  const Seconds taken = std::max(end - start_, 0.0);
  bypassing.left += announced_ && result != MPI_SUCCESS ? 1 : 0;
  all.clock.note_message_done(all.clock.after_sends(), end);
  if (empty_) {
    all.ledger.skipped(message_);
  } else if (!is_blocking) {
    all.ledger.begun(message_, taken);
  } else {
    const Seconds usual = usual_seconds(message_);
    if (taken > usual) {
      all.clock.note_unusual();
    }
    const bool is_acknowledged = message_.bytes >= Acknowledgements::min_bytes;
    const Seconds unexplained = all.acknowledgements.explain_wait(std::max(taken - usual, 0.0), is_acknowledged);
    all.ledger.executed(message_, std::min(taken, usual), unexplained);
  }
  return result;
}

int note_persistent(const InterceptGuard& inside, int result, Routine routine, const PersistentMessage& message, MPI_Comm comm,
                    MPI_Request request) {
  Channel* channel = inside.channel(comm, message.peer);
  if (channel != nullptr && result == MPI_SUCCESS) {
    requests().persistent[request] = {routine,
                                      channel->shared_from_this(),
                                      message.peer,
                                      message.tag,
                                      message_bytes(message.count, message.type),
                                      routine == Routine::recv};
  }
  return result;
}

}  // namespace flopcast::preload::mpi

using namespace flopcast::preload::mpi;
using flopcast::Seconds;

extern "C" {

#pragma GCC visibility push(default)

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const InterceptGuard inside;
  Channel* channel = inside.channel(comm, source);
  const auto receive = [&](const SourceAndTag& from, MPI_Status* into) {
    return PMPI_Recv(buffer, count, type, from.source, from.tag, comm, into);
  };
  const SourceAndTag asked = {source, tag};
  return channel == nullptr || will_be_refused(count, type)
             ? receive(asked, status)
             : blocking_receive(Routine::recv, *channel, asked, {buffer, type}, comm, status, receive);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const InterceptGuard inside;
  Channel* channel = inside.channel(comm, source);
  if (channel != nullptr) {
    session()->acknowledgements.send(*channel, source, message_bytes(count, type));
  }
  const int result = PMPI_Irecv(buffer, count, type, source, tag, comm, request);
  if (result == MPI_SUCCESS) {
    expect(Routine::irecv, channel, source, tag, {buffer, type}, *request);
  }
  return result;
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return probed({source, comm}, status, [&](MPI_Status* into) { return PMPI_Probe(source, tag, comm, into); });
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return probed({source, comm, flag}, status, [&](MPI_Status* into) { return PMPI_Iprobe(source, tag, comm, flag, into); });
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  return probed({source, comm, nullptr, message}, status, [&](MPI_Status* into) { return PMPI_Mprobe(source, tag, comm, message, into); });
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  return probed({source, comm, flag, message}, status,
                [&](MPI_Status* into) { return PMPI_Improbe(source, tag, comm, flag, message, into); });
}

int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  const InterceptGuard inside;
  const auto receive = [&](const SourceAndTag& /*known*/, MPI_Status* into) { return PMPI_Mrecv(buffer, count, type, message, into); };
  const std::optional<Matched> matched = inside ? take_matched(*message) : std::nullopt;
  const SourceAndTag sender = matched ? SourceAndTag{matched->source, matched->tag} : SourceAndTag();
  return matched ? blocking_receive(Routine::recv, *matched->channel, sender, {buffer, type}, MPI_COMM_NULL, status, receive)
                 : receive(sender, status);
}

int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  const InterceptGuard inside;
  const std::optional<Matched> matched = inside ? take_matched(*message) : std::nullopt;
  const int result = PMPI_Imrecv(buffer, count, type, message, request);
  if (matched && result == MPI_SUCCESS) {
    expect(Routine::irecv, matched->channel.get(), matched->source, matched->tag, {buffer, type}, *request);
  }
  return result;
}

int MPI_Sendrecv(const void* send_buffer, int send_count, MPI_Datatype send_type, int destination, int send_tag, void* receive_buffer,
                 int receive_count, MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm comm, MPI_Status* status) {
  const InterceptGuard inside;
  Channel* channel = inside.channel(comm);
  if (channel == nullptr || will_be_refused(send_count, send_type) || will_be_refused(receive_count, receive_type)) {
    return PMPI_Sendrecv(send_buffer, send_count, send_type, destination, send_tag, receive_buffer, receive_count, receive_type, source,
                         receive_tag, comm, status);
  }
  const bool empty = announce_exchange({Routine::sendrecv, send_count, send_type, destination, send_tag}, *channel);
  MPI_Request sending = MPI_REQUEST_NULL;  // under way while this process waits for the other's piggyback message
  if (const int sent = PMPI_Isend(send_buffer, empty ? 0 : send_count, send_type, destination, send_tag, comm, &sending);
      sent != MPI_SUCCESS) {
    return sent;
  }
  const auto receive = [&](const SourceAndTag& from, MPI_Status* into) {
    const int received = PMPI_Recv(receive_buffer, receive_count, receive_type, from.source, from.tag, comm, into);
    const int completed = PMPI_Wait(&sending, MPI_STATUS_IGNORE);
    return received != MPI_SUCCESS ? received : completed;
  };
  const SourceAndTag asked = {source, receive_tag};
  return source == MPI_PROC_NULL
             ? receive(asked, status)
             : blocking_receive(Routine::sendrecv, *channel, asked, {receive_buffer, receive_type}, comm, status, receive);
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int destination, int send_tag, int source, int receive_tag,
                         MPI_Comm comm, MPI_Status* status) {
  const InterceptGuard inside;
  Channel* channel = inside.channel(comm);
  bool empty = false;
  const auto exchange = [&](MPI_Status* into) {
    return empty ? PMPI_Sendrecv(buffer, 0, type, destination, send_tag, buffer, count, type, source, receive_tag, comm, into)
                 : PMPI_Sendrecv_replace(buffer, count, type, destination, send_tag, source, receive_tag, comm, into);
  };
  if (channel == nullptr) {
    return exchange(status);
  }
  empty = announce_exchange({Routine::sendrecv_replace, count, type, destination, send_tag}, *channel);
  if (source == MPI_PROC_NULL) {
    return exchange(status);
  }
  // MPI keeps the outgoing data, so it is called at once, and the piggyback message is read afterwards, as for wildcards.
  MPI_Status own;
  MPI_Status& into = status == MPI_STATUS_IGNORE ? own : *status;
  TracingSession& all = *session();
  const Seconds start = all.clock.now();
  const int result = exchange(&into);
  const Seconds taken = all.clock.now() - start;
  if (result == MPI_SUCCESS && channel->has(into.MPI_SOURCE)) {
    const Arrival* piggyback = channel->take(into.MPI_SOURCE, into.MPI_TAG, received_bytes(into));
    const Communication message = channel->communication(Routine::sendrecv_replace, counted_bytes(piggyback, into));
    const Seconds usual = usual_seconds(message);
    all.ledger.note_awaited(message.routine, channel->world_rank(into.MPI_SOURCE), flopcast::MpiWaitKind::late_sender);
    all.ledger.waited(std::max(taken - usual, 0.0));
    if (piggyback != nullptr) {
      all.propagation.follow(*piggyback);
      restore_status(*piggyback, into);
    }
    piggyback != nullptr && piggyback->is_empty() ? all.ledger.skipped(message) : all.ledger.executed(message, std::min(taken, usual));
  }
  return result;
}

#if MPI_VERSION >= 4
int MPI_Isendrecv(const void* send_buffer, int send_count, MPI_Datatype send_type, int destination, int send_tag, void* receive_buffer,
                  int receive_count, MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm comm, MPI_Request* request) {
  return begin_exchange({Routine::isendrecv, send_count, send_type, destination, send_tag}, {source, receive_tag},
                        {receive_buffer, receive_type}, comm, request, [&](int elements) {
                          return PMPI_Isendrecv(send_buffer, elements, send_type, destination, send_tag, receive_buffer, receive_count,
                                                receive_type, source, receive_tag, comm, request);
                        });
}

int MPI_Isendrecv_replace(void* buffer, int count, MPI_Datatype type, int destination, int send_tag, int source, int receive_tag,
                          MPI_Comm comm, MPI_Request* request) {
  return begin_exchange(
      {Routine::isendrecv_replace, count, type, destination, send_tag}, {source, receive_tag}, {buffer, type}, comm, request,
      [&](int elements) {
        return elements == count
                   ? PMPI_Isendrecv_replace(buffer, count, type, destination, send_tag, source, receive_tag, comm, request)
                   : PMPI_Isendrecv(nullptr, 0, type, destination, send_tag, buffer, count, type, source, receive_tag, comm, request);
      });
}
#endif

#pragma GCC visibility pop
}
