#include <cstdio>
#include <string>

#include "flopcast/contract.hpp"
#include "flopcast/flopcast.hpp"
#include "flopcast/kernel.hpp"
#include "flopcast/regions.h"

int main() {
  const flopcast::Routine* dgemm = flopcast::kernel::find("dgemm");
  if (dgemm == nullptr) {
    std::puts("the catalogue has no dgemm");
    return 1;
  }
  bool executed = false;
  if (flopcast_kernel("consumer", {1, 2})) {  // without measurement, everything is executed
    executed = true;
    flopcast_end();
  }
  if (!executed) {
    std::puts("a region was left out though nobody measures");
    return 1;
  }
  if (const std::string text = to_string(flopcast::contract::parse_notation("ai,ibc->abc")); text != "abc=ai,ibc") {
    std::printf("a contraction is read as %s\n", text.c_str());
    return 1;
  }
  flopcast::Workbench bench({.blas = "no such library"});
  try {
    flopcast::predict(bench, "dgemm", {});
    std::puts("a library that doesn't exist is opened");
    return 1;
  } catch (const flopcast::Error& error) {
    std::printf("%s: %s\n", dgemm->name.c_str(), error.what());
  }
  return 0;
}
