/* Random MPI programs: rounds of messages, collectives, communicators, persistent requests, probes and one-sided communication, chosen by a
   seed, the same in all processes. Each program prints two sums over what the processes have received, which must not depend on a library
   preloaded before MPI: one of the numbers, and one of the course (lengths, senders, tags, and integers), which holds also where kernels are
   skipped. A program can't deadlock: a round posts all receives, then sends, then completes.
   Each process chooses by itself, for every call, between a function's two names (MPI_ and PMPI_), and for every round, whether another thread
   than that of MPI_Init makes it. Some messages are sent or received by functions whose addresses come from MPI's library.
   Arguments: seed, rounds, number of programs (with consecutive seeds), and the ways to choose from: "plain" (one thread, MPI_ names only),
   or the level of threads to ask for, none (MPI_Init), funneled, serialized or multiple; with "hidden" behind that, the addresses from MPI's
   library are such that no other library sees them. The seed is a parameter that is read by name, too,
   so that one launch can run several programs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flopcast/regions.h"

enum { max_messages = 12, max_count = 3000 };

static uint64_t state;

/* SplitMix64 */
static uint64_t next_random(void) {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static int choose(int below) { return (int)(next_random() % (uint64_t)below); }

/* Returns one of a few sizes, so that the same kernels recur: empty, eager, and long messages. */
static int choose_count(void) {
  static const int counts[] = {0, 3, 40, 300, 2999};
  return counts[choose(5)];
}

static uint64_t course, numbers;

static int mixes;       /* the program uses all ways to call MPI */
static int hides;       /* addresses from MPI's library pass by libraries that replace dlsym */
static uint64_t own[2]; /* state of the process's own choices */

/* Returns a number below `below` that differs between processes. */
static int choose_alone(int below) {
  own[0] = own[0] * 6364136223846793005u + own[1];
  return (int)((own[0] >> 33) % (uint64_t)below);
}

/* A function by one of its two names. */
#define EITHER(name) (mixes && choose_alone(2) ? PMPI_##name : MPI_##name)

typedef void* (*finder)(void* library, const char* name);

/* Returns the address of a function in MPI's library. Addresses from the C library's own dlsym pass by all libraries before MPI. */
static void* address(const char* name) {
  static void* library;
  static finder find = dlsym;
  Dl_info info;
  if (library == NULL && dladdr((void*)&MPI_Get_version, &info)) {
    library = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (hides) find = (finder)dlsym(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "dlsym");
  }
  void* found = library && find ? find(library, name) : NULL;
  if (found == NULL) MPI_Abort(MPI_COMM_WORLD, 9);
  return found;
}
#define UNSEEN(name) ((__typeof__(&MPI_##name))address("MPI_" #name))

static void see(const double* data, int count, int what) {
  for (int i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &data[i], sizeof bits);
    numbers += (bits ^ (uint64_t)(what * 131 + i)) * 0x9e3779b97f4a7c15u;
  }
}

static void see_integers(const int* data, int count, int what) {
  for (int i = 0; i < count; ++i) course += ((uint64_t)data[i] ^ (uint64_t)(what * 131 + i)) * 0x9e3779b97f4a7c15u;
}

static double value(int round, int source, int i) { return round * 1000.0 + source * 10.0 + i * 0.125; }

static void fill(double* data, int count, int round, int source) {
  for (int i = 0; i < count; ++i) data[i] = value(round, source, i);
}

struct message {
  int source, destination, tag, count, how_sent, how_received;
  int unseen; /* 1: sent, 2: received, 3: both by an address from MPI's library; then the data are integers, which are never skipped */
};

static double* out[max_messages];
static double* in[max_messages];

static MPI_Datatype strided; /* count pairs of a double and a gap */

