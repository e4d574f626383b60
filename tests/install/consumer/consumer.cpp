#include <cstdio>

#include "flopcast/core/call.hpp"
#include "flopcast/kernel/catalogue.hpp"

int main() {
  const flopcast::Routine* dgemm = flopcast::kernel::find("dgemm");
  if (dgemm == nullptr) {
    std::puts("the catalogue has no dgemm");
    return 1;
  }
  std::printf("%s: %s\n", dgemm->name.c_str(), dgemm->operation.c_str());
  return 0;
}
