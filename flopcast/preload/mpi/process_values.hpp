#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "flopcast/support/page_allocator.hpp"

/// Values of processes, exchanged without the program's knowledge. All templates are collective over `world`.
namespace flopcast::preload::mpi {

/// Returns this process's rank in `comm`.
inline int rank_in(MPI_Comm comm) noexcept {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

/// Returns the number of processes in `comm`.
inline int processes_in(MPI_Comm comm) noexcept {
  int size = 1;
  PMPI_Comm_size(comm, &size);
  return size;
}

/// Returns `mine`, an int or a struct of doubles, combined by `op` with the values of all processes.
template <class Value>
Value of_all(MPI_Comm world, Value mine, MPI_Op op) {
  constexpr bool whole = std::is_same_v<Value, int>;
  constexpr auto numbers = static_cast<int>(sizeof(Value) / (whole ? sizeof(int) : sizeof(double)));
  PMPI_Allreduce(MPI_IN_PLACE, &mine, numbers, whole ? MPI_INT : MPI_DOUBLE, op, world);
  return mine;
}

/// Returns the mean of `mine`, a struct of doubles, over all processes.
template <class Value>
Value mean_of_all(MPI_Comm world, const Value& mine) {
  auto numbers = std::bit_cast<std::array<double, sizeof(Value) / sizeof(double)>>(of_all(world, mine, MPI_SUM));
  for (double& number : numbers) {
    number /= processes_in(world);
  }
  return std::bit_cast<Value>(numbers);
}

/// Returns the values of all processes by rank, at rank 0. `Value` is trivially copyable.
template <class Value>
std::vector<Value> gather_values(MPI_Comm world, const Value& mine) {
  std::vector<Value> all(static_cast<std::size_t>(rank_in(world) == 0 ? processes_in(world) : 0));
  constexpr int bytes = static_cast<int>(sizeof(Value));
  PMPI_Gather(&mine, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, world);
  return all;
}

/// Broadcasts rank 0's records. `Record` is trivially copyable.
template <class Record>
void broadcast_records(MPI_Comm world, PageVector<Record>& records) {
  constexpr std::int64_t max_records = 1024;  // in one message
  auto count = static_cast<std::int64_t>(records.size());
  PMPI_Bcast(&count, 1, MPI_INT64_T, 0, world);
  records.resize(static_cast<std::size_t>(count));
  for (std::int64_t first = 0; first < count; first += max_records) {
    const std::int64_t part = std::min(max_records, count - first);
    PMPI_Bcast(records.data() + first, static_cast<int>(part * static_cast<std::int64_t>(sizeof(Record))), MPI_BYTE, 0, world);
  }
}

/// Sends all processes' records to rank 0 in messages of bounded size, and calls `take` for each.
template <class Records, class Take>
void collect(MPI_Comm world, int tag, const Records& mine, Take take) {
  using Record = typename Records::value_type;
  constexpr std::size_t max_records = 256;
  const int rank = rank_in(world), size = processes_in(world);
  if (rank != 0) {
    for (std::size_t first = 0; first <= mine.size(); first += max_records) {  // a message that isn't full, perhaps empty, is the last
      const std::size_t count = std::min(max_records, mine.size() - first);
      PMPI_Send(mine.data() + first, static_cast<int>(count * sizeof(Record)), MPI_BYTE, 0, tag, world);
    }
    return;
  }
  PageVector<Record> part(max_records);
  for (int other = 1; other < size; ++other) {
    for (std::size_t count = max_records; count == max_records;) {
      MPI_Status status;
      int bytes = 0;
      PMPI_Recv(part.data(), static_cast<int>(max_records * sizeof(Record)), MPI_BYTE, other, tag, world, &status);
      PMPI_Get_count(&status, MPI_BYTE, &bytes);
      count = static_cast<std::size_t>(bytes) / sizeof(Record);
      std::for_each_n(part.begin(), count, take);
    }
  }
}

}  // namespace flopcast::preload::mpi
