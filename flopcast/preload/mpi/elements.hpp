#pragma once

#include <mpi.h>

#include <limits>

#if MPI_VERSION >= 4
namespace flopcast::preload::mpi {

/// Represents `count` elements of `type` such that their number is an int.
class Elements {
 public:
  Elements(MPI_Count count, MPI_Datatype type) : count_(static_cast<int>(count)), type_(type), made_(too_large(count)) {
    if (made_) {
      PMPI_Type_contiguous_c(count, type, &type_);
      PMPI_Type_commit(&type_);
      count_ = 1;
    }
  }
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
  ~Elements() {
    if (made_) {
      PMPI_Type_free(&type_);  // MPI keeps it for communication under way
    }
  }
  [[nodiscard]] int count() const noexcept { return count_; }
  [[nodiscard]] MPI_Datatype type() const noexcept { return type_; }

 private:
  static bool too_large(MPI_Count count) noexcept { return count > std::numeric_limits<int>::max(); }

  int count_;
  MPI_Datatype type_;
  bool made_;
};

}  // namespace flopcast::preload::mpi
#endif
