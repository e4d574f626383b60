/* Further features of MPI programs. The first argument is the mode. All modes print what they have received, which must not depend on a
   library preloaded before MPI. Modes:
   - exchange: MPI-4's MPI_Isendrecv and MPI_Isendrecv_replace against plain receives and sends.
   - dups N: N communicators at once.
   - dup, idup, late: messages on a duplicated communicator; with late, one process sends on it before the other one has waited for it.
   - collectives, collectives_c: every collective, with small and large counts.
   - turns, turns_c: processes compute in turns and broadcast.
   - control: MPI_Pcontrol.
   - sessions, both: MPI_Session_init in place of MPI_Init, and beside it.
   - spawn: spawns two more processes.
   - join: makes a communicator with spawned processes.
   - test, testany, testall, testsome, iprobe, improbe, probe, anybody: one process computes, and the other one polls for its message.
   - ping: both processes poll all the time.
   - lengths: receives messages of the length that a probe reports.
   - overlap: a collective is under way while the program waits for another request.
   - rendezvous: one process computes while the other one sends it a long message.
   With the clock for tests (test_clock.cpp), each product takes a second. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
                   const int*, const double*, double*, const int*, size_t, size_t);

extern void flopcast_test_pass(double seconds) __attribute__((weak));

enum { most = 400, long_count = 1 << 17 };
static double a[most * most], b[most * most], c[most * most], data[long_count];
static int rank, size;

static void compute(int n, int times) {
  const double one = 1, zero = 0;
  for (int i = 0; i < times; ++i) {
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);
    if (flopcast_test_pass) flopcast_test_pass(1);
  }
}

static void exchange(void) {
#if MPI_VERSION >= 4
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  for (int round = 0; round < 12; ++round) {
    double out[3] = {rank, round, 7}, in[3] = {-1, -1, -1};
    MPI_Request request;
    MPI_Status status;
    int flag = 0, index = 0;
    if (rank % 2 == 0) {
      if (round % 4 == 0) MPI_Isendrecv(out, 3, MPI_DOUBLE, to, 7, in, 3, MPI_DOUBLE, from, 7, MPI_COMM_WORLD, &request);
      if (round % 4 == 1) MPI_Isendrecv_c(out, 3, MPI_DOUBLE, to, 7, in, 3, MPI_DOUBLE, from, 7, MPI_COMM_WORLD, &request);
      if (round % 4 >= 2) memcpy(in, out, sizeof in);
      if (round % 4 == 2) MPI_Isendrecv_replace(in, 3, MPI_DOUBLE, to, 7, from, 7, MPI_COMM_WORLD, &request);
      if (round % 4 == 3) MPI_Isendrecv_replace_c(in, 3, MPI_DOUBLE, to, 7, from, 7, MPI_COMM_WORLD, &request);
      if (round < 4) MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (round >= 4 && round < 8) MPI_Waitany(1, &request, &index, &status);
      while (round >= 8 && !flag) MPI_Test(&request, &flag, &status);
    } else {
      MPI_Recv(in, 3, MPI_DOUBLE, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, 3, MPI_DOUBLE, to, 7, MPI_COMM_WORLD);
    }
    printf("%d got %g in round %g\n", rank, in[0], in[1]);
  }
#else
  printf("none\n");
#endif
}

static void many(int count) {
  MPI_Comm* all = malloc((size_t)count * sizeof *all);
  int one = 1, sum = 0;
  for (int i = 0; i < count; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &all[i]);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all[count - 1]);
  for (int i = count; i-- > 0;) MPI_Bcast(&sum, 1, MPI_INT, 0, all[i]);
  for (int i = 0; i < count; ++i) MPI_Comm_free(&all[i]);
  free(all);
  printf("%d of %d\n", sum, count);
}

static void messages_on(MPI_Comm comm) {
  for (int i = 0; i < 10; ++i) {
    if (rank == i % 2) {
      compute(200, 1);
      MPI_Send(c, 10, MPI_DOUBLE, 1 - rank, 0, comm);
    } else {
      MPI_Recv(c, 10, MPI_DOUBLE, 1 - rank, 0, comm, MPI_STATUS_IGNORE);
    }
  }
}

static void duplicate(const char* how) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  double value = rank, got = -1;
  if (strcmp(how, "dup") == 0) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  } else {
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
  }
  if (strcmp(how, "late") == 0 && rank == 1) {
    MPI_Recv(&got, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv(&got, 1, MPI_DOUBLE, 0, 2, comm, MPI_STATUS_IGNORE);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (strcmp(how, "late") == 0 && rank == 0) {
    MPI_Send(&value, 1, MPI_DOUBLE, 1, 2, comm);
    MPI_Send(&value, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
  }
  messages_on(comm);
  MPI_Comm_free(&comm);
  printf("%d done\n", rank);
}

#if MPI_VERSION >= 4
#define EACH(large, name, ...) (large ? MPI_##name##_c(__VA_ARGS__) : MPI_##name(__VA_ARGS__))
#else
#define EACH(large, name, ...) MPI_##name(__VA_ARGS__)
#endif

static double total;

static void see(const double* values, int count) {
  for (int i = 0; i < count; ++i) total += values[i] * (i % 7 + 1);
}

static void fill(double* values, int count) {
  for (int i = 0; i < count; ++i) values[i] = rank * 3 + i % 5;
}

static void collectives(int large) {
  enum { n = 40 };
  (void)large; /* MPI-3 has no large counts */
  static double in[64 * n], out[64 * n];
  int counts[64], places[64];
