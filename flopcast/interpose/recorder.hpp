#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/core/trace.hpp"

namespace flopcast::interpose {

/// Files of the libraries that a program or a recording loads (machine::locate finds them by name).
struct LibraryFiles {
  std::filesystem::path blas;
  std::filesystem::path lapack;  ///< empty: whatever the BLAS library brings itself
  friend bool operator==(const LibraryFiles&, const LibraryFiles&) = default;
};

/// How a recording treats the kernel calls it sees.
enum class Mode : std::uint8_t {
  skip,    ///< not executed: outputs that steer control flow are set as the catalogue says; no matrix is touched
  observe  ///< executed and timed on safe operands
};

/// Records the kernel calls of real LAPACK routines in a child process that has the recording library in front of BLAS and LAPACK. One child serves
/// any number of recordings. Not for use from several threads at once.
class Recorder {
 public:
  /// Starts the child and loads the libraries; throws environment_error if either fails.
  explicit Recorder(const LibraryFiles& libraries);
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;
  ~Recorder();

  /// The outermost catalogue calls below `call`'s routine (dgeqrf: dgeqr2, dlarft, dlarfb), at virtual addresses, allocations named by the
  /// argument ("A", "tau", "work"). Addresses in `call` are not used; a work size of 0 becomes the optimum that the routine asks for.
  /// `blocks` is what ilaenv answers to the routine; without it LAPACK's own values hold. Throws environment_error if the library lacks the routine or the
  /// child dies, bad_input if the routine refuses its arguments (info < 0).
  Trace record(const Call& call, const std::optional<algorithm::BlockParameters>& blocks, Mode mode = Mode::skip);

  /// What this LAPACK's ilaenv answers for `call` by itself.
  algorithm::BlockParameters defaults(const Call& call);

  /// Whether the library's routine asks ilaenv for its block size at all (OpenBLAS's own potrf does not).
  bool asks_for_block_size(const Call& call);

  /// The files that dgemm and dgeqrf really came from.
  [[nodiscard]] const LibraryFiles& loaded() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace flopcast::interpose
