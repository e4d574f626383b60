#include "flopcast/preload/mpi/piggyback.hpp"

#include <sched.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "flopcast/preload/kernels/wall_clock.hpp"
#include "flopcast/preload/mpi/piggyback_mail.hpp"
#include "flopcast/preload/mpi/piggyback_rings.hpp"
#include "flopcast/preload/mpi/process_values.hpp"
#include "flopcast/preload/mpi/traffic.hpp"

namespace flopcast::preload::mpi {
namespace {

bool counts_travel = false;
bool is_crowded = false;

std::unique_ptr<PiggybackRings> rings;  ///< rings of this node, during a session
std::unique_ptr<PiggybackMail> mail;    ///< mail among all processes, during a session

/// Piggyback messages that arrived before those of another channel that was wanted, by their channel's number. The channel may belong to a
/// communicator that this process doesn't know yet, such as one made by MPI_Comm_idup.
std::unordered_map<std::uint32_t, std::deque<Arrival>>& early_piggyback() {
  static std::unordered_map<std::uint32_t, std::deque<Arrival>> all;
  return all;
}

/// The channels of this process, by their numbers.
std::unordered_map<std::uint32_t, Channel*>& channels() {
  static std::unordered_map<std::uint32_t, Channel*> all;
  return all;
}

MPI_Datatype agreement_type = MPI_DATATYPE_NULL;
MPI_Op agreement_op = MPI_OP_NULL;
int channel_key = MPI_KEYVAL_INVALID;

/// Combines agreements, as a reduction function for MPI.
void reduce_agreements(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const auto* a = static_cast<const Agreement*>(in);
  auto* b = static_cast<Agreement*>(inout);
  for (int i = 0; i < *count; ++i) {
    if (a[i].epoch == b[i].epoch) {
      b[i].mark = path::longer(a[i].mark, b[i].mark);
    } else if (a[i].epoch > b[i].epoch) {
      b[i].mark = a[i].mark;
      b[i].epoch = a[i].epoch;
    }
    b[i].times_rank = std::min(a[i].times_rank, b[i].times_rank);
    b[i].execute = a[i].execute != 0 || b[i].execute != 0 ? 1 : 0;
    b[i].skipped |= a[i].skipped;
    b[i].wanted |= a[i].wanted;
    b[i].channel = std::max(a[i].channel, b[i].channel);
  }
}

using Held = std::shared_ptr<Channel>;  ///< target of the attribute

/// The latest communicator used. Asking MPI takes longer than everything else that a message costs here. It is cleared whenever a
/// communicator gets or loses a channel.
struct {
  MPI_Comm comm = MPI_COMM_NULL;
  Channel* channel = nullptr;
} last_asked;

/// Deletes the channel of a communicator that is freed.
int delete_channel(MPI_Comm /*comm*/, int /*key*/, void* held, void* /*extra*/) {
  last_asked = {};
  delete static_cast<Held*>(held);  // NOLINT: MPI owned it
  return MPI_SUCCESS;
}

std::vector<int> world_ranks_of(MPI_Group group, int size) {
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> world_ranks(ranks.size());
  PMPI_Group_translate_ranks(group, size, ranks.data(), world, world_ranks.data());
  PMPI_Group_free(&world);
  return world_ranks;
}

}  // namespace

void make_agreement_type() {
  PMPI_Type_contiguous(static_cast<int>(sizeof(Agreement)), MPI_BYTE, &agreement_type);
  PMPI_Type_commit(&agreement_type);
  PMPI_Op_create(reduce_agreements, 1, &agreement_op);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_channel, &channel_key, nullptr);
}

void set_count_propagation(bool travel) noexcept { counts_travel = travel; }

void free_agreement_type() {
  PMPI_Comm_free_keyval(&channel_key);
  PMPI_Op_free(&agreement_op);
  PMPI_Type_free(&agreement_type);
}

void connect_piggyback(MPI_Comm world, MPI_Comm node, bool crowded) {
  const int processes = processes_in(world);
  early_piggyback().clear();
  mail = std::make_unique<PiggybackMail>(world);
  rings = PiggybackRings::make(node, processes);
  is_crowded = crowded;
}

void disconnect_piggyback() {
  mail->close();
  mail.reset();
  rings.reset();
}

Channel::Channel(MPI_Comm comm, std::uint32_t number) : number_(number), comm_(comm) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_size(comm, &size_);
  PMPI_Comm_rank(comm, &rank_);
  world_ranks_ = world_ranks_of(group, size_);
  stride_ = path::stride_of(world_ranks_);
  aggregate_ = path::Aggregate::of_ranks(world_ranks_);
  aside_.resize(static_cast<std::size_t>(size_));
  streams_.resize(static_cast<std::size_t>(size_));
  channels()[number] = this;
  PMPI_Group_free(&group);
}