#if MPI_VERSION >= 4
  MPI_Count counts_c[64];
  MPI_Aint places_c[64];
#endif
  for (int i = 0; i < size; ++i) {
    counts[i] = n;
    places[i] = i * n;
#if MPI_VERSION >= 4
    counts_c[i] = n;
    places_c[i] = i * n;
#endif
  }
  for (int nonblocking = 0; nonblocking < 2; ++nonblocking) {
    MPI_Request q = MPI_REQUEST_NULL;
#define RUN(blocking, begun)         \
  fill(in, size* n);                 \
  fill(out, size* n);                \
  if (nonblocking) {                 \
    begun;                           \
    MPI_Wait(&q, MPI_STATUS_IGNORE); \
  } else {                           \
    blocking;                        \
  }                                  \
  see(out, size* n)
    RUN(EACH(large, Bcast, out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD), EACH(large, Ibcast, out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &q));
    RUN(EACH(large, Reduce, in, out, n, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD),
        EACH(large, Ireduce, in, out, n, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD, &q));
    RUN(EACH(large, Allreduce, in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
        EACH(large, Iallreduce, in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q));
    RUN(EACH(large, Scan, in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
        EACH(large, Iscan, in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q));
    RUN(EACH(large, Exscan, in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
        EACH(large, Iexscan, in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q));
    RUN(EACH(large, Gather, in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD),
        EACH(large, Igather, in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &q));
    RUN(EACH(large, Scatter, in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD),
        EACH(large, Iscatter, in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &q));
    RUN(EACH(large, Allgather, in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, MPI_COMM_WORLD),
        EACH(large, Iallgather, in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, MPI_COMM_WORLD, &q));
    RUN(EACH(large, Alltoall, in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, MPI_COMM_WORLD),
        EACH(large, Ialltoall, in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, MPI_COMM_WORLD, &q));
    RUN(EACH(large, Reduce_scatter_block, in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
        EACH(large, Ireduce_scatter_block, in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q));
#if MPI_VERSION >= 4
    if (large) {
      RUN(MPI_Gatherv_c(in, n, MPI_DOUBLE, out, counts_c, places_c, MPI_DOUBLE, 0, MPI_COMM_WORLD),
          MPI_Igatherv_c(in, n, MPI_DOUBLE, out, counts_c, places_c, MPI_DOUBLE, 0, MPI_COMM_WORLD, &q));
      RUN(MPI_Scatterv_c(in, counts_c, places_c, MPI_DOUBLE, out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD),
          MPI_Iscatterv_c(in, counts_c, places_c, MPI_DOUBLE, out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &q));
      RUN(MPI_Allgatherv_c(in, n, MPI_DOUBLE, out, counts_c, places_c, MPI_DOUBLE, MPI_COMM_WORLD),
          MPI_Iallgatherv_c(in, n, MPI_DOUBLE, out, counts_c, places_c, MPI_DOUBLE, MPI_COMM_WORLD, &q));
      RUN(MPI_Alltoallv_c(in, counts_c, places_c, MPI_DOUBLE, out, counts_c, places_c, MPI_DOUBLE, MPI_COMM_WORLD),
          MPI_Ialltoallv_c(in, counts_c, places_c, MPI_DOUBLE, out, counts_c, places_c, MPI_DOUBLE, MPI_COMM_WORLD, &q));
      RUN(MPI_Reduce_scatter_c(in, out, counts_c, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
          MPI_Ireduce_scatter_c(in, out, counts_c, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q));
      continue;
    }
#endif
    RUN(MPI_Gatherv(in, n, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD),
        MPI_Igatherv(in, n, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD, &q));
    RUN(MPI_Scatterv(in, counts, places, MPI_DOUBLE, out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD),
        MPI_Iscatterv(in, counts, places, MPI_DOUBLE, out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &q));
    RUN(MPI_Allgatherv(in, n, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, MPI_COMM_WORLD),
        MPI_Iallgatherv(in, n, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, MPI_COMM_WORLD, &q));
    RUN(MPI_Alltoallv(in, counts, places, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, MPI_COMM_WORLD),
        MPI_Ialltoallv(in, counts, places, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, MPI_COMM_WORLD, &q));
    RUN(MPI_Reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
        MPI_Ireduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q));
  }
  printf("%d: %.17g\n", rank, total);
}

static void turns(int large) {
  (void)large;
  for (int i = 0; i < 20; ++i) {
    if (rank == i % size) compute(200, 1);
    EACH(large, Bcast, data, 1000, MPI_DOUBLE, i % size, MPI_COMM_WORLD);
  }
}

static void controlled(void) {
  MPI_Pcontrol(0);
  compute(111, 10);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1);
  compute(222, 5);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(0);
  compute(112, 10);
}

/* Spawns two more processes of this program, or does the work of a spawned one. */
static void spawn(char* program, const char* how) {
  MPI_Comm parent, workers, all;
  int mine = rank + 1, sum = 0, errors[2];
  char* arguments[] = {(char*)how, NULL};
  MPI_Comm_get_parent(&parent);
  const int is_worker = parent != MPI_COMM_NULL;
  if (is_worker) {
    workers = parent;
  } else {
    MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &workers, errors);
  }
  if (strcmp(how, "join") == 0) {
    MPI_Intercomm_merge(workers, is_worker, &all);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, all);
    MPI_Comm_free(&all);
  } else if (is_worker) {
    MPI_Reduce(&mine, NULL, 1, MPI_INT, MPI_SUM, 0, workers);
  } else {
    MPI_Reduce(NULL, &sum, 1, MPI_INT, MPI_SUM, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, workers);
  }
  if (!is_worker && rank == 0) printf("sum %d\n", sum);
  MPI_Comm_disconnect(&workers);
  compute(100, 3);
}

