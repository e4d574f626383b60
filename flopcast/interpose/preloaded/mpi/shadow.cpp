#include "flopcast/interpose/preloaded/mpi/shadow.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include "flopcast/interpose/preloaded/mpi/patience.hpp"
#include "flopcast/interpose/preloaded/mpi/shadow_rings.hpp"
#include "flopcast/interpose/preloaded/mpi/traffic.hpp"

namespace flopcast::interpose::mpi {
namespace {

constexpr int shadow_tag = 1;
constexpr int counts_tag = 6;

bool counts_travel = false;
bool is_crowded = false;

std::unique_ptr<ShadowRings> rings;  ///< of this node, while a session lasts

/// Channels by their number: letters in memory say which one they belong to.
std::unordered_map<std::uint32_t, Channel*>& channels() {
  static std::unordered_map<std::uint32_t, Channel*> all;
  return all;
}

MPI_Datatype agreement_type = MPI_DATATYPE_NULL;
MPI_Op agreement_op = MPI_OP_NULL;
int channel_key = MPI_KEYVAL_INVALID;

/// MPI's form of a reduction.
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
    b[i].teller = std::min(a[i].teller, b[i].teller);
    b[i].execute = a[i].execute != 0 || b[i].execute != 0 ? 1 : 0;
    b[i].skipped |= a[i].skipped;
    b[i].wanted |= a[i].wanted;
  }
}

using Held = std::shared_ptr<Channel>;  ///< what the attribute points to

/// The communicator that was asked for last: asking MPI takes longer than all else that a message costs here. It is forgotten whenever one
/// gets or loses a shadow.
struct {
  MPI_Comm comm = MPI_COMM_NULL;
  Channel* channel = nullptr;
} last_asked;

/// A communicator is freed: so is its shadow.
int delete_channel(MPI_Comm /*comm*/, int /*key*/, void* held, void* /*extra*/) {
  last_asked = {};
  delete static_cast<Held*>(held);  // NOLINT: MPI has owned it
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

/// Distance between one rank and the next; 0 if it varies.
int stride_of(const std::vector<int>& ranks) {
  const int stride = ranks.size() > 1 ? ranks[1] - ranks[0] : 1;
  for (std::size_t i = 2; i < ranks.size(); ++i) {
    if (ranks[i] - ranks[i - 1] != stride) {
      return 0;
    }
  }
  return stride;
}

}  // namespace

void make_agreement_type() {
  PMPI_Type_contiguous(static_cast<int>(sizeof(Agreement)), MPI_BYTE, &agreement_type);
  PMPI_Type_commit(&agreement_type);
  PMPI_Op_create(reduce_agreements, 1, &agreement_op);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_channel, &channel_key, nullptr);
}

void let_counts_travel(bool travel) noexcept { counts_travel = travel; }

void free_agreement_type() {
  PMPI_Comm_free_keyval(&channel_key);
  PMPI_Op_free(&agreement_op);
  PMPI_Type_free(&agreement_type);
}

void share_memory(MPI_Comm node, int processes, bool crowded) {
  rings = ShadowRings::make(node, processes);
  is_crowded = crowded;
}

void unshare_memory() {
  if (rings != nullptr) {
    rings->free();
    rings.reset();
  }
}

namespace {

/// A number for a new channel that none of its processes has given before.
std::uint32_t agreed_number(MPI_Comm comm) {
  static std::uint32_t last = 0;
  ++last;
  PMPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_UINT32_T, MPI_MAX, comm);
  return last;
}

}  // namespace

Channel::Channel(MPI_Comm comm, bool in_memory) : in_memory_(in_memory) {
  // of the same group: a duplicate would call the program's functions for copying attributes
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_create(comm, group, &comm_);
  PMPI_Comm_size(comm, &size_);
  PMPI_Comm_rank(comm, &rank_);
  world_ranks_ = world_ranks_of(group, size_);
  stride_ = stride_of(world_ranks_);
  aggregate_ = path::Aggregate::of_ranks(world_ranks_);
  arrived_.resize(static_cast<std::size_t>(size_));
  streams_.resize(static_cast<std::size_t>(size_));
  PMPI_Group_free(&group);
  id_ = agreed_number(comm_);
  channels()[id_] = this;
}

