/* A random MPI program: rounds of messages, collectives and communicators chosen by a seed, the same in all processes. It prints a sum over
   all received data, which must not depend on a library preloaded before MPI. It can't deadlock: a round posts all receives, then sends,
   then completes. Arguments: seed, rounds. The seed is a parameter that is read by name, too, so that one launch can run several programs.
   */
#include <mpi.h>
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

static uint64_t sum;

static void see(const double* data, int count, int what) {
  for (int i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &data[i], sizeof bits);
    sum += (bits ^ (uint64_t)(what * 131 + i)) * 0x9e3779b97f4a7c15u;
  }
}

static double value(int round, int source, int i) { return round * 1000.0 + source * 10.0 + i * 0.125; }

static void fill(double* data, int count, int round, int source) {
  for (int i = 0; i < count; ++i) data[i] = value(round, source, i);
}

struct message {
  int source, destination, tag, count, how_sent, how_received;
};

static double* out[max_messages];
static double* in[max_messages];

static MPI_Datatype strided; /* count pairs of a double and a gap */

static void send_message(const struct message* m, int k, int round, MPI_Comm comm, MPI_Request* request) {
  fill(out[k], m->count, round, m->source);
  *request = MPI_REQUEST_NULL;
  switch (m->how_sent) {
    case 0: MPI_Isend(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm, request); break;
    case 1: MPI_Issend(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm, request); break;
    case 2: MPI_Send(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm); break; /* its receive is posted */
    case 3: MPI_Bsend(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm); break;
    case 4: MPI_Rsend(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm); break;
    case 5: MPI_Irsend(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm, request); break;
    case 6:
      MPI_Send_init(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm, request);
      MPI_Start(request);
      MPI_Wait(request, MPI_STATUS_IGNORE);
      MPI_Request_free(request);
      break;
#if MPI_VERSION >= 4
    case 7: MPI_Isend_c(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm, request); break;
#endif
    default: MPI_Ssend(out[k], m->count, MPI_DOUBLE, m->destination, m->tag, comm);
  }
}

static void post_receive(const struct message* m, int k, MPI_Comm comm, MPI_Request* request) {
  switch (m->how_received) {
    case 0: MPI_Irecv(in[k], max_count, MPI_DOUBLE, m->source, m->tag, comm, request); break;
    case 1: MPI_Irecv(in[k], max_count, MPI_DOUBLE, MPI_ANY_SOURCE, m->tag, comm, request); break;
    case 2:
      MPI_Recv_init(in[k], max_count, MPI_DOUBLE, m->source, m->tag, comm, request);
      MPI_Start(request);
      break;
#if MPI_VERSION >= 4
    case 3: MPI_Irecv_c(in[k], max_count, MPI_DOUBLE, m->source, m->tag, comm, request); break;
#endif
    default: MPI_Irecv(in[k], max_count, MPI_DOUBLE, m->source, m->tag, comm, request);
  }
}

static void received(const struct message* m, int k, const MPI_Status* status) {
  int count = -1;
  MPI_Get_count(status, MPI_DOUBLE, &count);
  see(in[k], count, status->MPI_SOURCE * 7 + status->MPI_TAG);
  sum += (uint64_t)count * 3 + (uint64_t)m->tag;
}

