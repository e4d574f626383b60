/* Ways to call MPI. The first argument is the way. All ways print what they have received, which must not depend on a library preloaded before
   MPI. Ways:
   - unseen HOW: rank 0 sends by an address that no library before MPI sees, and rank 1 receives by recv, irecv, any, mprobe, iprobe, test,
     sendrecv or persistent. Then the reverse: rank 1 receives unseen what rank 0 has sent by MPI_Send, and one more message.
   - initialised: a thread of rank 0 calls MPI_Init and ends.
   - names: rank 0 calls collectives by names with PMPI_, and the others by names with MPI_. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { tag = 5 };
static int rank;

static void* unseen(const char* name) {
  typedef void* (*finder)(void*, const char*);
  Dl_info info;
  if (!dladdr((void*)&MPI_Get_version, &info)) return NULL;
  const finder find = (finder)dlsym(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "dlsym");
  return find(dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD), name);
}

static double receive(const char* how) {
  double x = 0;
  int flag = 0;
  MPI_Request request;
  MPI_Message message;
  const MPI_Comm world = MPI_COMM_WORLD;
  if (strcmp(how, "recv") == 0) MPI_Recv(&x, 1, MPI_DOUBLE, 0, tag, world, MPI_STATUS_IGNORE);
  if (strcmp(how, "any") == 0) MPI_Recv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
  if (strcmp(how, "sendrecv") == 0) {
    MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, &x, 1, MPI_DOUBLE, 0, tag, world, MPI_STATUS_IGNORE);
  }
  if (strcmp(how, "irecv") == 0 || strcmp(how, "test") == 0) MPI_Irecv(&x, 1, MPI_DOUBLE, 0, tag, world, &request);
  if (strcmp(how, "irecv") == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  while (strcmp(how, "test") == 0 && !flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  if (strcmp(how, "persistent") == 0) {
    MPI_Recv_init(&x, 1, MPI_DOUBLE, 0, tag, world, &request);
    MPI_Start(&request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    MPI_Request_free(&request);
  }
  if (strcmp(how, "mprobe") == 0) {
    MPI_Mprobe(0, tag, world, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&x, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  }
  if (strcmp(how, "iprobe") == 0) {
    while (!flag) MPI_Iprobe(0, tag, world, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&x, 1, MPI_DOUBLE, 0, tag, world, MPI_STATUS_IGNORE);
  }
  return x;
}

static void past_libraries(const char* how) {
  double x = 0, sum = 0;
  __typeof__(&MPI_Send) send = (__typeof__(&MPI_Send))unseen("MPI_Send");
  __typeof__(&MPI_Recv) receive_unseen = (__typeof__(&MPI_Recv))unseen("MPI_Recv");
  for (int i = 1; i <= 3; ++i) {
    x = i;
    if (rank == 0) send(&x, 1, MPI_DOUBLE, 1, tag, MPI_COMM_WORLD);
    if (rank == 1) sum += receive(how);
  }
  for (int i = 1; i <= 6000; ++i) { /* more than flopcast keeps for a receiver that takes none */
    x = i;
    if (rank == 0) MPI_Send(&x, 1, MPI_DOUBLE, 1, tag, MPI_COMM_WORLD);
    if (rank == 1) receive_unseen(&x, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) sum += x;
  }
  if (rank == 0) MPI_Send(&x, 1, MPI_DOUBLE, 1, tag, MPI_COMM_WORLD);
  if (rank == 1) printf("received %g\n", sum + receive(how));
}

static void two_names(void) {
  MPI_Comm copy;
  int sum = 0, value = rank + 1, root_value = rank == 0 ? 7 : 0;
  rank == 0 ? PMPI_Comm_dup(MPI_COMM_WORLD, &copy) : MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  for (int i = 0; i < 3; ++i) {
    rank == 0 ? PMPI_Bcast(&root_value, 1, MPI_INT, 0, copy) : MPI_Bcast(&root_value, 1, MPI_INT, 0, copy);
    rank == 0 ? PMPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, copy) : MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, copy);
  }
  printf("%d: %d %d\n", rank, root_value, sum);
  MPI_Comm_free(&copy);
}

static void* initialise(void* unused) {
  MPI_Init(NULL, NULL);
  return unused;
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "names";
  const char* number = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  if (strcmp(way, "initialised") == 0 && number && atoi(number) == 0) {
    pthread_t other;
    pthread_create(&other, NULL, initialise, NULL);
    pthread_join(other, NULL);
  } else {
    initialise(NULL);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  strcmp(way, "unseen") == 0 ? past_libraries(argc > 2 ? argv[2] : "recv") : two_names();
  MPI_Finalize();
  return 0;
}
