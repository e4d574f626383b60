#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/protocol/recorder_protocol.hpp"

namespace flopcast::program {

/// Files of the libraries that a program or a recording loads. machine::locate finds them by name.
struct LibraryFiles {
  std::filesystem::path blas;
  std::filesystem::path lapack;  ///< empty: the LAPACK in the BLAS library
  bool wide = false;             ///< for programs that load libblas64.so.3 and liblapack64.so.3, whose integers have 64 bits
  friend bool operator==(const LibraryFiles&, const LibraryFiles&) = default;
};

/// A call whose routine queries ilaenv for its block size, and the query. The call has no addresses. It has work sizes only if the call
/// that contains it has one.
struct TunableCall {
  Call call;
  protocol::BlockSizeQuery query;
};

/// Records the kernel calls of real LAPACK routines in a child process, into which the recording library is loaded before BLAS and LAPACK.
/// One child serves any number of recordings. A Recorder is not for use from several threads at once.
class Recorder {
 public:
  /// Starts the child and loads the libraries. Throws environment_error if either fails.
  explicit Recorder(const LibraryFiles& libraries);
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();

  /// Returns the outermost catalogue calls made by `call`'s routine (dgeqrf: dgeqr2, dlarft, dlarfb), at virtual addresses, with
  /// allocations named by the argument ("A", "tau", "work"). Addresses in `call` are not used; a work size of 0 becomes the optimum that
  /// the routine reports. `blocks` is ilaenv's answer to the routine; without it LAPACK's own values hold. The kernels get the call's
  /// number of threads.
  /// Throws environment_error if the library lacks the routine or the child dies, bad_input if the routine refuses its arguments
  /// (negative info).
  Trace record(const Call& call, const std::optional<algorithm::BlockParameters>& blocks, protocol::Mode mode = protocol::Mode::skip);

  /// Returns the call with work sizes of 0 replaced by the optimum that the routine reports.
  Call with_work_sizes(const Call& call);

  /// Returns the query that the library's routine makes in such a call; nothing if it makes none (OpenBLAS's own potrf).
  std::optional<protocol::BlockSizeQuery> block_size_query(const Call& call);

  /// Returns the call itself if its routine queries ilaenv; otherwise the calls within it that do, at any depth. Examples are dormhr, with
  /// one call of dormqr, and dgesvd, with one of dgebrd and one of dorgqr through dorgbr. Equal calls are returned once. The result is
  /// empty if no call queries.
  std::vector<TunableCall> tunable_calls(const Call& call);

  /// Returns the files that dgemm and dgeqrf really came from.
  [[nodiscard]] const LibraryFiles& loaded() const;

 private:
  void add_tunable_calls(const Call& call, bool keeps_work_sizes, std::vector<Call>& seen, std::vector<TunableCall>& tunable);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace flopcast::program
