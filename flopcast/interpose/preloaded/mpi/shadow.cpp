#include "flopcast/interpose/preloaded/mpi/shadow.hpp"

#include <numeric>

namespace flopcast::interpose::mpi {
namespace {

constexpr int shadow_tag = 1;

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
    b[i].execute = a[i].execute != 0 || b[i].execute != 0 ? 1 : 0;
  }
}

using Held = std::shared_ptr<Channel>;  ///< what the attribute points to

/// A communicator is freed: so is its shadow.
int delete_channel(MPI_Comm /*comm*/, int /*key*/, void* held, void* /*extra*/) {
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

void free_agreement_type() {
  PMPI_Comm_free_keyval(&channel_key);
  PMPI_Op_free(&agreement_op);
  PMPI_Type_free(&agreement_type);
}

Channel::Channel(MPI_Comm comm) {
  // of the same group: a duplicate would call the program's functions for copying attributes
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_create(comm, group, &comm_);
  PMPI_Comm_size(comm, &size_);
  world_ranks_ = world_ranks_of(group, size_);
  stride_ = stride_of(world_ranks_);
  PMPI_Group_free(&group);
}

Channel::~Channel() {
  for (Outgoing& outgoing : outgoing_) {
    if (outgoing.request != MPI_REQUEST_NULL) {
      int done = 0;
      PMPI_Test(&outgoing.request, &done, MPI_STATUS_IGNORE);
      if (done == 0) {  // to a message that nobody received
        PMPI_Cancel(&outgoing.request);
        PMPI_Wait(&outgoing.request, MPI_STATUS_IGNORE);
      }
    }
  }
  PMPI_Comm_free(&comm_);
}

Channel::Outgoing& Channel::free_slot() {
  int done = 0;
  if (!outgoing_.empty()) {
    PMPI_Test(&outgoing_.front().request, &done, MPI_STATUS_IGNORE);
  }
  if (done == 0) {
    outgoing_.emplace_back();
  } else {
    outgoing_.splice(outgoing_.end(), outgoing_, outgoing_.begin());
  }
  return outgoing_.back();
}

void Channel::send(const Shadow& shadow, int destination) {
  Outgoing& slot = free_slot();
  slot.shadow = shadow;
  PMPI_Isend(&slot.shadow, static_cast<int>(sizeof(Shadow)), MPI_BYTE, destination, shadow_tag, comm_, &slot.request);
}

Shadow Channel::receive(int source, int tag) {
  std::deque<Shadow>& waiting = arrived_[source];
  for (auto shadow = waiting.begin(); shadow != waiting.end(); ++shadow) {
    if (shadow->tag == tag) {
      const Shadow found = *shadow;
      waiting.erase(shadow);
      return found;
    }
  }
  for (;;) {
    Shadow shadow;
    PMPI_Recv(&shadow, static_cast<int>(sizeof(Shadow)), MPI_BYTE, source, shadow_tag, comm_, MPI_STATUS_IGNORE);
    if (shadow.tag == tag) {
      return shadow;
    }
    waiting.push_back(shadow);
  }
}

std::optional<Shadow> Channel::poll() {
  int there = 0;
  MPI_Status status;
  PMPI_Iprobe(MPI_ANY_SOURCE, shadow_tag, comm_, &there, &status);
  if (there == 0) {
    return std::nullopt;
  }
  Shadow shadow;
  PMPI_Recv(&shadow, static_cast<int>(sizeof(Shadow)), MPI_BYTE, status.MPI_SOURCE, shadow_tag, comm_, MPI_STATUS_IGNORE);
  return shadow;
}

Agreement Channel::agree(const Agreement& mine) {
  Agreement all = mine;
  if (size_ > 1) {
    PMPI_Allreduce(&mine, &all, 1, agreement_type, agreement_op, comm_);
  }
  return all;
}

void Channel::begin_to_agree(const Agreement& mine, Agreement& all, MPI_Request& request) {
  all = mine;
  if (size_ > 1) {
    PMPI_Iallreduce(&mine, &all, 1, agreement_type, agreement_op, comm_, &request);
  }
}

void adopt(MPI_Comm comm) {
  int inter = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0) {
    return;
  }
  PMPI_Comm_set_attr(comm, channel_key, std::make_unique<Held>(std::make_shared<Channel>(comm)).release());
}

Channel* channel_of(MPI_Comm comm) noexcept {
  void* held = nullptr;
  int found = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_get_attr(comm, channel_key, static_cast<void*>(&held), &found) != MPI_SUCCESS || found == 0) {
    return nullptr;
  }
  return static_cast<Held*>(held)->get();
}

void disown(MPI_Comm comm) {
  if (channel_of(comm) != nullptr) {
    PMPI_Comm_delete_attr(comm, channel_key);
  }
}

}  // namespace flopcast::interpose::mpi
