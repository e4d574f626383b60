#include "flopcast/protocol/recorder_protocol.hpp"

#include "flopcast/support/socket_bytes.hpp"

namespace flopcast::protocol {

std::uint64_t protocol_digest() { return catalogue_digest() ^ (sizeof(Request) << 32U) ^ sizeof(Reply); }

bool send_reply(int socket, Reply reply, std::span<const std::byte> payload) {
  reply.payload_bytes = payload.size();
  return send_bytes(socket, &reply, sizeof reply) && send_bytes(socket, payload.data(), payload.size());
}

std::optional<Reply> receive_reply(int socket, Bytes& payload) {
  Reply reply;
  if (!receive_bytes(socket, &reply, sizeof reply)) {
    return std::nullopt;
  }
  payload.resize(reply.payload_bytes);
  if (!receive_bytes(socket, payload.data(), payload.size())) {
    return std::nullopt;
  }
  return reply;
}

}  // namespace flopcast::protocol
