#include "flopcast/protocol/smpi_options.hpp"

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::protocol {

namespace {

/// Calls `visit` with the name in the text and the value of every option.
template <class Options, class Visit>
void for_each_option(Options& options, Visit visit) {
  visit("result", options.result);
  visit("times", options.times);
  visit("max_traced_calls", options.max_traced_calls);
  visit("eager_bytes", options.eager_bytes);
  visit("flops_per_second", options.flops_per_second);
  visit("only_kernels", options.only_kernels);
}

}  // namespace

std::string to_text(const SmpiOptions& options) {
  nlohmann::json document;
  for_each_option(options, [&document](const char* name, const auto& value) { document[name] = value; });
  return document.dump();
}

SmpiOptions parse_smpi_options(const std::string& text) {
  try {
    const nlohmann::json document = nlohmann::json::parse(text);
    SmpiOptions options;
    for_each_option(options, [&document](const char* name, auto& value) { read_member(document, name, value); });
    return options;
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("{} has a value that flopcast did not write: {}", smpi_options_variable, reason(error));
  }
}

}  // namespace flopcast::protocol
