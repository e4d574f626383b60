#include <cstdio>
#include <string>

#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/kernel/catalogue.hpp"
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
  std::printf("%s: %s\n", dgemm->name.c_str(), dgemm->operation.c_str());
  return 0;
}
