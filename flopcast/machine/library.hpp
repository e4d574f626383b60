#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/installed.hpp"

namespace flopcast::machine {

/// A routine as the dynamic linker gives it; its real type is the Fortran interface of its catalogue entry.
using Function = void (*)();

/// One BLAS or LAPACK shared library opened at run time; closed with its last copy.
class Library {
 public:
  /// Opens by name ("openblas", "openblas-serial", "openblas-pthread", "blis", "blis-serial", "blis-openmp", "reference", "atlas", "mkl")
  /// or by path; `role` tells which file "reference" and "atlas" stand for. Throws bad_input if nothing of that name is installed (naming what
  /// is) or it has no BLAS or LAPACK symbol, environment_error if the file is no library or the loader refuses it.
  static Library open(std::string_view name_or_path, Role role = Role::blas);

  /// Address of the Fortran symbol of `routine` ("dgemm" finds dgemm_), or nullptr.
  [[nodiscard]] Function function(std::string_view routine) const;
  /// Address of any symbol, or nullptr.
  [[nodiscard]] void* symbol(const std::string& name) const;
  /// Whether it defines the Fortran symbol of `routine` itself, not a library that it loads.
  [[nodiscard]] bool defines(std::string_view routine) const;
  [[nodiscard]] const LibraryIdentity& identity() const;
  /// Whether several threads may call it at the same time (library_identity.hpp).
  [[nodiscard]] bool may_be_called_by_several_threads() const;
  /// Sets threads through the library's own call; throws bad_input if it can't have that many.
  void set_threads(int threads) const;

 private:
  friend class LibrarySet;
  struct State;
  explicit Library(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

/// A LAPACK over a BLAS, as a program would have them loaded: LAPACK's calls of BLAS reach exactly this BLAS.
class LibrarySet {
 public:
  /// An empty `blas` is default_blas(). `lapack` may be empty: then only BLAS routines (and whatever LAPACK the BLAS library brings itself)
  /// are found. `interposer` is the path of a shared library whose Fortran symbols (ilaenv_, ...) LAPACK calls instead of its own and
  /// BLAS's, as if it were preloaded. A LAPACK that is already in use in this process is loaded once more in a namespace of its own
  /// (dlmopen; the system allows about ten), with its own copy of the interposer. Throws environment_error if LAPACK can't be made to call
  /// this BLAS, else as Library::open.
  static LibrarySet open(std::string_view blas, std::string_view lapack, const std::string& interposer = {});

  /// A routine of either: from LAPACK if it defines it, else from BLAS; throws environment_error naming both libraries if neither has it.
  [[nodiscard]] Function function(std::string_view routine) const;
  /// The same, or nullptr.
  [[nodiscard]] Function find(std::string_view routine) const;
  /// Address of a symbol of this set's interposer, or nullptr (also if there is none).
  [[nodiscard]] void* interposer_symbol(const std::string& name) const;
  [[nodiscard]] const LibraryIdentity& blas() const;
  [[nodiscard]] const LibraryIdentity& lapack() const;
  /// Of BLAS; throws as Library::set_threads.
  void set_threads(int threads) const;

 private:
  struct State;
  explicit LibrarySet(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace flopcast::machine
