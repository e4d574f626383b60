// Lists the kernel calls of LAPACK's QR factorisation, without a matrix and without running the factorisation.
//   for      developers who ask what a routine consists of
//   build    cmake --build --preset check --target example_record_algorithm
//   run      build/check/bin/example_record_algorithm 1000 64
//   read     docs/explanation/recording.md

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <string>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/error.hpp"

int main(int argc, char** argv) {
  using namespace flopcast;
  if (argc != 3) {
    fmt::print(stderr, "usage: {} N NB\n", argv[0]);
    return 2;
  }
  try {
    const Call qr = kernel::parse_call(kernel::require("dgeqrf"), {{"m", argv[1]}, {"n", argv[1]}});
    const Trace trace = algorithm::record(qr, {.nb = std::stoi(argv[2]), .nbmin = 2, .nx = 0});

    struct Share {
      std::int64_t calls = 0;
      double flops = 0;
    };
    std::map<std::string, Share> shares;
    const double total = flops(trace);
    for (const Call& call : trace.calls) {
      Share& share = shares[call.routine->name];
      ++share.calls;
      share.flops += flops(call);
    }
    for (const auto& [routine, share] : shares) {
      fmt::print("{:<8} {:5} calls {:6.2f} % of all flops\n", routine, share.calls, 100 * share.flops / total);
    }
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