static void send_message(const struct message* m, int k, int round, MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  if (m->unseen) {
    int* values = (int*)out[k];
    for (int i = 0; i < m->count; ++i) values[i] = round * 1000 + m->source * 10 + i;
    m->unseen % 2 ? UNSEEN(Isend)(values, m->count, MPI_INT, m->destination, m->tag, comm, request)
                  : EITHER(Isend)(values, m->count, MPI_INT, m->destination, m->tag, comm, request);
    return;
  }
  fill(out[k], m->count, round, m->source);
  switch (m->how_sent) {
    case 0: EITHER(Isend)(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm, request); break;
    case 1: EITHER(Issend)(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm, request); break;
    case 2: EITHER(Send)(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm); break; /* its receive is posted */
    case 3: EITHER(Bsend)(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm); break;
    case 4: EITHER(Rsend)(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm); break;
    case 5: EITHER(Irsend)(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm, request); break;
    case 6:
      EITHER(Send_init)(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm, request);
      EITHER(Start)(request);
      EITHER(Wait)(request, MPI_STATUS_IGNORE);
      EITHER(Request_free)(request);
      break;
#if MPI_VERSION >= 4
    case 7: MPI_Isend_c(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm, request); break;
#endif
    default: EITHER(Ssend)(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm);
  }
}

static void post_receive(const struct message* m, int k, MPI_Comm comm, MPI_Request* request) {
  if (m->unseen) {
    m->unseen >= 2 ? UNSEEN(Irecv)(in[k], max_count, MPI_INT, m->source, m->tag, comm, request)
                   : EITHER(Irecv)(in[k], max_count, MPI_INT, m->how_received == 1 ? MPI_ANY_SOURCE : m->source, m->tag, comm, request);
    return;
  }
  switch (m->how_received) {
    case 0: EITHER(Irecv)(in[k], max_count, MPI_DOUBLE, m->source, m->tag, comm, request); break;
    case 1: EITHER(Irecv)(in[k], max_count, MPI_DOUBLE, MPI_ANY_SOURCE, m->tag, comm, request); break;
    case 2:
      EITHER(Recv_init)(in[k], max_count, MPI_DOUBLE, m->source, m->tag, comm, request);
      EITHER(Start)(request);
      break;
#if MPI_VERSION >= 4
    case 3: MPI_Irecv_c(in[k], max_count, MPI_DOUBLE, m->source, m->tag, comm, request); break;
#endif
    default: EITHER(Irecv)(in[k], max_count, MPI_DOUBLE, m->source, m->tag, comm, request);
  }
}

static void received(const struct message* m, int k, const MPI_Status* status) {
  int count = -1;
  MPI_Get_count(status, m->unseen ? MPI_INT : MPI_DOUBLE, &count);
  const int from = status->MPI_SOURCE * 7 + status->MPI_TAG;
  m->unseen ? see_integers((int*)in[k], count, from) : see(in[k], count, from);
  course += (uint64_t)count * 3 + (uint64_t)m->tag * 5 + (uint64_t)from;
}

static void complete(const struct message* all, const int* index, int count, MPI_Request* requests, int how) {
  MPI_Status statuses[max_messages];
  int indices[max_messages];
  int done = 0, flag = 0, some = 0;
  switch (how) {
    case 0:
      EITHER(Waitall)(count, requests, statuses);
      for (int i = 0; i < count; ++i) received(&all[index[i]], index[i], &statuses[i]);
      return;
    case 1:
      for (int i = count; i-- > 0;) {
        EITHER(Wait)(&requests[i], &statuses[i]);
        received(&all[index[i]], index[i], &statuses[i]);
      }
      return;
    case 2:
      for (; done < count; ++done) {
        int i;
        EITHER(Waitany)(count, requests, &i, statuses);
        received(&all[index[i]], index[i], statuses);
      }
      return;
    case 3:
      while (done < count) {
        EITHER(Waitsome)(count, requests, &some, indices, statuses);
        for (int i = 0; i < some; ++i) received(&all[index[indices[i]]], index[indices[i]], &statuses[i]);
        done += some;
      }
      return;
    case 4:
      while (!flag) EITHER(Testall)(count, requests, &flag, statuses);
      for (int i = 0; i < count; ++i) received(&all[index[i]], index[i], &statuses[i]);
      return;
    case 5:
      while (done < count) {
        int i;
        EITHER(Testany)(count, requests, &i, &flag, statuses);
        if (flag && i != MPI_UNDEFINED) {
          received(&all[index[i]], index[i], statuses);
          ++done;
        }
      }
      return;
    case 6:
      while (done < count) {
        EITHER(Testsome)(count, requests, &some, indices, statuses);
        for (int i = 0; i < some; ++i) received(&all[index[indices[i]]], index[indices[i]], &statuses[i]);
        done += some;
      }
      return;
    default:
      for (int i = 0; i < count; ++i) {
        for (flag = 0; !flag;) EITHER(Test)(&requests[i], &flag, &statuses[i]);
        received(&all[index[i]], index[i], &statuses[i]);
      }
  }
}

