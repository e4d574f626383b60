#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"

namespace flopcast::machine {

/// A routine as the dynamic linker gives it; its real type is the Fortran interface of its catalogue entry.
using Function = void (*)();

/// One BLAS or LAPACK shared library opened at run time; closed with its last copy.
class Library {
 public:
  /// Opens a library by name ("openblas", "openblas-serial", "openblas-pthread", "blis", "blis-serial", "blis-openmp", "reference",
  /// "atlas", "mkl") or by path; `role` says which file "reference" and "atlas" stand for. Throws bad_input if no library of that name is
  /// installed (the message names those that are) or the library has no BLAS or LAPACK symbol. Throws environment_error if the file is no
  /// library or the loader refuses it.
  static Library open(std::string_view name_or_path, Role role = Role::blas);

  /// Address of the Fortran symbol of `routine` ("dgemm" finds dgemm_), or nullptr.
  [[nodiscard]] Function function(std::string_view routine) const;
  /// Address of any symbol, or nullptr.
  [[nodiscard]] void* symbol(const std::string& name) const;
  /// Returns true if the library itself, not one that it loads, defines the Fortran symbol of `routine`.
  [[nodiscard]] bool defines(std::string_view routine) const;
  [[nodiscard]] const LibraryIdentity& identity() const;
  /// Returns true if several threads may call it at the same time (library_identity.hpp).
  [[nodiscard]] bool may_be_called_by_several_threads() const;
  /// Sets threads through the library's own call; throws bad_input if it can't have that many.
  void set_threads(int threads) const;

 private:
  friend class LibrarySet;
  struct State;
  explicit Library(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

/// A LAPACK over a BLAS, loaded as in a program: LAPACK's calls of BLAS reach exactly this BLAS.
class LibrarySet {
 public:
  /// Opens both. An empty `blas` is default_blas(). If `lapack` is empty, only BLAS routines and the LAPACK that the BLAS library itself
  /// contains are found. `interposer` is the path of a shared library whose Fortran symbols (ilaenv_, ...) LAPACK calls instead of its own
  /// and BLAS's, as if it were preloaded. A LAPACK that is already in use in this process is loaded once more in a namespace of its own
  /// (dlmopen; the system allows about ten), with its own copy of the interposer. Throws environment_error if LAPACK can't be made to call
  /// this BLAS, otherwise as Library::open.
  static LibrarySet open(std::string_view blas, std::string_view lapack, const std::string& interposer = {});

  /// Address of a routine: LAPACK's definition if it has one, else BLAS's. Throws environment_error, which names both libraries, if neither
  /// has it.
  [[nodiscard]] Function function(std::string_view routine) const;
  /// Address of a routine as function() finds it, or nullptr.
  [[nodiscard]] Function find(std::string_view routine) const;
  /// Address of a symbol of this set's interposer, or nullptr (also if there is none).
  [[nodiscard]] void* interposer_symbol(const std::string& name) const;
  [[nodiscard]] const LibraryIdentity& blas() const;
  [[nodiscard]] const LibraryIdentity& lapack() const;
  /// Sets the threads of BLAS; throws as Library::set_threads.
  void set_threads(int threads) const;

 private:
  struct State;
  explicit LibrarySet(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace flopcast::machine