static void complete(const struct message* all, const int* index, int count, MPI_Request* requests, int how) {
  MPI_Status statuses[max_messages];
  int indices[max_messages];
  int done = 0, flag = 0, some = 0;
  switch (how) {
    case 0:
      MPI_Waitall(count, requests, statuses);
      for (int i = 0; i < count; ++i) received(&all[index[i]], index[i], &statuses[i]);
      return;
    case 1:
      for (int i = count; i-- > 0;) {
        MPI_Wait(&requests[i], &statuses[i]);
        received(&all[index[i]], index[i], &statuses[i]);
      }
      return;
    case 2:
      for (; done < count; ++done) {
        int i;
        MPI_Waitany(count, requests, &i, statuses);
        received(&all[index[i]], index[i], statuses);
      }
      return;
    case 3:
      while (done < count) {
        MPI_Waitsome(count, requests, &some, indices, statuses);
        for (int i = 0; i < some; ++i) received(&all[index[indices[i]]], index[indices[i]], &statuses[i]);
        done += some;
      }
      return;
    case 4:
      while (!flag) MPI_Testall(count, requests, &flag, statuses);
      for (int i = 0; i < count; ++i) received(&all[index[i]], index[i], &statuses[i]);
      return;
    case 5:
      while (done < count) {
        int i;
        MPI_Testany(count, requests, &i, &flag, statuses);
        if (flag && i != MPI_UNDEFINED) {
          received(&all[index[i]], index[i], statuses);
          ++done;
        }
      }
      return;
    case 6:
      while (done < count) {
        MPI_Testsome(count, requests, &some, indices, statuses);
        for (int i = 0; i < some; ++i) received(&all[index[indices[i]]], index[indices[i]], &statuses[i]);
        done += some;
      }
      return;
    default:
      for (int i = 0; i < count; ++i) {
        for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, &statuses[i]);
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
    all[k] = (struct message){choose(size), choose(size), k, choose_count(), choose(9), choose(5)};
  }
  MPI_Request receiving[max_messages], sending[max_messages], persistent[max_messages];
  int index[max_messages], mine = 0, sent = 0, kept = 0;
  for (int k = 0; k < count; ++k) {
    if (all[k].destination == rank) {
      post_receive(&all[k], k, comm, &receiving[mine]);
      if (all[k].how_received == 2) persistent[kept++] = receiving[mine];
      index[mine++] = k;
    }
  }
  MPI_Barrier(comm); /* for the ready sends */
  for (int k = 0; k < count; ++k) {
    if (all[k].source == rank) send_message(&all[k], k, round, comm, &sending[sent++]);
  }
  complete(all, index, mine, receiving, kept > 0 ? 0 : how);
  MPI_Waitall(sent, sending, MPI_STATUSES_IGNORE);
  for (int i = 0; i < kept; ++i) MPI_Request_free(&persistent[i]);
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
    case 0: MPI_Sendrecv(out[0], count, MPI_DOUBLE, to, ring_tag, in[0], max_count, MPI_DOUBLE, from, ring_tag, comm, &status); break;
    case 1:
      memcpy(in[0], out[0], sizeof(double) * max_count);
      MPI_Sendrecv_replace(in[0], count, MPI_DOUBLE, to, ring_tag, from, ring_tag, comm, &status);
      break;
    case 2:
      MPI_Isend(out[0], count, MPI_DOUBLE, to, ring_tag, comm, &request);
      MPI_Probe(from, ring_tag, comm, &status);
      MPI_Recv(in[0], max_count, MPI_DOUBLE, from, MPI_ANY_TAG, comm, &status);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case 3:
      MPI_Isend(out[0], count, MPI_DOUBLE, to, ring_tag, comm, &request);
      MPI_Mprobe(from, ring_tag, comm, &message, &status);
      MPI_Mrecv(in[0], max_count, MPI_DOUBLE, &message, &status);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    default: {
      MPI_Request receive;
      MPI_Irecv(in[0], max_count / 2, strided, from, ring_tag, comm, &receive);
      MPI_Isend(out[0], count / 2, strided, to, ring_tag, comm, &request);
      MPI_Wait(&receive, &status);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  int got = 0;
  MPI_Get_count(&status, how == 4 ? strided : MPI_DOUBLE, &got);
  sum += (uint64_t)got * 11;
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
#define CALL(name, ...) (nonblocking ? MPI_I##name(__VA_ARGS__, &request) : BLOCKING_##name(__VA_ARGS__))
#define BLOCKING_bcast MPI_Bcast
#define BLOCKING_reduce MPI_Reduce
#define BLOCKING_allreduce MPI_Allreduce
#define BLOCKING_gather MPI_Gather
#define BLOCKING_gatherv MPI_Gatherv
#define BLOCKING_scatter MPI_Scatter
#define BLOCKING_allgather MPI_Allgather
#define BLOCKING_allgatherv MPI_Allgatherv
#define BLOCKING_alltoall MPI_Alltoall
#define BLOCKING_alltoallv MPI_Alltoallv
#define BLOCKING_reduce_scatter MPI_Reduce_scatter
#define BLOCKING_scan MPI_Scan
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
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
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
  MPI_Comm_dup(comm, &other);
  comms[0] = comm;
  comms[1] = other;
  const int count = choose(4) == 0 ? max_burst : 1 + choose(usual_burst), tags = 1 + choose(3), step = choose(size);
  const int to = (rank + step) % size, from = (rank + size - step) % size;
  for (int k = 0; k < count; ++k) {
    for (int c = 0; c < 2; ++c) {
      values[c][k] = value(round, rank, 2 * k + c);
      MPI_Isend(&values[c][k], 1, MPI_DOUBLE, to, max_messages + 1 + k % tags, comms[c], &requests[2 * k + c]);
    }
  }
  for (int c = 2; c-- > 0;) {
    for (int tag = tags; tag-- > 0;) {
      for (int k = tag; k < count; k += tags) {
        double got = 0;
        MPI_Recv(&got, 1, MPI_DOUBLE, from, max_messages + 1 + tag, comms[c], MPI_STATUS_IGNORE);
        see(&got, 1, 2 * k + c);
      }
    }
  }
  MPI_Waitall(2 * count, requests, MPI_STATUSES_IGNORE);
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
    MPI_Comm_dup(from, &made);
  } else if (how == 1) {
    MPI_Comm_split(from, rank % colors, -rank, &made);
  } else if (how == 2) {
    MPI_Group all, some;
    const int first[][3] = {{0, size - 1, 1}};
    MPI_Comm_group(from, &all);
    MPI_Group_range_incl(all, 1, (int(*)[3])first, &some);
    MPI_Comm_create(from, some, &made);
    MPI_Group_free(&all);
    MPI_Group_free(&some);
  } else {
    int extents[2] = {size, 1}, periodic[2] = {1, 0}, keep[2] = {1, 0};
    MPI_Comm grid;
    MPI_Cart_create(from, 2, extents, periodic, 0, &grid);
    MPI_Cart_sub(grid, keep, &made);
    MPI_Comm_free(&grid);
  }
  return made;
}