static void messages(int round, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  struct message all[max_messages];
  const int count = 1 + choose(max_messages);
  const int how = choose(8);
  for (int k = 0; k < count; ++k) { /* unique tags, so that a wildcard's message is the same in every run */
    all[k] = (struct message){choose(size), choose(size), k, choose_count(), choose(9), choose(5), 0};
    if (mixes && choose(4) == 0) all[k].unseen = 1 + choose(3);
  }
  MPI_Request receiving[max_messages], sending[max_messages], persistent[max_messages];
  int index[max_messages], mine = 0, sent = 0, kept = 0;
  for (int k = 0; k < count; ++k) {
    if (all[k].destination == rank) {
      post_receive(&all[k], k, comm, &receiving[mine]);
      if (all[k].how_received == 2 && !all[k].unseen) persistent[kept++] = receiving[mine];
      index[mine++] = k;
    }
  }
  EITHER(Barrier)(comm); /* for the ready sends */
  for (int k = 0; k < count; ++k) {
    if (all[k].source == rank) send_message(&all[k], k, round, comm, &sending[sent++]);
  }
  complete(all, index, mine, receiving, kept > 0 ? 0 : how);
  EITHER(Waitall)(sent, sending, MPI_STATUSES_IGNORE);
  for (int i = 0; i < kept; ++i) EITHER(Request_free)(&persistent[i]);
}

static void ring(int round, MPI_Comm comm) {
  enum { ring_tag = max_messages }; /* without a barrier, so no wildcard receive of messages() may take it */
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int count = choose_count();
  const int how = choose(5);
  const int edge = choose(2); /* if not periodic, the ends have one neighbour each */
  const int to = edge && rank == size - 1 ? MPI_PROC_NULL : (rank + 1) % size;
  const int from = edge && rank == 0 ? MPI_PROC_NULL : (rank + size - 1) % size;
  MPI_Status status;
  MPI_Request request;
  MPI_Message message;
  fill(out[0], count, round, rank);
  memset(in[0], 0, sizeof(double) * max_count);
  switch (how) {
    case 0: EITHER(Sendrecv)(out[0], count, MPI_DOUBLE, to, ring_tag, in[0], max_count, MPI_DOUBLE, from, ring_tag, comm, &status); break;
    case 1:
      memcpy(in[0], out[0], sizeof(double) * max_count);
      EITHER(Sendrecv_replace)(in[0], count, MPI_DOUBLE, to, ring_tag, from, ring_tag, comm, &status);
      break;
    case 2:
      EITHER(Isend)(out[0], count, MPI_DOUBLE, to, ring_tag, comm, &request);
      EITHER(Probe)(from, ring_tag, comm, &status);
      EITHER(Recv)(in[0], max_count, MPI_DOUBLE, from, MPI_ANY_TAG, comm, &status);
      EITHER(Wait)(&request, MPI_STATUS_IGNORE);
      break;
    case 3:
      EITHER(Isend)(out[0], count, MPI_DOUBLE, to, ring_tag, comm, &request);
      EITHER(Mprobe)(from, ring_tag, comm, &message, &status);
      EITHER(Mrecv)(in[0], max_count, MPI_DOUBLE, &message, &status);
      EITHER(Wait)(&request, MPI_STATUS_IGNORE);
      break;
    default: {
      MPI_Request receive;
      EITHER(Irecv)(in[0], max_count / 2, strided, from, ring_tag, comm, &receive);
      EITHER(Isend)(out[0], count / 2, strided, to, ring_tag, comm, &request);
      EITHER(Wait)(&receive, &status);
      EITHER(Wait)(&request, MPI_STATUS_IGNORE);
    }
  }
  int got = 0;
  MPI_Get_count(&status, how == 4 ? strided : MPI_DOUBLE, &got);
  course += (uint64_t)got * 11;
  see(in[0], max_count, 17);
}