Channel::~Channel() {
  early_piggyback().erase(number_);
  channels().erase(number_);
}

int Channel::rank_of(int world_rank) const noexcept {
  return static_cast<int>(std::find(world_ranks_.begin(), world_ranks_.end(), world_rank) - world_ranks_.begin());
}

bool Channel::goes_in_memory(int rank) const noexcept { return rings != nullptr && rings->reaches(world_rank(rank)); }

bool Channel::send(const path::CriticalPath& path, const Envelope& envelope, int destination, const selective::KernelCounts& counts) {
  PiggybackCounts& stream = streams_[static_cast<std::size_t>(destination)];
  const int peer = world_rank(destination);
  const bool has_memory = goes_in_memory(destination);
  if (counts_travel || !has_memory || !rings->put(peer, {number_, stream.sent}, path, envelope)) {
    if (!mail->may_send_piggyback(peer)) {
      return false;
    }
    if (has_memory) {
      rings->note_mail(peer);
    }
    mail->send(PiggybackMail::MailTag::piggyback, {envelope, path.mark(), stream.sent, number_}, counts, peer);
  }
  ++stream.sent;
  bypassing.announced += 1;
  count_sent(sizeof(Piggyback) + counts.size() * sizeof(selective::KernelCount));
  return true;
}

bool Channel::take_early(int world_rank, std::uint32_t number) {
  if (early_piggyback().empty()) {
    return false;
  }
  const auto own = early_piggyback().find(number_);
  if (own == early_piggyback().end()) {
    return false;
  }
  std::deque<Arrival>& all = own->second;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Arrival& each) { return each.mark.place.rank == world_rank && each.number == number; });
  if (found == all.end()) {
    return false;
  }
  latest_ = std::move(*found);
  all.erase(found);
  if (all.empty()) {
    early_piggyback().erase(own);
  }
  return true;
}

/// Keeps a piggyback message of another channel, or one that has overtaken others.
void Channel::put_early(Arrival found) {
  constexpr std::size_t many = 1024;
  std::deque<Arrival>& early = early_piggyback()[found.channel];
  const auto other = early.size() >= many ? channels().find(found.channel) : channels().end();
  early.push_back(std::move(found));
  if (other != channels().end() && other->second != this) {
    other->second->order_early();
  }
}

/// Puts this channel's early piggyback messages aside, where there is an order and a limit.
void Channel::order_early() {
  for (int source = 0; source < size_; ++source) {
    PiggybackCounts& stream = streams_[static_cast<std::size_t>(source)];
    while (take_early(world_rank(source), stream.taken)) {
      ++stream.taken;
      put_aside(source, std::move(latest_));
    }
  }
}

/// Receives a piggyback message as a message. Returns true if it is the one to be taken next; others are put aside.
bool Channel::take_from_network(int world_rank, std::uint32_t number) {
  Arrival found;
  mail->receive(PiggybackMail::MailTag::piggyback, world_rank, found);
  if (found.channel == number_ && found.number == number) {
    latest_ = std::move(found);
    return true;
  }
  put_early(std::move(found));
  return false;
}

/// Takes the next piggyback message from `source` if it is in the ring. While a ring is full, piggyback messages go as messages.
bool Channel::take_from_memory(int source) {
  const int peer = world_rank(source);
  while (const RingSlot* slot = rings->front(peer)) {
    const bool is_own = slot->channel == number_;
    if (is_own && slot->number != streams_[static_cast<std::size_t>(source)].taken) {
      return false;
    }
    Arrival found;
    read(*slot, peer, found);
    rings->drop(peer);
    if (is_own) {
      latest_ = std::move(found);
      return true;
    }
    put_early(std::move(found));
  }
  return false;
}

/// Takes the next piggyback message from `source`, whose piggyback messages come in order, if it has come. Waits only for messages that are
/// known to be sent.
bool Channel::take_next(int source) {
  PiggybackCounts& stream = streams_[static_cast<std::size_t>(source)];
  const int peer = world_rank(source);
  const bool in_memory = goes_in_memory(source);
  const auto has_mail = [&] {
    return in_memory ? mail->received_from(peer) != rings->mails_from(peer)
                     : mail->sender(PiggybackMail::MailTag::piggyback, peer).has_value();
  };
  bool taken = take_early(peer, stream.taken) || (in_memory && take_from_memory(source));
  while (!taken && has_mail()) {
    taken = take_from_network(peer, stream.taken);
  }
  stream.taken += taken ? 1 : 0;
  return taken;
}

