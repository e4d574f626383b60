#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/interpose/block_question.hpp"
#include "flopcast/interpose/call_bytes.hpp"

/// What Recorder and its child process say to each other over a socket. Both are of one build, so values travel as they lie in memory; the
/// child's first word is protocol_digest(), by which the parent knows.
namespace flopcast::interpose {

/// The child's end of the socket.
inline constexpr int recorder_socket = 3;

/// Parent to child: record one call.
struct Request {
  std::uint32_t routine = 0;  ///< index in the catalogue
  Mode mode = Mode::skip;
  bool has_blocks = false;
  algorithm::BlockParameters blocks;
  std::array<std::int64_t, Call::most_arguments> arguments{};
  decltype(Call::scalars) scalars{};
};

/// Child to parent, followed by `payload_bytes`: recorded calls, or the text of an error.
struct Reply {
  std::int32_t error = 0;          ///< an ExitCode; 0: all went well
  std::int32_t info = 0;           ///< of the routine
  std::int32_t integer_bytes = 4;  ///< of the library's integers
  std::int64_t dropped = 0;
  std::int64_t questions = 0;                                  ///< how often the routine asked for its block size
  algorithm::BlockParameters answers;                          ///< what it was told, or would have been
  std::array<char, 9> options{};                               ///< of its first question, ended by a zero
  std::int64_t question_m = 0, question_n = 0;                 ///< the first two sizes of its first question
  std::array<std::int64_t, Call::most_arguments> arguments{};  ///< of the call as it was made: addresses, work sizes
  std::uint64_t payload_bytes = 0;
};

/// Of what both sides must have alike: the catalogue and the size of messages.
std::uint64_t protocol_digest();

bool send_reply(int socket, Reply reply, std::span<const std::byte> payload);
std::optional<Reply> receive_reply(int socket, Bytes& payload);

}  // namespace flopcast::interpose
