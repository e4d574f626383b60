#pragma once

#include <mpi.h>

#include <vector>

/// Converts arguments of Fortran's MPI procedures to C's, for Open MPI and MPICH's module mpi_f08. The generated wrappers use these
/// functions.
namespace flopcast::preload::mpi::fortran {

/// Returns `data`, or C's MPI_BOTTOM or MPI_IN_PLACE for Fortran's.
void* buffer(void* data) noexcept;
/// Returns `weights`, or C's MPI_UNWEIGHTED or MPI_WEIGHTS_EMPTY for Fortran's.
const int* weights(const MPI_Fint* weights) noexcept;
bool is_ignored(const MPI_Fint* status) noexcept;

/// A status that is written back when this object is destroyed.
class Status {
 public:
  explicit Status(MPI_Fint* target) noexcept : target_(is_ignored(target) ? nullptr : target) {}
  Status(const Status&) = delete;
  Status& operator=(const Status&) = delete;
  ~Status() {
    if (target_ != nullptr) {
      PMPI_Status_c2f(&status_, target_);
    }
  }
  [[nodiscard]] MPI_Status* get() noexcept {
    if (target_ == nullptr) {
      return MPI_STATUS_IGNORE;
    }
    PMPI_Status_f2c(target_, &status_);
    return &status_;
  }

 private:
  MPI_Fint* target_;
  MPI_Status status_{};
};

/// An array of statuses, written back when this object is destroyed; `written` is the number to write, all if it is nullptr.
class Statuses {
 public:
  Statuses(MPI_Fint* target, int count, const MPI_Fint* written = nullptr) noexcept;
  Statuses(const Statuses&) = delete;
  Statuses& operator=(const Statuses&) = delete;
  ~Statuses();
  [[nodiscard]] MPI_Status* get() noexcept { return target_ == nullptr ? MPI_STATUSES_IGNORE : all_.data(); }

 private:
  MPI_Fint* target_;
  const MPI_Fint* written_;
  std::vector<MPI_Status> all_;
};

/// An array of requests, written back when this object is destroyed.
class Requests {
 public:
  Requests(MPI_Fint* target, int count);
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  ~Requests();
  [[nodiscard]] MPI_Request* get() noexcept { return all_.data(); }

 private:
  MPI_Fint* target_;
  std::vector<MPI_Request> all_;
};

/// Types of as many messages as `comm` has processes. Valid until the next call of this thread with another `slot`, 0 or 1; `keep`: for
/// ever, since MPI reads the types of nonblocking collectives until those are complete.
const MPI_Datatype* types(const MPI_Fint* types, MPI_Fint comm, int slot, bool keep);

/// C counts from 0.
void count_from_one(MPI_Fint& index) noexcept;
void count_from_one(MPI_Fint* indices, MPI_Fint count) noexcept;

}  // namespace flopcast::preload::mpi::fortran
