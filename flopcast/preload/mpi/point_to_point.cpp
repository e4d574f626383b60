#include <mpi.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "flopcast/preload/mpi/persistent.hpp"
#include "flopcast/preload/mpi/requests.hpp"
#include "flopcast/preload/mpi/session.hpp"
#include "flopcast/preload/mpi/shadow.hpp"

namespace flopcast::preload::mpi {
namespace {

/// Returns the communicator's channel if it has one and the peer exists, else nullptr.
Channel* channel_to(const InterceptGuard& inside, MPI_Comm comm, int peer) noexcept {
  return inside && peer != MPI_PROC_NULL ? channel_of(comm) : nullptr;
}

void account(Routine routine, const Channel& channel, std::int64_t bytes, Seconds measured, Seconds idle = 0) {
  Session& all = *session();
  const Seconds seconds =
      all.clock().is_cpu_time() ? all.messages().seconds(path::Pattern::message, static_cast<double>(bytes), channel.size()) : measured;
  all.communicated(all.communication_kernel(routine, bytes, channel.size(), channel.stride()), seconds, static_cast<double>(bytes), true,
                   all.clock().is_cpu_time() ? 0 : idle);
}

/// Puts a message that came empty on the path.
void account_left_out(Routine routine, const Channel& channel, std::int64_t bytes) {
  Session& all = *session();
  const std::uint32_t kernel = all.communication_kernel(routine, bytes, channel.size(), channel.stride());
  all.communicated(kernel, all.estimate(kernel, path::Pattern::message, bytes, channel.size()), static_cast<double>(bytes), false);
}

/// A message to be sent.
struct Outgoing {
  Routine routine = Routine::send;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int destination = 0, tag = 0;
};

/// Decides whether a send leaves its message empty. The sender decides, and its shadow says so. The message's envelope travels in either
/// case, so that matching, probing and completion are the program's. No process waits for a message that was left out.
bool is_left_empty(std::uint32_t kernel, std::int64_t bytes, MPI_Datatype type) {
  const bool empty = may_be_skipped(bytes, type) && !session()->wants_execution(kernel);
  if (empty) {
    session()->note_left_out();
  }
  return empty;
}

/// A send that has been announced.
struct Announced {
  std::uint32_t kernel = 0;
  std::int64_t bytes = 0;
  bool empty = false;  ///< the data are left out
  int result = 0;
  Seconds taken = 0;  ///< time in MPI
};

/// Decides about a send, announces it and makes it. `send` gets the number of elements.
template <class Send>
Announced announced_send(const Outgoing& message, Channel& channel, Send send) {
  Session& all = *session();
  Announced made;
  made.bytes = message_bytes(message.count, message.type);
  made.kernel = all.communication_kernel(message.routine, made.bytes, channel.size(), channel.stride());
  made.empty = is_left_empty(made.kernel, made.bytes, message.type);
  const bool announced = announce(&channel, made.bytes, message.destination, message.tag, made.empty);
  made.empty = made.empty && announced;
  all.collect_acknowledgements(made.bytes);
  const Seconds start = all.clock().begin_send();
  made.result = send(made.empty ? 0 : message.count);
  const Seconds end = all.clock().now();
  made.taken = std::max(end - start, 0.0);
  bypassing.left += announced && made.result != MPI_SUCCESS ? 1 : 0;
  all.clock().note_message_done(all.clock().after_sends(), end);
  return made;
}

/// Announces the sending half of an exchange, whose time the receiving half counts. Returns whether it is left empty.
bool announce_exchange(const Outgoing& message, Channel& channel) {
  Session& all = *session();
  const std::int64_t bytes = message_bytes(message.count, message.type);
  const std::uint32_t kernel = all.communication_kernel(message.routine, bytes, channel.size(), channel.stride());
  const bool empty = channel.has(message.destination) && is_left_empty(kernel, bytes, message.type);
  return announce(&channel, bytes, message.destination, message.tag, empty) && empty;
}

/// Makes a send, and calls `note_made` with its channel and with the announcement if the send is followed.
template <class Send, class NoteMade>
int followed_send(const Outgoing& message, MPI_Comm comm, Send send, NoteMade note_made) {
  const InterceptGuard inside;
  Channel* channel = channel_to(inside, comm, message.destination);
  if (channel == nullptr) {
    return send(message.count);
  }
  const Announced made = announced_send(message, *channel, send);
  note_made(*channel, made);
  return made.result;
}

/// Makes a blocking send. Time beyond a message's usual time is waiting for the receiver.
template <class Send>
int blocking_send(const Outgoing& message, MPI_Comm comm, Send send) {
  return followed_send(message, comm, send, [&message](Channel& channel, const Announced& made) {
    Session& all = *session();
    if (made.empty) {
      all.communicated(made.kernel, all.estimate(made.kernel), static_cast<double>(made.bytes), false);
      return;
    }
    const Seconds usual = 2 * all.messages().seconds(path::Pattern::message, static_cast<double>(made.bytes), channel.size());
    if (made.taken > usual) {
      all.clock().note_unusual();
    }
    const Seconds unexplained = all.explain_wait(std::max(made.taken - usual, 0.0), made.bytes >= Session::min_acknowledged);
    account(message.routine, channel, made.bytes, std::min(made.taken, usual), unexplained);
  });
}

/// Makes a nonblocking send. Its call alone takes time; the program waits for its completion elsewhere.
template <class Send>
int nonblocking_send(const Outgoing& message, MPI_Comm comm, Send send) {
  return followed_send(message, comm, send, [](Channel&, const Announced& made) {
    Session& all = *session();
    const Seconds taken = made.empty ? all.estimate(made.kernel) : all.clock().is_cpu_time() ? all.messages().latency : made.taken;
    all.communicated(made.kernel, taken, static_cast<double>(made.bytes), !made.empty);
  });
}

bool names_a_message(int source, int tag) noexcept { return source != MPI_ANY_SOURCE && tag != MPI_ANY_TAG; }

/// Source of a message.
struct Sender {
  int source = 0, tag = 0;
};

/// Waits for the message that a receive with wildcards is going to get, and returns its sender. From then on the receive is like any other,
/// and its waiting time is distinct from the time that moves data.
Sender found_sender(const Sender& asked, MPI_Comm comm) {
  MPI_Status found;
  return PMPI_Probe(asked.source, asked.tag, comm, &found) == MPI_SUCCESS ? Sender{found.MPI_SOURCE, found.MPI_TAG} : asked;
}

/// Memory that receives a message.
struct ReceiveTarget {
  void* buffer = nullptr;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// Returns whether a message has come.
bool has_come(const Sender& from, MPI_Comm comm) noexcept {
  int there = 0;
  return PMPI_Iprobe(from.source, from.tag, comm, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS || there != 0;
}

/// Makes a blocking receive, after waiting for the message or its shadow. `receive` gets the sender and the status to fill. With
/// MPI_COMM_NULL as `comm`, the message has come before.
template <class Receive>
int blocking_receive(Routine routine, Channel& channel, const Sender& asked, const ReceiveTarget& place, MPI_Comm comm, MPI_Status* wanted,
                     Receive receive) {
  Session& all = *session();
  all.note_call(routine, 0, asked.source, asked.tag);
  const bool is_named = names_a_message(asked.source, asked.tag);
  const auto [source, tag] = is_named ? asked : found_sender(asked, comm);
  MPI_Status own;
  MPI_Status* status = wanted == MPI_STATUS_IGNORE ? &own : wanted;
  Arrival* shadow = nullptr;
  const bool known = names_a_message(source, tag) && channel.has(source);
  if (known) {
    all.note_awaited(routine, channel.world_rank(source));
    const Sender from = {source, tag};
    shadow = channel.await(source, tag, [&] { return !is_named || comm == MPI_COMM_NULL || has_come(from, comm); });
  }
  if (shadow != nullptr) {
    all.follow(*shadow);
    all.acknowledge(channel, source, shadow->bytes);
  }
  const Seconds start = all.clock().is_cpu_time() ? 0 : all.clock().now();  // otherwise the model gives the time
  if (known && !all.clock().is_cpu_time()) {
    all.waited(start - all.clock().called());
  }
  const int result = receive(Sender{source, tag}, status);
  const Seconds end = all.clock().is_cpu_time() ? 0 : all.clock().now();
  Seconds taken = end - start;
  const Arrival* right = shadow;
  std::int64_t bytes = shadow != nullptr ? shadow->bytes : 0;
  if (result == MPI_SUCCESS && channel.has(status->MPI_SOURCE)) {
    const std::int64_t come = received_bytes(*status);
    right = shadow != nullptr ? channel.take_instead(*shadow, source, come)
            : known           ? nullptr
                              : channel.take(status->MPI_SOURCE, status->MPI_TAG, come);
    bytes = count_shadow(right) != nullptr ? right->bytes : std::max(come, std::int64_t{0});
    if (right != nullptr && right != shadow) {
      all.follow(*right);
    }
    if (!known || right == nullptr) {  // the waiting part of the time is unknown
      taken = std::min(taken, 2 * all.messages().seconds(path::Pattern::message, static_cast<double>(bytes), channel.size()));
    }
  }
  if (right != nullptr && right->is_empty()) {
    restore_status(*right, *status);
    settle_empty(place.buffer, bytes, place.type);
    account_left_out(routine, channel, bytes);
    return result;
  }
  if (known) {
    all.clock().note_message_done(all.clock().after_receives(), end);
  }
  account(routine, channel, bytes, taken);
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

/// Handles MPI's answer to a probe. If there is a message, the process continues on its sender's path, and the status gets the program's
/// length. The receive follows later.
void note_probe(const InterceptGuard& inside, Channel* channel, int result, bool is_there, MPI_Status& status) {
  if (!inside || result != MPI_SUCCESS) {
    return;
  }
  Session& all = *session();
  if (!is_there) {
    all.polling().note_vain_call();
  } else if (channel != nullptr && channel->has(status.MPI_SOURCE)) {
    if (const Arrival* shadow = channel->peek(status.MPI_SOURCE, status.MPI_TAG, received_bytes(status))) {
      all.follow(*shadow);
      restore_status(*shadow, status);
    }
    all.settle_polling(-1, 0);
    all.waited(all.clock().is_cpu_time() ? 0 : all.clock().now() - all.clock().called());
  }
}

#if MPI_VERSION >= 4
/// Begins a nonblocking exchange through `exchange`, which gets the number of elements to send.
template <class Exchange>
int begin_exchange(const Outgoing& message, const Sender& asked, const ReceiveTarget& place, MPI_Comm comm, const MPI_Request* request,
                   Exchange exchange) {
  const InterceptGuard inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
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

void note_message(Channel* channel, int result, MPI_Message message, const MPI_Status& status) {
  if (channel != nullptr && result == MPI_SUCCESS && message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC) {
    channel->expect(1);
    matched_messages().emplace(message, Matched{channel->shared_from_this(), status.MPI_SOURCE, status.MPI_TAG});
  }
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

int note_persistent(const InterceptGuard& inside, int result, Routine routine, const PersistentMessage& message, MPI_Comm comm,
                    MPI_Request request) {
  Channel* channel = channel_to(inside, comm, message.peer);
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

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  return blocking_send({Routine::send, count, type, destination, tag}, comm,
                       [&](int elements) { return PMPI_Send(buffer, elements, type, destination, tag, comm); });
}

int MPI_Ssend(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  return blocking_send({Routine::ssend, count, type, destination, tag}, comm,
                       [&](int elements) { return PMPI_Ssend(buffer, elements, type, destination, tag, comm); });
}

int MPI_Bsend(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  return blocking_send({Routine::bsend, count, type, destination, tag}, comm,
                       [&](int elements) { return PMPI_Bsend(buffer, elements, type, destination, tag, comm); });
}

int MPI_Rsend(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  return blocking_send({Routine::rsend, count, type, destination, tag}, comm,
                       [&](int elements) { return PMPI_Rsend(buffer, elements, type, destination, tag, comm); });
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  return nonblocking_send({Routine::isend, count, type, destination, tag}, comm,
                          [&](int elements) { return PMPI_Isend(buffer, elements, type, destination, tag, comm, request); });
}

int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  return nonblocking_send({Routine::issend, count, type, destination, tag}, comm,
                          [&](int elements) { return PMPI_Issend(buffer, elements, type, destination, tag, comm, request); });
}

int MPI_Ibsend(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  return nonblocking_send({Routine::ibsend, count, type, destination, tag}, comm,
                          [&](int elements) { return PMPI_Ibsend(buffer, elements, type, destination, tag, comm, request); });
}

int MPI_Irsend(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  return nonblocking_send({Routine::irsend, count, type, destination, tag}, comm,
                          [&](int elements) { return PMPI_Irsend(buffer, elements, type, destination, tag, comm, request); });
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const InterceptGuard inside;
  Channel* channel = channel_to(inside, comm, source);
  const auto receive = [&](const Sender& from, MPI_Status* into) {
    return PMPI_Recv(buffer, count, type, from.source, from.tag, comm, into);
  };
  const Sender asked = {source, tag};
  return channel == nullptr || will_be_refused(count, type)
             ? receive(asked, status)
             : blocking_receive(Routine::recv, *channel, asked, {buffer, type}, comm, status, receive);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const InterceptGuard inside;
  Channel* channel = channel_to(inside, comm, source);
  if (channel != nullptr) {
    session()->acknowledge(*channel, source, message_bytes(count, type));
  }
  const int result = PMPI_Irecv(buffer, count, type, source, tag, comm, request);
  if (result == MPI_SUCCESS) {
    expect(Routine::irecv, channel, source, tag, {buffer, type}, *request);
  }
  return result;
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const InterceptGuard inside;
  MPI_Status own;
  MPI_Status* into = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = PMPI_Probe(source, tag, comm, into);
  note_probe(inside, channel_to(inside, comm, source), result, true, *into);
  return result;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const InterceptGuard inside;
  MPI_Status own;
  MPI_Status* into = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = PMPI_Iprobe(source, tag, comm, flag, into);
  note_probe(inside, channel_to(inside, comm, source), result, *flag != 0, *into);
  return result;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  const InterceptGuard inside;
  MPI_Status own;
  MPI_Status* into = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = PMPI_Mprobe(source, tag, comm, message, into);
  Channel* channel = channel_to(inside, comm, source);
  note_probe(inside, channel, result, true, *into);
  note_message(channel, result, *message, *into);
  return result;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  const InterceptGuard inside;
  MPI_Status own;
  MPI_Status* into = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = PMPI_Improbe(source, tag, comm, flag, message, into);
  Channel* channel = channel_to(inside, comm, source);
  note_probe(inside, channel, result, *flag != 0, *into);
  if (*flag != 0) {
    note_message(channel, result, *message, *into);
  }
  return result;
}

int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  const InterceptGuard inside;
  const auto receive = [&](const Sender& /*known*/, MPI_Status* into) { return PMPI_Mrecv(buffer, count, type, message, into); };
  const std::optional<Matched> matched = inside ? take_matched(*message) : std::nullopt;
  const Sender sender = matched ? Sender{matched->source, matched->tag} : Sender();
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
  Channel* channel = inside ? channel_of(comm) : nullptr;
  if (channel == nullptr || will_be_refused(send_count, send_type) || will_be_refused(receive_count, receive_type)) {
    return PMPI_Sendrecv(send_buffer, send_count, send_type, destination, send_tag, receive_buffer, receive_count, receive_type, source,
                         receive_tag, comm, status);
  }
  const bool empty = announce_exchange({Routine::sendrecv, send_count, send_type, destination, send_tag}, *channel);
  MPI_Request sending = MPI_REQUEST_NULL;  // under way while this process waits for the other's shadow
  if (const int sent = PMPI_Isend(send_buffer, empty ? 0 : send_count, send_type, destination, send_tag, comm, &sending);
      sent != MPI_SUCCESS) {
    return sent;
  }
  const auto receive = [&](const Sender& from, MPI_Status* into) {
    const int received = PMPI_Recv(receive_buffer, receive_count, receive_type, from.source, from.tag, comm, into);
    const int completed = PMPI_Wait(&sending, MPI_STATUS_IGNORE);
    return received != MPI_SUCCESS ? received : completed;
  };
  const Sender asked = {source, receive_tag};
  return source == MPI_PROC_NULL
             ? receive(asked, status)
             : blocking_receive(Routine::sendrecv, *channel, asked, {receive_buffer, receive_type}, comm, status, receive);
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int destination, int send_tag, int source, int receive_tag,
                         MPI_Comm comm, MPI_Status* status) {
  const InterceptGuard inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
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
  // MPI keeps the outgoing data, so it is called at once, and the shadow is read afterwards, as for wildcards.
  MPI_Status own;
  MPI_Status* into = status == MPI_STATUS_IGNORE ? &own : status;
  const Seconds start = session()->clock().now();
  const int result = exchange(into);
  const Seconds taken = session()->clock().now() - start;
  if (result == MPI_SUCCESS && channel->has(into->MPI_SOURCE)) {
    const std::int64_t come = received_bytes(*into);
    const Arrival* shadow = count_shadow(channel->take(into->MPI_SOURCE, into->MPI_TAG, come));
    if (shadow != nullptr) {
      session()->follow(*shadow);
      restore_status(*shadow, *into);
    }
    const std::int64_t bytes = shadow != nullptr ? shadow->bytes : std::max(come, std::int64_t{0});
    const Seconds usual = 2 * session()->messages().seconds(flopcast::path::Pattern::message, static_cast<double>(bytes), channel->size());
    shadow != nullptr && shadow->is_empty() ? account_left_out(Routine::sendrecv_replace, *channel, bytes)
                                            : account(Routine::sendrecv_replace, *channel, bytes, std::min(taken, usual));
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
