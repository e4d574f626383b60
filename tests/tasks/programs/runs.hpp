#pragma once

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "tests/tasks/programs/fake_run_services.hpp"

namespace flopcast::tests {

constexpr const char* fake_blis = "/lib/blis/libblis.so";

/// Runs "program" with the tuning file of fake services.
class Runs : public ::testing::Test {
 protected:
  Runs() {
    request_.command = {"program", "argument"};
    context_.note = [this](const std::string& text) { notes_.push_back(text); };
    fake_.write(FakeRunServices::tuning(fake_blis, 4, 48));
  }

  RunSettings settings() {
    notes_.clear();
    return run_settings(request_, fake_.services(), context_);
  }
  RunOutcome run() {
    notes_.clear();
    return run_program(request_, fake_.services(), context_);
  }
  /// Returns the block size returned to the program for dgeqrf of order 200; 0 for none.
  std::int64_t returned() {
    const auto blocks = tuned_block_size(settings().tuning, "dgeqrf", 200, 200);
    return blocks ? blocks->nb : 0;
  }
  std::string refusal() {
    try {
      settings();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_THROW(run(), Error);
      EXPECT_THAT(fake_.started, ::testing::IsEmpty());
      return error.what();
    }
    return "nothing thrown";
  }

  FakeRunServices fake_;
  RunRequest request_;
  RunContext context_;
  std::vector<std::string> notes_;
};

}  // namespace flopcast::tests
