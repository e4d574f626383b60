#pragma once

#include <cstddef>

/// Whole messages over a stream socket between two processes of flopcast. The functions throw no errors: the caller explains why the other
/// side has closed the connection.
namespace flopcast {

/// Sends all bytes; returns false if the other side has closed the connection.
bool send_bytes(int socket, const void* data, std::size_t bytes);
/// Receives exactly `bytes`; returns false if the other side closes the connection before.
bool receive_bytes(int socket, void* data, std::size_t bytes);

}  // namespace flopcast