static void collectives(int round, MPI_Comm comm) {
  int rank, size, counts[64], places[64];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int count = 1 + 15 * choose(4), root = choose(size), nonblocking = choose(2), which = choose(12), in_place = choose(2);
  MPI_Request request = MPI_REQUEST_NULL;
  double* send = out[0];
  double* receive = in[0];
  fill(send, max_count, round, rank);
  fill(receive, max_count, round, rank);
  for (int i = 0; i < size; ++i) {
    counts[i] = 1 + (count + i) % 40;
    places[i] = i == 0 ? 0 : places[i - 1] + counts[i - 1];
  }
  const void* from = in_place ? MPI_IN_PLACE : (const void*)send;
#define EITHER_OF(name) EITHER(name)
#define CALL(name, ...) (nonblocking ? EITHER(I##name)(__VA_ARGS__, &request) : EITHER_OF(BLOCKING_##name)(__VA_ARGS__))
#define BLOCKING_bcast Bcast
#define BLOCKING_reduce Reduce
#define BLOCKING_allreduce Allreduce
#define BLOCKING_gather Gather
#define BLOCKING_gatherv Gatherv
#define BLOCKING_scatter Scatter
#define BLOCKING_allgather Allgather
#define BLOCKING_allgatherv Allgatherv
#define BLOCKING_alltoall Alltoall
#define BLOCKING_alltoallv Alltoallv
#define BLOCKING_reduce_scatter Reduce_scatter
#define BLOCKING_scan Scan
  switch (which) {
    case 0: CALL(bcast, receive, count, MPI_DOUBLE, root, comm); break;
    case 1: CALL(reduce, send, receive, count, MPI_DOUBLE, MPI_MAX, root, comm); break;
    case 2: CALL(allreduce, from, receive, count, MPI_DOUBLE, MPI_MAX, comm); break;
    case 3: CALL(gather, send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, root, comm); break;
    case 4: CALL(gatherv, send, counts[rank], MPI_DOUBLE, receive, counts, places, MPI_DOUBLE, root, comm); break;
    case 5: CALL(scatter, send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, root, comm); break;
    case 6: CALL(allgather, from, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, comm); break;
    case 7: CALL(allgatherv, send, counts[rank], MPI_DOUBLE, receive, counts, places, MPI_DOUBLE, comm); break;
    case 8: CALL(alltoall, from, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, comm); break;
    case 9:
      for (int i = 0; i < size; ++i) {
        counts[i] = count;
        places[i] = i * count;
      }
      CALL(alltoallv, send, counts, places, MPI_DOUBLE, receive, counts, places, MPI_DOUBLE, comm);
      break;
    case 10: CALL(reduce_scatter, send, receive, counts, MPI_DOUBLE, MPI_MIN, comm); break;
    default: CALL(scan, send, receive, count, MPI_DOUBLE, MPI_MAX, comm);
  }
  if (nonblocking) {
    int flag = 0;
    if (count % 2) {
      EITHER(Wait)(&request, MPI_STATUS_IGNORE);
    } else {
      while (!flag) EITHER(Test)(&request, &flag, MPI_STATUS_IGNORE);
    }
  }
  see(receive, max_count, 19);
}

