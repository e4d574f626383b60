#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/own_folder.hpp"

namespace flopcast::tests {

/// Tests whose commands run in a folder of their own, which is flopcast's home too.
class OwnHome : public ::testing::Test {
 protected:
  Result run(const std::string& command) { return run_in(own_.path(), "export FLOPCAST_HOME=.; " + command); }

  OwnFolder own_;
};

}  // namespace flopcast::tests