/* Returns the sum over all processes on rank 0. */
static uint64_t run(uint64_t seed, int rounds) {
  state = seed;
  sum = 0;
  MPI_Comm comm = MPI_COMM_WORLD;
  for (int round = 0; round < rounds; ++round) {
    const uint64_t before = state;
    switch (choose(9)) {
      case 8: burst(round, comm); break;
      case 0:
      case 1:
      case 2: messages(round, comm); break;
      case 3: ring(round, comm); break;
      case 4:
      case 5:
      case 6: collectives(round, comm); break;
      default:
        if (comm != MPI_COMM_WORLD) {
          MPI_Comm_free(&comm);
          comm = MPI_COMM_WORLD;
        } else {
          comm = make_communicator(comm);
        }
    }
    /* sizes and numbers drawn differ between parts of a split, so all continue with a common state */
    state = before ^ (uint64_t)(round + 1) * 0xd1342543de82ef95u;
  }
  if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  uint64_t total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  return total;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int seed = atoi(argc > 1 ? argv[1] : "1");
  const int rounds = atoi(argc > 2 ? argv[2] : "40");
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
    const uint64_t total = run((uint64_t)flopcast_integer_parameter("seed", seed), rounds);
    if (rank == 0) printf("sum %llu\n", (unsigned long long)total);
  }
  MPI_Type_free(&strided);
  void* buffer;
  int bytes;
  MPI_Buffer_detach(&buffer, &bytes);
  MPI_Finalize();
  return 0;
}