/* Sends many short messages on two communicators before any receive, then receives those of the second in order and those of the first by
   tags. */
static void burst(int round, MPI_Comm comm) {
  enum { max_burst = 300, usual_burst = 90 };
  static double values[2][max_burst];
  MPI_Request requests[2 * max_burst];
  MPI_Comm other, comms[2];
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  EITHER(Comm_dup)(comm, &other);
  comms[0] = comm;
  comms[1] = other;
  const int count = choose(4) == 0 ? max_burst : 1 + choose(usual_burst), tags = 1 + choose(3), step = choose(size);
  const int to = (rank + step) % size, from = (rank + size - step) % size;
  for (int k = 0; k < count; ++k) {
    for (int c = 0; c < 2; ++c) {
      values[c][k] = value(round, rank, 2 * k + c);
      EITHER(Isend)(&values[c][k], 1, MPI_DOUBLE, to, max_messages + 1 + k % tags, comms[c], &requests[2 * k + c]);
    }
  }
  for (int c = 2; c-- > 0;) {
    for (int tag = tags; tag-- > 0;) {
      for (int k = tag; k < count; k += tags) {
        double got = 0;
        EITHER(Recv)(&got, 1, MPI_DOUBLE, from, max_messages + 1 + tag, comms[c], MPI_STATUS_IGNORE);
        see(&got, 1, 2 * k + c);
      }
    }
  }
  EITHER(Waitall)(2 * count, requests, MPI_STATUSES_IGNORE);
  MPI_Comm_free(&other);
}

/* Returns a communicator of some of the processes; MPI_COMM_NULL in the others. */
static MPI_Comm make_communicator(MPI_Comm from) {
  int rank, size;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_rank(from, &rank);
  MPI_Comm_size(from, &size);
  const int how = choose(4), colors = 1 + choose(size);
  if (how == 0) {
    EITHER(Comm_dup)(from, &made);
  } else if (how == 1) {
    EITHER(Comm_split)(from, rank % colors, -rank, &made);
  } else if (how == 2) {
    MPI_Group all, some;
    const int first[][3] = {{0, size - 1, 1}};
    MPI_Comm_group(from, &all);
    MPI_Group_range_incl(all, 1, (int(*)[3])first, &some);
    EITHER(Comm_create)(from, some, &made);
    MPI_Group_free(&all);
    MPI_Group_free(&some);
  } else {
    int extents[2] = {size, 1}, periodic[2] = {1, 0}, keep[2] = {1, 0};
    MPI_Comm grid;
    EITHER(Cart_create)(from, 2, extents, periodic, 0, &grid);
    EITHER(Cart_sub)(grid, keep, &made);
    MPI_Comm_free(&grid);
  }
  return made;
}

/* Starts the same persistent requests several times: a ring of messages from and to both neighbours. */
static void persistent(int round, MPI_Comm comm) {
  enum { tag = max_messages + 4, restarts = 3 };
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int polls = choose(2);
#ifdef SMPI_H
  polls = 0;  // SimGrid's MPI_Testall clears the statuses of persistent requests that an earlier call completed
#endif
  const int count = choose_count(), ready = choose(2), times = 1 + choose(restarts);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Request all[4];
  MPI_Status statuses[4];
  EITHER(Recv_init)(in[0], max_count, MPI_DOUBLE, left, tag, comm, &all[0]);
  EITHER(Recv_init)(in[1], max_count, MPI_DOUBLE, choose(2) ? right : MPI_ANY_SOURCE, tag + 1, comm, &all[1]);
  ready ? EITHER(Ssend_init)(out[0], count, MPI_DOUBLE, right, tag, comm, &all[2])
        : EITHER(Send_init)(out[0], count, MPI_DOUBLE, right, tag, comm, &all[2]);
  EITHER(Send_init)(out[1], count / 2, MPI_DOUBLE, left, tag + 1, comm, &all[3]);
  for (int time = 0; time < times; ++time) {
    fill(out[0], count, round + time, rank);
    fill(out[1], count, round + time, rank + 50);
    int done = 0;
    choose_alone(2) ? EITHER(Startall)(4, all) : (EITHER(Startall)(2, all), EITHER(Start)(&all[2]), EITHER(Start)(&all[3]));
    while (polls && !done) EITHER(Testall)(4, all, &done, statuses);
    if (!polls) EITHER(Waitall)(4, all, statuses);
    for (int i = 0; i < 2; ++i) {
      int got = 0;
      MPI_Get_count(&statuses[i], MPI_DOUBLE, &got);
      course += (uint64_t)(got * 7 + statuses[i].MPI_SOURCE);
      see(in[i], got, 23 + i);
    }
  }
  for (int i = 0; i < 4; ++i) EITHER(Request_free)(&all[i]);
}

