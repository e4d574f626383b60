#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/call.hpp"

/// The jobs for which LAPACK has several drivers. docs/howto/drivers.md has the sources of what is said about each driver.
namespace flopcast::kernel {

/// A job: what is computed, and the names of its sizes. Sizes that aren't given are n for m, and 1 for nrhs.
struct DriverJob {
  std::string name;
  std::vector<std::string> sizes;
  bool has_vectors = false;         ///< vectors may be wanted or not
  bool has_values = false;          ///< some values only may be wanted
  bool depends_on_spectrum = true;  ///< the time depends on the spectrum of the matrix
};
const std::vector<DriverJob>& driver_jobs();

/// A problem for the drivers of a job.
struct DriverWish {
  std::map<std::string, std::int64_t> sizes;
  bool vectors = true;
  std::int64_t values = 0;  ///< number of the smallest eigenvalues that are wanted; 0: all
};

/// One driver of a job: a routine, or two that follow each other.
struct DriverRow {
  std::string_view job;
  std::vector<std::string_view> real, complex;               ///< families
  std::map<std::string, std::string> with_vectors, without;  ///< arguments other than sizes
  std::string_view needs;                                    ///< the matrices that the driver takes
  std::string_view worth;                                    ///< numerical properties of its results
  std::string_view scipy, scipy_without = {};                ///< calls from SciPy or NumPy, with P for the letter of the precision
  bool selects = false;                                      ///< computes only as many values as are wanted
  std::string_view remark = {};                              ///< tells apart drivers of the same routine: "identity"
  bool inverts = false;                                      ///< nrhs is n, as B is the identity
};
std::span<const DriverRow> driver_rows();

/// Returns the name of a driver: "dsyevd", "dgetrf+dgetri", "dgesv (identity)".
std::string driver_name(const DriverRow& row, Precision precision);

/// Returns the calls of a driver in this order, without addresses. Leading dimensions are the rows, work spaces suffice. A wide matrix is
/// transposed for routines that take tall ones only.
std::vector<Call> driver_calls(const DriverRow& row, Precision precision, const DriverWish& wish);

/// Returns the call of a driver from SciPy or NumPy.
std::string driver_call_text(const DriverRow& row, Precision precision, const DriverWish& wish);

/// A driver that does the job of a recorded call on the same kinds of matrices.
struct OtherDriver {
  const DriverJob* job;
  const DriverRow* row;
  DriverWish wish;
  Call call;
};
/// Returns the other drivers for a call whose time depends on the spectrum. Returns none for a call that isn't as drivers of a job are called.
std::vector<OtherDriver> other_drivers(const Call& call);

}  // namespace flopcast::kernel
