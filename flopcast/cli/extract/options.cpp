#include <memory>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/tasks/programs/advice.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(The program needs nothing but BLAS and LAPACK. It prints recorded and repeated times; its first comment says how to
build and run it.

Examples:
  flopcast extract flopcast.trace --output calls.c && cc -O2 calls.c -o calls -lopenblas && ./calls
  flopcast extract flopcast.trace --worst 5 --worst-by rate --anonymous --output calls.c)";

void print_source(const ExtractRequest& request, const CommonOptions& common) {
  const ExtractedCalls extracted = extract_calls(request, run_context(common));
  if (common.json) {
    emit_document(extracted, common);
  } else {
    emit(extracted.source, common);
  }
}

}  // namespace

void add_extract_command(OptionSet& app, CommonOptions& common) {
  OptionSet command = app.add_command("extract", "Write a C program that repeats the calls that matter in a recording");
  auto request = std::make_shared<ExtractRequest>();
  add_request(command, *request);
  command.footer(footer);
  command.action([request, &common] { print_source(*request, common); });
}

}  // namespace flopcast::cli