/* Asks for messages before receiving them, whoever sends them. */
static void probing(int round, MPI_Comm comm) {
  enum { tag = max_messages + 6 };
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Request sending[3];
  const int how = choose(6), step = 1 + choose(size), unseen = mixes && choose(3) == 0;
  int counts[3];
  for (int i = 0; i < 3; ++i) {
    counts[i] = choose_count();
    fill(out[i], counts[i], round, rank + i);
    const int to = (rank + step) % size;
    unseen ? UNSEEN(Isend)(out[i], counts[i], MPI_DOUBLE, to, tag, comm, &sending[i])
           : EITHER(Isend)(out[i], counts[i], MPI_DOUBLE, to, tag, comm, &sending[i]);
  }
  for (int i = 0; i < 3; ++i) {
    const int source = how % 2 ? MPI_ANY_SOURCE : (rank + step * (size - 1)) % size;
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int there = 0, got = 0;
    if (how < 2) {
      while (!there) EITHER(Iprobe)(source, tag, comm, &there, &status);
      MPI_Get_count(&status, MPI_DOUBLE, &got);
      EITHER(Recv)(in[0], got, MPI_DOUBLE, status.MPI_SOURCE, tag, comm, &status);
    } else if (how < 4) {
      while (!there) EITHER(Improbe)(source, MPI_ANY_TAG, comm, &there, &message, &status);
      MPI_Get_count(&status, MPI_DOUBLE, &got);
      EITHER(Imrecv)(in[0], got, MPI_DOUBLE, &message, &request);
      EITHER(Wait)(&request, &status);
    } else {
      EITHER(Irecv)(in[0], max_count, MPI_DOUBLE, source, tag, comm, &request);
      while (!there) EITHER(Request_get_status)(request, &there, &status);
      MPI_Get_count(&status, MPI_DOUBLE, &got);
      EITHER(Wait)(&request, &status);
    }
    course += (uint64_t)(got * 13 + status.MPI_TAG + status.MPI_SOURCE);
    MPI_Get_count(&status, MPI_DOUBLE, &got);
    course += (uint64_t)got;
    see(in[0], got, 29 + i);
  }
  EITHER(Waitall)(3, sending, MPI_STATUSES_IGNORE);
  EITHER(Barrier)(comm); /* its wildcards must not take the next round's messages */
}