namespace {

bool is_complete(MPI_Request& request) {
  int done = 1;
  if (request != MPI_REQUEST_NULL) {
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  return done != 0;
}

/// Of a message that nobody received.
void give_up(MPI_Request& request) {
  if (!is_complete(request)) {
    PMPI_Cancel(&request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

}  // namespace

Channel::~Channel() {
  channels().erase(id_);
  for (Outgoing& outgoing : outgoing_) {
    give_up(outgoing.request);
    give_up(outgoing.counts_request);
  }
  PMPI_Comm_free(&comm_);
}

int Channel::rank_of(int world_rank) const noexcept {
  return static_cast<int>(std::find(world_ranks_.begin(), world_ranks_.end(), world_rank) - world_ranks_.begin());
}

/// So many slots are used before MPI is asked whether the first of them is free again: then it is, and its neighbours are, too.
Channel::Outgoing& Channel::free_slot() {
  constexpr std::size_t least_slots = 32;
  if (outgoing_.size() >= least_slots && is_complete(outgoing_.front().request) && is_complete(outgoing_.front().counts_request)) {
    outgoing_.splice(outgoing_.end(), outgoing_, outgoing_.begin());
  } else {
    outgoing_.emplace_back();
  }
  return outgoing_.back();
}

bool Channel::goes_in_memory(int rank) const noexcept { return in_memory_ && rings != nullptr && rings->reaches(world_rank(rank)); }

void Channel::send(const path::CriticalPath& path, const Envelope& envelope, int destination, path::KernelCounts counts) {
  count_sent(sizeof(Shadow));
  const std::uint32_t number = streams_[static_cast<std::size_t>(destination)].sent++;
  Envelope announced = envelope;
  announced.with_counts = counts_travel ? 1 : 0;
  const bool in_memory = goes_in_memory(destination) && rings->put(world_rank(destination), {id_, number}, path, announced);
  if (in_memory && !counts_travel) {
    return;
  }
  Outgoing& slot = free_slot();
  slot.shadow = {announced, path.mark(), number};
  if (!in_memory) {
    PMPI_Isend(&slot.shadow, static_cast<int>(sizeof(Shadow)), MPI_BYTE, destination, shadow_tag, comm_, &slot.request);
  }
  if (counts_travel) {
    slot.counts = std::move(counts);
    count_sent(slot.counts.size() * sizeof(path::KernelCount));
    PMPI_Isend(slot.counts.data(), static_cast<int>(slot.counts.size() * sizeof(path::KernelCount)), MPI_BYTE, destination, counts_tag,
               comm_, &slot.counts_request);
  }
}

void Channel::from_network(int source, Shadow& into) {
  PMPI_Recv(&into, static_cast<int>(sizeof(Shadow)), MPI_BYTE, source, shadow_tag, comm_, MPI_STATUS_IGNORE);
}

bool Channel::take_early(int world_rank, std::uint32_t number, Shadow& into) {
  const auto found = std::find_if(early_.begin(), early_.end(),
                                  [&](const Early& each) { return each.world_rank == world_rank && each.shadow.number == number; });
  if (found == early_.end()) {
    return false;
  }
  into = found->shadow;
  early_.erase(found);
  return true;
}

/// A letter that is in the way: for its channel, unless its communicator has been freed.
void Channel::put_aside(const Letter& letter, int world_rank) {
  if (const auto addressee = channels().find(letter.channel); addressee != channels().end()) {
    addressee->second->early_.push_back({world_rank, {}});
    read(letter, world_rank, addressee->second->early_.back().shadow);
  }
}

/// The next shadow from a process of this node. It is in the ring, unless that was full: then it has come as a message, and what is in the
/// ring of this channel was sent after it.
void Channel::from_memory(int source, Shadow& into) {
  const int peer = world_rank(source);
  const std::uint32_t number = streams_[static_cast<std::size_t>(source)].taken++;
  Patience patience(is_crowded);
  for (;;) {
    if (!early_.empty() && take_early(peer, number, into)) {
      return;
    }
    if (const Letter* letter = rings->front(peer)) {
      if (letter->channel != id_) {
        put_aside(*letter, peer);
        rings->drop(peer);
        continue;
      }
      if (letter->number != number) {
        from_network(source, into);
        return;
      }
      read(*letter, peer, into);
      rings->drop(peer);
      return;
    }
    int there = 0;
    if (patience.is_over()) {  // asking makes MPI go on with what else is under way, too
      PMPI_Iprobe(source, shadow_tag, comm_, &there, MPI_STATUS_IGNORE);
    }
    if (there != 0 && rings->front(peer) == nullptr) {  // otherwise that has come before
      from_network(source, into);
      return;
    }
  }
}

/// The next shadow from `source`, with its counts if any follow it: those of one process come in the order of its shadows. It may be from an
/// earlier execution, of another policy than this one's.
void Channel::take(int source) {
  goes_in_memory(source) ? from_memory(source, latest_) : from_network(source, latest_);
  latest_.counts.clear();
  if (latest_.with_counts != 0) {
    MPI_Status status;
    int bytes = 0;
    latest_.counts.resize(most_counts);
    PMPI_Recv(latest_.counts.data(), static_cast<int>(most_counts * sizeof(path::KernelCount)), MPI_BYTE, source, counts_tag, comm_,
              &status);
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    latest_.counts.resize(static_cast<std::size_t>(bytes) / sizeof(path::KernelCount));
  }
}

const Arrival& Channel::receive(int source, int tag) {
  std::deque<Arrival>* waiting = arrived_[static_cast<std::size_t>(source)].get();
  for (std::size_t i = 0; waiting != nullptr && i < waiting->size(); ++i) {
    if ((*waiting)[i].tag == tag) {
      latest_ = std::move((*waiting)[i]);
      waiting->erase(waiting->begin() + static_cast<std::ptrdiff_t>(i));
      return latest_;
    }
  }
  for (;;) {
    take(source);
    if (latest_.tag == tag) {
      return latest_;
    }
    if (waiting == nullptr) {
      arrived_[static_cast<std::size_t>(source)] = std::make_unique<std::deque<Arrival>>();
      waiting = arrived_[static_cast<std::size_t>(source)].get();
    }
    waiting->push_back(latest_);
  }
}

const Arrival* Channel::poll() {
  int there = 0;
  MPI_Status status;
  PMPI_Iprobe(MPI_ANY_SOURCE, shadow_tag, comm_, &there, &status);
  if (there == 0) {
    return nullptr;
  }
  take(status.MPI_SOURCE);
  return &latest_;
}

void Channel::broadcast(void* bytes, std::size_t count, int root) {
  count_sent(count);
  PMPI_Bcast(bytes, static_cast<int>(count), MPI_BYTE, root, comm_);
}

Agreement Channel::agree(const Agreement& mine) {
  Agreement all = mine;
  if (size_ > 1) {
    count_sent(sizeof(Agreement));
    PMPI_Allreduce(&mine, &all, 1, agreement_type, agreement_op, comm_);
  }
  return all;
}

void Channel::begin_to_agree(const Agreement& mine, Agreement& all, MPI_Request& request) {
  all = mine;
  if (size_ > 1) {
    count_sent(sizeof(Agreement));
    PMPI_Iallreduce(&mine, &all, 1, agreement_type, agreement_op, comm_, &request);
  }
}

void adopt(MPI_Comm comm) {
  int inter = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0) {
    return;
  }
  last_asked = {};
  PMPI_Comm_set_attr(comm, channel_key, std::make_unique<Held>(std::make_shared<Channel>(comm)).release());
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

void disown(MPI_Comm comm) {
  if (channel_of(comm) != nullptr) {
    PMPI_Comm_delete_attr(comm, channel_key);
  }
}

}  // namespace flopcast::interpose::mpi