static void ask(const char* how) {
  const int source = strcmp(how, "anybody") == 0 ? MPI_ANY_SOURCE : 0;
  int flag = 0, index = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message message;
  MPI_Status status;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    compute(most, 5);
    MPI_Send(data, 100, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
    return;
  }
  if (strstr(how, "probe") == NULL) MPI_Irecv(data, 200, MPI_DOUBLE, source, 5, MPI_COMM_WORLD, &request);
  while (!flag) {
    if (strcmp(how, "test") == 0 || strcmp(how, "anybody") == 0) MPI_Test(&request, &flag, &status);
    if (strcmp(how, "testany") == 0) MPI_Testany(1, &request, &index, &flag, &status);
    if (strcmp(how, "testall") == 0) MPI_Testall(1, &request, &flag, &status);
    if (strcmp(how, "testsome") == 0) MPI_Testsome(1, &request, &flag, &index, &status);
    if (strcmp(how, "iprobe") == 0) MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, &status);
    if (strcmp(how, "improbe") == 0) MPI_Improbe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
    if (strcmp(how, "probe") == 0) flag = MPI_Probe(0, 5, MPI_COMM_WORLD, &status) == MPI_SUCCESS;
  }
  int count = 0;
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  if (strcmp(how, "improbe") == 0) {
    MPI_Mrecv(data, count, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  } else if (strstr(how, "probe") != NULL) {
    MPI_Recv(data, count, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  printf("%d numbers\n", count);
}

static void ping(void) {
  for (int i = 0; i < 100; ++i) { /* long messages, beside which MPI calls take no time */
    MPI_Request requests[2];
    MPI_Irecv(data, long_count, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(a, long_count, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    for (int k = 0; k < 2; ++k) {
      for (int flag = 0; !flag;) MPI_Test(&requests[k], &flag, MPI_STATUS_IGNORE);
    }
  }
}

static void lengths(void) {
  int sum = 0;
  for (int i = 0; i < 60; ++i) {
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int count = 0, flag = 0;
    if (rank == 0) {
      MPI_Send(data, 100, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
      continue;
    }
    if (i % 4 == 0) MPI_Probe(0, 5, MPI_COMM_WORLD, &status);
    while (i % 4 == 1 && !flag) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    if (i % 4 == 2) MPI_Mprobe(0, 5, MPI_COMM_WORLD, &message, &status);
    if (i % 4 == 3) MPI_Irecv(c, 100, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, &request);
    while (i % 4 == 3 && !flag) MPI_Request_get_status(request, &flag, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    sum += count;
    if (i % 4 < 2) MPI_Recv(c, count, MPI_DOUBLE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (i % 4 == 2) MPI_Mrecv(c, count, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    if (i % 4 == 3) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  printf("%d: %d numbers\n", rank, sum);
}

static void overlap(void) {
  for (int i = 0; i < 60; ++i) {
    MPI_Request collective, other;
    MPI_Allreduce(a, c, 50, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* agrees on the kernels to skip */
    if (rank == 0) {
      MPI_Ibcast(data, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD, &collective);
      MPI_Irecv(b, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &other);
      MPI_Wait(&other, MPI_STATUS_IGNORE);
      MPI_Send(&i, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
      int step = 0;
      MPI_Recv(&step, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Ibcast(data, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD, &collective);
    }
    MPI_Wait(&collective, MPI_STATUS_IGNORE);
  }
  printf("%d done\n", rank);
}

static void rendezvous(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Send(data, long_count, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
  } else {
    int begun = 0; /* looked for in MPI itself, so that the path doesn't come from the sender */
    while (!begun) PMPI_Iprobe(0, 5, MPI_COMM_WORLD, &begun, MPI_STATUS_IGNORE);
    compute(most, 5);
    MPI_Recv(data, long_count, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void in_session(void) {
#if MPI_VERSION >= 4
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  int one = 1, sum = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "trial", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  if (rank == 0) MPI_Send(&sum, 1, MPI_INT, 1, 3, comm);
  if (rank == 1) MPI_Recv(&sum, 1, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
  printf("%d: %d\n", rank, sum);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
#else
  printf("none\n");
#endif
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "ping";
  if (strcmp(mode, "sessions") == 0) {
    in_session();
    return 0;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(mode, "exchange") == 0) exchange();
  if (strcmp(mode, "dups") == 0) many(atoi(argv[2]));
  if (strcmp(mode, "dup") == 0 || strcmp(mode, "idup") == 0 || strcmp(mode, "late") == 0) duplicate(mode);
  if (strncmp(mode, "collectives", 11) == 0) collectives(strcmp(mode, "collectives_c") == 0);
  if (strncmp(mode, "turns", 5) == 0) turns(strcmp(mode, "turns_c") == 0);
  if (strcmp(mode, "control") == 0) controlled();
  if (strcmp(mode, "spawn") == 0 || strcmp(mode, "join") == 0) spawn(argv[0], mode);
  if (strncmp(mode, "test", 4) == 0 || strstr(mode, "probe") != NULL || strcmp(mode, "anybody") == 0) ask(mode);
  if (strcmp(mode, "ping") == 0) ping();
  if (strcmp(mode, "lengths") == 0) lengths();
  if (strcmp(mode, "overlap") == 0) overlap();
  if (strcmp(mode, "rendezvous") == 0) rendezvous();
  if (strcmp(mode, "both") == 0) in_session();
  MPI_Finalize();
  return 0;
}
