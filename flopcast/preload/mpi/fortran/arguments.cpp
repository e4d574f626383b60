#include "flopcast/preload/mpi/fortran/arguments.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <list>

namespace flopcast::preload::mpi::fortran {
namespace {

/// Returns the address of a Fortran constant, which is a variable: `openmpi` or, in the module mpi_f08, `mpich`. An argument is that
/// constant if it has this address. Returns nullptr in programs without Fortran.
const void* constant(const char* openmpi, const char* mpich) noexcept {
  const void* found = dlsym(RTLD_DEFAULT, openmpi);
  return found != nullptr ? found : dlsym(RTLD_DEFAULT, mpich);
}

constexpr int status_words = static_cast<int>(sizeof(MPI_Status) / sizeof(MPI_Fint));

}  // namespace

void* buffer(void* data) noexcept {
  static const void* const bottom = constant("mpi_fortran_bottom_", "MPIR_F08_MPI_BOTTOM");
  static const void* const in_place = constant("mpi_fortran_in_place_", "MPIR_F08_MPI_IN_PLACE");
  return data == nullptr ? data : data == bottom ? MPI_BOTTOM : data == in_place ? MPI_IN_PLACE : data;
}

const int* weights(const MPI_Fint* weights) noexcept {
  static const void* const unweighted = dlsym(RTLD_DEFAULT, "mpi_fortran_unweighted_");
  static const void* const empty = dlsym(RTLD_DEFAULT, "mpi_fortran_weights_empty_");
  return weights == nullptr ? weights : weights == unweighted ? MPI_UNWEIGHTED : weights == empty ? MPI_WEIGHTS_EMPTY : weights;
}

bool is_ignored(const MPI_Fint* status) noexcept {
  static const void* const one = constant("mpi_fortran_status_ignore_", "MPIR_F08_MPI_STATUS_IGNORE_OBJ");
  static const void* const all = constant("mpi_fortran_statuses_ignore_", "MPIR_F08_MPI_STATUSES_IGNORE_OBJ");
  return status == nullptr || status == one || status == all;
}

Statuses::Statuses(MPI_Fint* target, int count, const MPI_Fint* written) noexcept
    : target_(is_ignored(target) ? nullptr : target), written_(written) {
  if (target_ == nullptr) {
    return;
  }
  all_.resize(static_cast<std::size_t>(std::max(count, 1)));
  for (int i = 0; i < count; ++i) {
    PMPI_Status_f2c(target_ + std::ptrdiff_t{i} * status_words, &all_[static_cast<std::size_t>(i)]);
  }
}

Statuses::~Statuses() {
  const int count = written_ != nullptr ? std::min(*written_, static_cast<int>(all_.size())) : static_cast<int>(all_.size());
  for (int i = 0; target_ != nullptr && i < count; ++i) {  // MPI_UNDEFINED is negative
    PMPI_Status_c2f(&all_[static_cast<std::size_t>(i)], target_ + std::ptrdiff_t{i} * status_words);
  }
}

Requests::Requests(MPI_Fint* target, int count) : target_(target) {
  for (int i = 0; i < count; ++i) {
    all_.push_back(PMPI_Request_f2c(target[i]));
  }
}

Requests::~Requests() {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    target_[i] = PMPI_Request_c2f(all_[i]);
  }
}

const MPI_Datatype* types(const MPI_Fint* types, MPI_Fint comm, int slot, bool keep) {
  static std::list<std::vector<MPI_Datatype>> kept;
  thread_local std::array<std::vector<MPI_Datatype>, 2> current;
  int size = 0;
  PMPI_Comm_size(PMPI_Comm_f2c(comm), &size);
  std::vector<MPI_Datatype>& all = keep ? kept.emplace_back() : current.at(static_cast<std::size_t>(slot));
  all.resize(static_cast<std::size_t>(size));
  std::transform(types, types + size, all.begin(), [](MPI_Fint type) { return PMPI_Type_f2c(type); });
  return all.data();
}

void count_from_one(MPI_Fint& index) noexcept { index += index >= 0 ? 1 : 0; }

void count_from_one(MPI_Fint* indices, MPI_Fint count) noexcept {
  for (MPI_Fint i = 0; i < count; ++i) {
    count_from_one(indices[i]);
  }
}

}  // namespace flopcast::preload::mpi::fortran
