#pragma once

#include <cstddef>

/// Whole messages over a stream socket between two processes of ours. No errors are thrown: that the other side has gone is for the caller
/// to explain.
namespace flopcast {

/// Sends all bytes; false if the other side has gone.
bool send_bytes(int socket, const void* data, std::size_t bytes);
/// Receives exactly so many bytes; false if the other side has gone before.
bool receive_bytes(int socket, void* data, std::size_t bytes);

}  // namespace flopcast
