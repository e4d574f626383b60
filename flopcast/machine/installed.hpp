#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flopcast::machine {

/// What a library is asked for: "reference" names two different files.
enum class Role : unsigned char { blas, lapack };

/// A library found on this machine without loading it into this process.
struct InstalledLibrary {
  std::string name;  ///< what open() takes
  std::string path;  ///< absolute, with links resolved
  bool has_blas = false, has_lapack = false;
  friend bool operator==(const InstalledLibrary&, const InstalledLibrary&) = default;
};

/// A name that users may give and the files it stands for, relative to a directory of the loader; the first that exists counts.
struct KnownLibrary {
  std::string_view name;
  Role role;
  std::vector<std::string_view> files;  ///< patterns as glob(7) reads them
};
/// All names, the particular ones ("openblas-serial") before the general ones ("openblas": whichever the system prefers).
std::span<const KnownLibrary> known_libraries();

/// Where the dynamic loader looks (LD_LIBRARY_PATH, /etc/ld.so.conf, its defaults) and where vendors install; existing ones, each once.
std::vector<std::filesystem::path> loader_directories();

/// Every BLAS and LAPACK library in `directories`, each file once, under its most particular name.
std::vector<InstalledLibrary> installed_libraries(std::span<const std::filesystem::path> directories);
std::vector<InstalledLibrary> installed_libraries();

/// The file that a name ("openblas-serial") or path stands for, absolute and with links resolved. Throws bad_input if nothing of
/// that name is installed (saying what is, and the nearest name), environment_error if it is a path to nothing.
std::filesystem::path locate(std::string_view name_or_path, Role role);
/// The same, looked into without loading it: throws environment_error if it is no shared library for this machine, bad_input if neither it nor
/// a library that it needs has what the role takes: dgemm, dgeqrf, or another `routine` ("sgemm") if it is given.
std::filesystem::path locate_usable(std::string_view name_or_path, Role role, std::string_view routine = {});

/// Whether a BLAS, or one of the libraries that it needs, calls for its buffers (OpenBLAS's blas_memory_alloc) through the dynamic linker, so that
/// a preloaded library can hold a lock around that. Looked at without loading it.
bool buffers_can_be_locked(const std::filesystem::path& blas);

/// What is taken when the user names nothing. For one thread: serial OpenBLAS, else any OpenBLAS, else BLIS, else the reference; for
/// several: the first of MKL, OpenBLAS and BLIS that can have them, and that for one thread if there is none. Throws environment_error if
/// nothing is installed.
std::string default_blas(int threads = 1);
/// Whether the library is known to have one thread only: a variant named so ("openblas-serial", also if "openblas" or a path stands for
/// that file), or the reference. Throws as locate does.
bool has_one_thread(std::string_view name_or_path);
/// What is taken as LAPACK over a BLAS whose integers have so many bytes: "reference" or "reference64" if it is installed, else empty:
/// whatever the BLAS library brings itself.
std::string default_lapack(int integer_bytes = 4);

}  // namespace flopcast::machine