/* Talks across two groups of processes. */
static void across(int round, MPI_Comm comm) {
  enum { tag = max_messages + 8 };
  int rank, size, mine, others, sum = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (size < 2) return;
  const int first = 1 + choose(size - 1), side = rank >= first, how = choose(6), root = choose(first);
  MPI_Comm half, inter, merged;
  EITHER(Comm_split)(comm, side, rank, &half);
  MPI_Intercomm_create(half, 0, comm, side ? 0 : first, 77, &inter);
  MPI_Comm_rank(half, &mine);
  MPI_Comm_remote_size(inter, &others);
  const int to_root = side ? root : mine == root ? MPI_ROOT : MPI_PROC_NULL;
  int values[2] = {round, rank}, got[64] = {0}, counts[64], places[64];
  MPI_Datatype types[64];
  for (int i = 0; i < others; ++i) {
    counts[i] = 1;
    places[i] = (int)sizeof(int) * i;
    types[i] = MPI_INT;
  }
  switch (how) {
    case 0: EITHER(Bcast)(values, 2, MPI_INT, to_root, inter); break;
    case 1: EITHER(Allreduce)(values, got, 2, MPI_INT, MPI_SUM, inter); break;
    case 2: {
      int out_values[64];
      for (int i = 0; i < others; ++i) out_values[i] = rank * 100 + i;
      EITHER(Alltoallw)(out_values, counts, places, types, got, counts, places, types, inter);
      break;
    }
    case 3: EITHER(Gather)(values, 1, MPI_INT, side ? NULL : got, 1, side ? MPI_DATATYPE_NULL : MPI_INT, to_root, inter); break;
    case 4: EITHER(Reduce)(values, got, 2, MPI_INT, MPI_MAX, to_root, inter); break;
    default: EITHER(Barrier)(inter);
  }
  see_integers(got, 64, 31);
  see_integers(values, 2, 37);
  MPI_Request request;
  EITHER(Isend)(values, 2, MPI_INT, mine % others, tag, inter, &request);
  int senders = 0, group;
  MPI_Comm_size(half, &group);
  for (int other = 0; other < others; ++other) senders += other % group == mine;
  for (; senders > 0; --senders) {
    MPI_Status status;
    EITHER(Recv)(got, 2, MPI_INT, MPI_ANY_SOURCE, tag, inter, &status);
    course += (uint64_t)(got[0] * 3 + got[1] * status.MPI_SOURCE);
  }
  EITHER(Wait)(&request, MPI_STATUS_IGNORE);
  EITHER(Intercomm_merge)(inter, side, &merged);
  EITHER(Allreduce)(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
  course += (uint64_t)sum;
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

/* Writes to other processes' memory and reads from there, beside messages. All processes make one window, because Open MPI 4.1 mixes up windows
   that groups of processes make at the same time. It also fails to make one for a single process. */
static void one_sided(int round, MPI_Comm some) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  (void)some;
  enum { tag = max_messages + 10 };
  int rank, size, memory[4] = {0}, got = 0, from = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (size == 1) {
    return;
  }
  const int step = choose(size), locks = choose(2);
  const int to = (rank + step) % size, source = (rank + size - step) % size;
  const int value = round * 100 + rank;
  MPI_Win window;
  MPI_Win_create(memory, (MPI_Aint)sizeof memory, (int)sizeof(int), MPI_INFO_NULL, comm, &window);
  MPI_Win_fence(0, window);
  if (locks) {
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, window);
    MPI_Put(&value, 1, MPI_INT, to, 0, 1, MPI_INT, window);
    MPI_Accumulate(&rank, 1, MPI_INT, to, 1, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock(to, window);
    EITHER(Sendrecv)(&rank, 1, MPI_INT, to, tag, &from, 1, MPI_INT, source, tag, comm, MPI_STATUS_IGNORE);
    EITHER(Barrier)(comm);
  } else {
    MPI_Put(&value, 1, MPI_INT, to, 0, 1, MPI_INT, window);
    MPI_Accumulate(&rank, 1, MPI_INT, to, 1, 1, MPI_INT, MPI_SUM, window);
    EITHER(Sendrecv)(&rank, 1, MPI_INT, to, tag, &from, 1, MPI_INT, source, tag, comm, MPI_STATUS_IGNORE);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  }
  MPI_Win_lock(MPI_LOCK_SHARED, to, 0, window);
  MPI_Get(&got, 1, MPI_INT, to, 0, 1, MPI_INT, window);
  MPI_Win_unlock(to, window);
  see_integers(memory, 2, 41);
  course += (uint64_t)(got * 3 + from);
  EITHER(Barrier)(comm);
  MPI_Win_free(&window);
}

/* A round that a thread makes. */
struct round {
  void (*make)(int number, MPI_Comm comm);
  int number;
  MPI_Comm comm;
};

static void* make_round(void* round) {
  const struct round* mine = round;
  mine->make(mine->number, mine->comm);
  return NULL;
}

/* Makes a round in this thread or, as each process chooses, in another one. */
static void make_somewhere(struct round round) {
  if (!mixes || choose_alone(3)) {
    make_round(&round);
    return;
  }
  pthread_t other;
  pthread_create(&other, NULL, make_round, &round);
  pthread_join(other, NULL);
}

/* Runs the program of a seed, and adds up its sums over all processes on rank 0. */
static void run(uint64_t seed, int rounds, uint64_t sums[2]) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  state = seed;
  own[0] = seed * 31 + (uint64_t)rank;
  own[1] = 2 * (uint64_t)rank + 1;
  course = numbers = 0;
  MPI_Comm comm = MPI_COMM_WORLD;
  void (*const kinds[])(int, MPI_Comm) = {messages,    messages, messages,   ring,    collectives, collectives,
                                          collectives, burst,    persistent, probing, across,      one_sided};
  enum { kind_count = sizeof kinds / sizeof *kinds };
  for (int round = 0; round < rounds; ++round) {
    const uint64_t before = state;
    const int kind = choose(kind_count + 1);
    if (kind < kind_count) {
      make_somewhere((struct round){kinds[kind], round, comm});
    } else if (comm != MPI_COMM_WORLD) {
      MPI_Comm_free(&comm);
      comm = MPI_COMM_WORLD;
    } else {
      comm = make_communicator(comm);
    }
    /* sizes and numbers drawn differ between parts of a split, so all continue with a common state */
    state = before ^ (uint64_t)(round + 1) * 0xd1342543de82ef95u;
  }
  if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  const uint64_t mine[2] = {course, numbers};
  MPI_Reduce(mine, sums, 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void initialise(int* argc, char*** argv, const char* ways) {
  int level;
  mixes = strcmp(ways, "plain") != 0;
  if (strcmp(ways, "plain") == 0 || strcmp(ways, "none") == 0) {
    MPI_Init(argc, argv);
  } else {
    MPI_Init_thread(argc, argv,
                    strcmp(ways, "funneled") == 0     ? MPI_THREAD_FUNNELED
                    : strcmp(ways, "serialized") == 0 ? MPI_THREAD_SERIALIZED
                                                      : MPI_THREAD_MULTIPLE,
                    &level);
  }
}

int main(int argc, char** argv) {
  hides = argc > 5 && strcmp(argv[5], "hidden") == 0;
  initialise(&argc, &argv, argc > 4 ? argv[4] : "plain");
  const int seed = atoi(argc > 1 ? argv[1] : "1");
  const int rounds = atoi(argc > 2 ? argv[2] : "40");
  const int programs = atoi(argc > 3 ? argv[3] : "1");
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int k = 0; k < max_messages; ++k) {
    out[k] = calloc(2 * max_count, sizeof(double));
    in[k] = calloc(2 * max_count, sizeof(double));
  }
  const int buffer_bytes = max_messages * (max_count * 8 + MPI_BSEND_OVERHEAD) * 4;
  MPI_Buffer_attach(malloc((size_t)buffer_bytes), buffer_bytes);
  MPI_Type_vector(1, 1, 2, MPI_DOUBLE, &strided);
  MPI_Type_commit(&strided);
  while (flopcast_next_configuration()) {
    for (int i = 0; i < programs; ++i) {
      uint64_t sums[2] = {0, 0};
      const int number = (int)flopcast_integer_parameter("seed", seed) + i;
      run((uint64_t)number, rounds, sums);
      if (rank == 0) printf("%d: course %llu, numbers %llu\n", number, (unsigned long long)sums[0], (unsigned long long)sums[1]);
      fflush(stdout);
    }
  }
  MPI_Type_free(&strided);
  void* buffer;
  int bytes;
  MPI_Buffer_detach(&buffer, &bytes);
  MPI_Finalize();
  return 0;
}
