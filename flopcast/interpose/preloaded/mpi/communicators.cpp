#include <mpi.h>

#include "flopcast/interpose/preloaded/mpi/session.hpp"
#include "flopcast/interpose/preloaded/mpi/shadow.hpp"

/// Communicators that the program makes: each gets a shadow. Freeing one calls its attribute's function, which frees the shadow.
using flopcast::interpose::mpi::adopt;
using flopcast::interpose::mpi::Inside;

namespace {

/// Makes a communicator by `make` and gives it a shadow.
template <class Make>
int adopted(MPI_Comm* made, Make make) {
  const Inside inside;
  const int result = make();
  if (inside && result == MPI_SUCCESS) {
    adopt(*made);
  }
  return result;
}

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return adopted(made, [&] { return PMPI_Comm_dup(comm, made); });
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
  return adopted(made, [&] { return PMPI_Comm_dup_with_info(comm, info, made); });
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return adopted(made, [&] { return PMPI_Comm_split(comm, color, key, made); });
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return adopted(made, [&] { return PMPI_Comm_split_type(comm, type, key, info, made); });
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  return adopted(made, [&] { return PMPI_Comm_create(comm, group, made); });
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
  return adopted(made, [&] { return PMPI_Comm_create_group(comm, group, tag, made); });
}

int MPI_Cart_create(MPI_Comm comm, int dimensions, const int extents[], const int periodic[], int reorder, MPI_Comm* made) {
  return adopted(made, [&] { return PMPI_Cart_create(comm, dimensions, extents, periodic, reorder, made); });
}

int MPI_Cart_sub(MPI_Comm comm, const int kept[], MPI_Comm* made) {
  return adopted(made, [&] { return PMPI_Cart_sub(comm, kept, made); });
}

int MPI_Graph_create(MPI_Comm comm, int nodes, const int degrees[], const int edges[], int reorder, MPI_Comm* made) {
  return adopted(made, [&] { return PMPI_Graph_create(comm, nodes, degrees, edges, reorder, made); });
}

int MPI_Dist_graph_create(MPI_Comm comm, int nodes, const int sources[], const int degrees[], const int destinations[], const int weights[],
                          MPI_Info info, int reorder, MPI_Comm* made) {
  return adopted(made, [&] { return PMPI_Dist_graph_create(comm, nodes, sources, degrees, destinations, weights, info, reorder, made); });
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in_degree, const int sources[], const int source_weights[], int out_degree,
                                   const int destinations[], const int destination_weights[], MPI_Info info, int reorder, MPI_Comm* made) {
  return adopted(made, [&] {
    return PMPI_Dist_graph_create_adjacent(comm, in_degree, sources, source_weights, out_degree, destinations, destination_weights, info,
                                           reorder, made);
  });
}

int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm* made) {
  return adopted(made, [&] { return PMPI_Intercomm_merge(comm, high, made); });
}

#pragma GCC visibility pop
}
