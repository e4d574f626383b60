#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flopcast::machine {

/// Environment variables that make a BLAS use kernels for this CPU, e.g. {"OPENBLAS_CORETYPE", "SkylakeX"}; usually empty.
using KernelSettings = std::map<std::string, std::string>;

/// The libraries with which something is to be measured or predicted.
struct LibraryChoice {
  std::string blas;    ///< name or path; empty: default_blas()
  std::string lapack;  ///< name or path; empty: default_lapack()
  int threads = 1;
  std::string kernels = "auto";         ///< "auto": the kernels that suit the CPU best; "library": the library's own choice
  KernelSettings kernel_settings = {};  ///< variables that select kernels, whatever `kernels` says
};

/// Role in which a library is opened: "reference" names two different files.
enum class Role : unsigned char { blas, lapack };

/// A library found on this machine without loading it into this process.
struct InstalledLibrary {
  std::string name;  ///< name that open() takes
  std::string path;  ///< absolute, with links resolved
  bool has_blas = false, has_lapack = false;
  [[nodiscard]] bool has(Role role) const noexcept { return role == Role::blas ? has_blas : has_lapack; }
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

/// Directories in which the dynamic loader looks (LD_LIBRARY_PATH, /etc/ld.so.conf, its defaults) and to which vendors install; existing
/// ones, each once.
std::vector<std::filesystem::path> loader_directories();

/// Every BLAS and LAPACK library in `directories`, each file once, under its most particular name.
std::vector<InstalledLibrary> installed_libraries(std::span<const std::filesystem::path> directories);
std::vector<InstalledLibrary> installed_libraries();

/// The file that a name ("openblas-serial") or path stands for, absolute and with links resolved. Throws bad_input if no library of that
/// name is installed (the message lists those that are, and the nearest name), environment_error if the path leads to nothing.
std::filesystem::path locate(std::string_view name_or_path, Role role);
/// Returns whether the file is a shared library of this machine that defines `routine`, such as dgemm, under any of its names.
bool has_routine(const std::filesystem::path& library, std::string_view routine);

/// Returns locate(name_or_path, role) after a look into the file, which isn't loaded. Throws environment_error if it is no shared library
/// for this machine. Throws bad_input if neither the file nor a library that it needs has the routine of the role: dgemm, dgeqrf, or
/// another `routine` ("sgemm") if one is given.
std::filesystem::path locate_usable(std::string_view name_or_path, Role role, std::string_view routine = {});

/// Returns true if a BLAS, or one of the libraries that it needs, calls the allocator of its buffers (OpenBLAS's blas_memory_alloc) through
/// the dynamic linker. A preloaded library can then hold a lock around these calls. The file is read without being loaded.
bool buffers_can_be_locked(const std::filesystem::path& blas);

/// The BLAS that is used when the user names none. For one thread: serial OpenBLAS, else any OpenBLAS, else BLIS, else the reference. For
/// several threads: the first of MKL, OpenBLAS and BLIS that can have them, else the one for one thread. Throws environment_error if
/// nothing is installed.
std::string default_blas(int threads = 1);

/// Returns an installed BLAS without threads of its own that several threads may call at once, or nothing if there is none. The process
/// may use a BLAS with threads besides, whose number of threads stays as it is.
std::optional<std::string> serial_blas_for_several_threads();
/// Returns true if the library is known to have one thread only. Such a library is the reference, or a variant named so ("openblas-serial",
/// also if "openblas" or a path stands for that file). Throws as locate does.
bool has_one_thread(std::string_view name_or_path);
/// The LAPACK that is used over a BLAS whose integers have `integer_bytes` bytes: "reference" or "reference64" if it is installed. An empty
/// name means the LAPACK that the BLAS library itself contains.
std::string default_lapack(int integer_bytes = 4);

}  // namespace flopcast::machine