/// Takes the next piggyback message that `source` has sent before a message which has come. In memory a piggyback message is there before
/// its message. As a message it may be overtaken, and comes soon, unless the sender sends none.
bool Channel::take_sent_before(int source) {
  constexpr Seconds longest_delay = 0.05;
  bool taken = take_next(source);
  PiggybackCounts& stream = streams_[static_cast<std::size_t>(source)];
  if (taken || goes_in_memory(source) || stream.lacks_piggyback) {
    return taken;
  }
  for (const Seconds end = FastWallClock::now() + longest_delay; !taken && FastWallClock::now() < end;) {
    sched_yield();
    taken = take_next(source);
  }
  stream.lacks_piggyback = !taken;
  return taken;
}

namespace {

bool fits(const Arrival& piggyback, std::int64_t bytes) noexcept {
  return bytes == Channel::any_length || bytes == (piggyback.is_empty() ? 0 : piggyback.bytes);
}

}  // namespace

/// Keeps a piggyback message until its message is received. If there are very many, the program receives messages unseen, and all are
/// dropped.
void Channel::put_aside(int source, Arrival found) {
  constexpr std::size_t max_aside = 65536;
  std::unique_ptr<Aside>& place = aside_[static_cast<std::size_t>(source)];
  if (place == nullptr || place->count >= max_aside) {
    place = std::make_unique<Aside>();
  }
  place->by_tag[found.tag].push_back(std::move(found));
  ++place->count;
}

std::deque<Arrival>* Channel::aside(int source, int tag) {
  Aside* place = aside_[static_cast<std::size_t>(source)].get();
  if (place == nullptr || place->count == 0) {
    return nullptr;
  }
  const auto found = place->by_tag.find(tag);
  return found == place->by_tag.end() ? nullptr : &found->second;
}

/// Takes the first piggyback message put aside that fits. Messages with the same tag are received in order: while no receive is open, those
/// of many piggyback messages before it have been received unseen.
bool Channel::take_aside(int source, int tag, std::int64_t bytes) {
  std::deque<Arrival>* all = aside(source, tag);
  if (all == nullptr) {
    return false;
  }
  const auto found = std::find_if(all->begin(), all->end(), [bytes](const Arrival& each) { return fits(each, bytes); });
  if (found == all->end()) {
    return false;
  }
  latest_ = std::move(*found);
  Aside& place = *aside_[static_cast<std::size_t>(source)];
  constexpr std::ptrdiff_t many = 64;
  const auto first = open_receives_ == 0 && found - all->begin() >= many ? all->begin() : found;
  place.count -= static_cast<std::size_t>(found - first) + 1;
  all->erase(first, found + 1);
  if (all->empty()) {
    place.by_tag.erase(tag);
  }
  return true;
}

Arrival* Channel::take(int source, int tag, std::int64_t bytes) {
  if (take_aside(source, tag, bytes)) {
    return &latest_;
  }
  while (take_sent_before(source)) {
    if (latest_.tag == tag && fits(latest_, bytes)) {
      return &latest_;
    }
    put_aside(source, std::move(latest_));
  }
  return nullptr;
}

const Arrival* Channel::peek(int source, int tag, std::int64_t bytes) {
  for (;;) {
    if (std::deque<Arrival>* all = aside(source, tag)) {
      const auto found = std::find_if(all->begin(), all->end(), [bytes](const Arrival& each) { return fits(each, bytes); });
      if (found != all->end()) {
        return &*found;
      }
    }
    if (!take_sent_before(source)) {
      return nullptr;
    }
    put_aside(source, std::move(latest_));
  }
}

const Arrival* Channel::take_instead(Arrival& taken, int source, std::int64_t bytes) {
  if (fits(taken, bytes)) {
    return &taken;
  }
  const int tag = taken.tag;
  std::unique_ptr<Aside>& place = aside_[static_cast<std::size_t>(source)];
  if (place == nullptr) {
    place = std::make_unique<Aside>();
  }
  place->by_tag[tag].push_front(std::move(taken));
  ++place->count;
  return take(source, tag, bytes);
}

