#pragma once

#include <cstddef>

#include "flopcast/support/descriptor.hpp"

/// Whole messages over a stream socket between two processes of flopcast. The functions throw no errors: the caller explains why the other
/// side has closed the connection.
namespace flopcast {

/// Two sockets that are connected with each other.
struct SocketPair {
  Descriptor ours, theirs;
};

/// Makes two connected sockets, which programs that this process starts don't inherit. Throws environment_error.
[[nodiscard]] SocketPair make_socket_pair();

/// Sends all bytes; returns false if the other side has closed the connection.
bool send_bytes(int socket, const void* data, std::size_t bytes);
/// Receives exactly `bytes`; returns false if the other side closes the connection before.
bool receive_bytes(int socket, void* data, std::size_t bytes);

}  // namespace flopcast
