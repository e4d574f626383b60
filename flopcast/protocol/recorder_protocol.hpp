#pragma once

/// Messages between Recorder and its child process over a socket. Both are of one build, so values travel as they lie in memory. The
/// child's first message is protocol_digest(), by which the parent checks that.
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/protocol/call_bytes.hpp"

namespace flopcast::protocol {

/// Treatment of the kernel calls that a recording intercepts.
enum class Mode : std::uint8_t {
  /// The kernel isn't executed. Outputs that steer control flow are set as the catalogue says; no matrix is touched.
  skip,
  observe,    ///< the kernel is executed and timed on safe operands
  only_sizes  ///< the routine isn't called beyond the queries of its workspaces
};

/// A routine's query of ilaenv for its block size, under its own name or a borrowed one (borrowed_name.hpp).
struct BlockSizeQuery {
  std::string options;                 ///< the query's letters without blanks, not always the routine's flags: "L", "LT", or none
  std::int64_t m = 0, n = 0;           ///< the first two sizes; n = -1 if there is only one
  algorithm::BlockParameters answers;  ///< the answers of LAPACK's own ilaenv
  friend bool operator==(const BlockSizeQuery&, const BlockSizeQuery&) = default;
};

/// The child's end of the socket.
inline constexpr int recorder_socket = 3;

/// Parent to child: a request to record one call.
struct Request {
  std::uint32_t routine = 0;  ///< index in the catalogue
  Mode mode = Mode::skip;
  bool has_blocks = false;
  algorithm::BlockParameters blocks;
  std::array<std::int64_t, Call::max_arguments> arguments{};
  decltype(Call::scalars) scalars{};
};

/// Child to parent, followed by `payload_bytes`: recorded calls, or the text of an error.
struct Reply {
  std::int32_t error = 0;                                     ///< an ExitCode; 0: all went well
  std::int32_t info = 0;                                      ///< the routine's info
  std::int32_t integer_bytes = 4;                             ///< width of the library's integers
  std::int64_t dropped = 0;                                   ///< calls that found no room
  std::int64_t queries = 0;                                   ///< number of the routine's block size queries
  algorithm::BlockParameters answers;                         ///< the answer that the routine got, or would have got
  std::array<char, 9> options{};                              ///< options of its first query, ended by a zero
  std::int64_t query_m = 0, query_n = 0;                      ///< the first two sizes of its first query
  std::array<std::int64_t, Call::max_arguments> arguments{};  ///< arguments of the call as it was made, with addresses and work sizes
  std::uint64_t payload_bytes = 0;
};

/// Returns a digest of the data that both sides must have alike: the catalogue and the sizes of messages.
std::uint64_t protocol_digest();

bool send_reply(int socket, Reply reply, std::span<const std::byte> payload);
std::optional<Reply> receive_reply(int socket, Bytes& payload);

}  // namespace flopcast::protocol
