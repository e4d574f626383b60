#include "flopcast/support/socket_bytes.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <thread>
#include <vector>

namespace flopcast {
namespace {

class SocketBytes : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  void TearDown() override {
    close_end(0);
    close_end(1);
  }
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) {
      close(ends_[end]);
      ends_[end] = -1;
    }
  }

  std::array<int, 2> ends_ = {-1, -1};
};

/// A message larger than a socket's buffer, so that neither side transfers it in one step.
TEST_F(SocketBytes, DeliverLongMessagesCompletely) {
  std::vector<unsigned char> sent(3U << 20U);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    sent[i] = static_cast<unsigned char>(i * 31);
  }
  bool all_sent = false;
  std::thread sender([&] { all_sent = send_bytes(ends_[0], sent.data(), sent.size()); });
  std::vector<unsigned char> received(sent.size());
  EXPECT_TRUE(receive_bytes(ends_[1], received.data(), received.size()));
  sender.join();
  EXPECT_TRUE(all_sent);
  EXPECT_EQ(received, sent);
}

TEST_F(SocketBytes, ReportAClosedConnection) {
  std::array<char, 8> bytes{};
  ASSERT_TRUE(send_bytes(ends_[0], bytes.data(), 4));
  close_end(0);
  EXPECT_FALSE(receive_bytes(ends_[1], bytes.data(), bytes.size()));
  EXPECT_FALSE(send_bytes(ends_[1], bytes.data(), bytes.size()));
}

}  // namespace
}  // namespace flopcast
