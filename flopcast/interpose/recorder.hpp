#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/interpose/block_question.hpp"

namespace flopcast::interpose {

/// Files of the libraries that a program or a recording loads (machine::locate finds them by name).
struct LibraryFiles {
  std::filesystem::path blas;
  std::filesystem::path lapack;  ///< empty: whatever the BLAS library brings itself
  bool wide = false;             ///< for programs that ask for libblas64.so.3 and liblapack64.so.3, whose integers have 64 bits
  friend bool operator==(const LibraryFiles&, const LibraryFiles&) = default;
};

/// A call whose routine asks ilaenv for its block size, and what it asks. The call has no addresses, and no work sizes unless the call that it
/// is part of has one.
struct AskingCall {
  Call call;
  BlockQuestion question;
};

/// Records the kernel calls of real LAPACK routines in a child process that has the recording library in front of BLAS and LAPACK. One
/// child serves any number of recordings. Not for use from several threads at once.
class Recorder {
 public:
  /// Starts the child and loads the libraries; throws environment_error if either fails.
  explicit Recorder(const LibraryFiles& libraries);
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();

  /// The outermost catalogue calls below `call`'s routine (dgeqrf: dgeqr2, dlarft, dlarfb), at virtual addresses, allocations named by the
  /// argument ("A", "tau", "work"). Addresses in `call` are not used; a work size of 0 becomes the optimum that the routine asks for.
  /// `blocks` is what ilaenv answers to the routine; without it LAPACK's own values hold. Throws environment_error if the library lacks the
  /// routine or the child dies, bad_input if the routine refuses its arguments (info < 0). The kernels get the call's number of threads.
  Trace record(const Call& call, const std::optional<algorithm::BlockParameters>& blocks, Mode mode = Mode::skip);

  /// The call with what the routine asks for in place of work sizes of 0.
  Call with_work_sizes(const Call& call);

  /// What the library's routine asks for when it is called like this; nothing if it never asks (OpenBLAS's own potrf).
  std::optional<BlockQuestion> question(const Call& call);

  /// The call itself if its routine asks; otherwise those of its calls that do, and of theirs (dormhr: one of dormqr; dgesvd: one of dgebrd,
  /// and of dorgqr through dorgbr). Equal ones come once; none if nothing in there asks.
  std::vector<AskingCall> asking_calls(const Call& call);

  /// The files that dgemm and dgeqrf really came from.
  [[nodiscard]] const LibraryFiles& loaded() const;

 private:
  void add_asking_calls(const Call& call, bool keeps_work_sizes, std::vector<Call>& seen, std::vector<AskingCall>& asking);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace flopcast::interpose
