#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/environment.hpp"

namespace flopcast::machine {

/// One BLAS or LAPACK shared library opened at run time; closed with its last copy.
class Library {
 public:
  /// Opens by name ("openblas", "openblas-serial", "openblas-pthread", "blis", "blis-serial", "blis-openmp", "reference", "atlas", "mkl",
  /// and for LAPACK "reference", "openblas") or by path. Throws environment_error if nothing of that name is installed (naming what is)
  /// or the file is no library, bad_input if it has no BLAS or LAPACK symbol.
  static Library open(std::string_view name_or_path);

  /// Address of the Fortran symbol of `routine` ("dgemm" finds dgemm_), or nullptr.
  [[nodiscard]] void (*function(std::string_view routine) const)();
  /// Address of any symbol, or nullptr.
  [[nodiscard]] void* symbol(const std::string& name) const;
  [[nodiscard]] const LibraryIdentity& identity() const;
  /// Sets threads through the library's own call; throws bad_input if it can't have that many.
  void set_threads(int threads) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// A LAPACK over a BLAS, as a program would have them loaded: LAPACK's calls of BLAS reach exactly this BLAS.
class LibrarySet {
 public:
  /// `lapack` may be empty: then only BLAS routines (and whatever LAPACK the BLAS library brings itself) are found. The first set of a
  /// process is opened in the usual namespace, further ones in namespaces of their own (dlmopen).
  static LibrarySet open(std::string_view blas, std::string_view lapack);

  /// A routine of either: from LAPACK if it defines it, else from BLAS; throws environment_error naming both libraries if neither has it.
  [[nodiscard]] void (*function(std::string_view routine) const)();
  /// The same, or nullptr.
  [[nodiscard]] void (*find(std::string_view routine) const)();
  [[nodiscard]] const LibraryIdentity& blas() const;
  [[nodiscard]] const LibraryIdentity& lapack() const;
  void set_threads(int threads) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// A library found on this machine without loading it into this process.
struct InstalledLibrary {
  std::string name;  ///< what open() takes
  std::string path;
  bool has_blas = false, has_lapack = false;
};
/// Every BLAS and LAPACK library in the loader's directories, their alternatives and well-known places.
std::vector<InstalledLibrary> installed_libraries();

}  // namespace flopcast::machine
