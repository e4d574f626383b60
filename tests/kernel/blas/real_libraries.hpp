#pragma once

#include <string>
#include <vector>

#include "flopcast/kernel/invoke.hpp"

namespace flopcast::kernel {

/// A BLAS and LAPACK for tests to call.
class TestLibrary {
 public:
  /// Opens `files`, each of which finds the earlier ones by their sonames; opens nothing if one of them is missing.
  TestLibrary(std::string name, const std::vector<std::string>& files);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool empty() const { return handles_.empty(); }
  /// Returns the Fortran symbol of `routine`, or nullptr.
  [[nodiscard]] Function find(const std::string& routine) const;
  /// Returns the bytes of its integers.
  [[nodiscard]] int integer_bytes() const;
  /// Returns the kernels that it has chosen for this CPU ("SkylakeX") if it is an OpenBLAS.
  [[nodiscard]] std::string kernels() const;

 private:
  std::string name_;
  std::vector<void*> handles_;
};

/// Returns the installed ones of the reference BLAS and LAPACK, OpenBLAS with its own LAPACK, and BLIS.
const std::vector<TestLibrary>& test_libraries();
/// Returns the installed libraries with 64-bit integers: the reference, OpenBLAS.
const std::vector<TestLibrary>& wide_libraries();

}  // namespace flopcast::kernel