const Arrival* Channel::look_from(int source, int tag) {
  while (take_next(source)) {
    put_aside(source, std::move(latest_));
  }
  if (tag != MPI_ANY_TAG) {
    const std::deque<Arrival>* all = aside(source, tag);
    return all != nullptr ? &all->front() : nullptr;
  }
  const Aside* place = aside_[static_cast<std::size_t>(source)].get();
  const Arrival* oldest = nullptr;
  for (auto each = place != nullptr ? place->by_tag.begin() : decltype(place->by_tag.begin()){};
       place != nullptr && each != place->by_tag.end(); ++each) {
    oldest = oldest == nullptr || each->second.front().number < oldest->number ? &each->second.front() : oldest;
  }
  return oldest;
}

const Arrival* Channel::look(int source, int tag) {
  if (source != MPI_ANY_SOURCE) {
    return has(source) ? look_from(source, tag) : nullptr;
  }
  for (int each = 0; each < size_; ++each) {
    if (const Arrival* found = look_from(each, tag)) {
      return found;
    }
  }
  return nullptr;
}

SpinBackoff new_backoff() noexcept { return SpinBackoff(is_crowded); }

double count_bypassing(MPI_Comm world) {
  const Bypassing all = of_all(world, bypassing, MPI_SUM);
  return all.unknown + std::max(all.announced - all.taken - all.left, 0.0);
}

void acknowledge(const path::CriticalPath& path, const Envelope& envelope, int world_rank) {
  count_sent(sizeof(Piggyback));
  mail->send(PiggybackMail::MailTag::acknowledgement, {envelope, path.mark()}, {}, world_rank);
}

const Arrival* next_acknowledgement() {
  static Arrival latest;
  const std::optional<int> sender = mail->sender(PiggybackMail::MailTag::acknowledgement, MPI_ANY_SOURCE);
  if (!sender) {
    return nullptr;
  }
  mail->receive(PiggybackMail::MailTag::acknowledgement, *sender, latest);
  return &latest;
}

void Channel::broadcast(void* bytes, std::size_t count, int root) {
  count_sent(count);
  PMPI_Bcast(bytes, static_cast<int>(count), MPI_BYTE, root, comm_);
}

Agreement agree(MPI_Comm comm, const Agreement& mine) {
  Agreement all = mine;
  PMPI_Allreduce(&mine, &all, 1, agreement_type, agreement_op, comm);
  return all;
}

Agreement Channel::agree(const Agreement& mine) {
  if (size_ == 1) {
    return mine;
  }
  count_sent(sizeof(Agreement));
  return mpi::agree(comm_, mine);
}

void Channel::begin_to_agree(const Agreement& mine, Agreement& all, MPI_Request& request) {
  all = mine;
  if (size_ > 1) {
    count_sent(sizeof(Agreement));
    PMPI_Iallreduce(&mine, &all, 1, agreement_type, agreement_op, comm_, &request);
  }
}

bool may_have_channel(MPI_Comm comm) noexcept {
  int inter = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0) {
    return false;
  }
  MPI_Group group = MPI_GROUP_NULL;
  const int size = processes_in(comm);
  PMPI_Comm_group(comm, &group);
  const std::vector<int> world_ranks = world_ranks_of(group, size);
  PMPI_Group_free(&group);
  return std::find(world_ranks.begin(), world_ranks.end(), MPI_UNDEFINED) == world_ranks.end();
}

/// Returns a new number at rank 0, which alone proposes. No two processes ever propose the same number.
std::uint32_t proposed_channel(int rank) noexcept {
  static std::uint32_t proposed = 0;
  if (rank != 0) {
    return 0;
  }
  const int world_rank = rank_in(MPI_COMM_WORLD), world_size = processes_in(MPI_COMM_WORLD);
  return ++proposed * static_cast<std::uint32_t>(world_size) + static_cast<std::uint32_t>(world_rank);
}

void attach_channel(MPI_Comm comm, std::uint32_t number) {
  last_asked = {};
  PMPI_Comm_set_attr(comm, channel_key, std::make_unique<Held>(std::make_shared<Channel>(comm, number)).release());
}

Channel* channel_of(MPI_Comm comm) noexcept {
  if (comm == last_asked.comm && last_asked.channel != nullptr) {
    return last_asked.channel;
  }
  void* held = nullptr;
  int found = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_get_attr(comm, channel_key, static_cast<void*>(&held), &found) != MPI_SUCCESS || found == 0) {
    return nullptr;
  }
  last_asked = {comm, static_cast<Held*>(held)->get()};
  return last_asked.channel;
}

void detach_channel(MPI_Comm comm) {
  if (channel_of(comm) != nullptr) {
    PMPI_Comm_delete_attr(comm, channel_key);
  }
}

}  // namespace flopcast::preload::mpi
