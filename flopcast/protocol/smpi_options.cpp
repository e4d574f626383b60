#include "flopcast/protocol/smpi_options.hpp"

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::protocol {

std::string to_text(const SmpiOptions& options) {
  const nlohmann::json document = {{"result", options.result},
                                   {"times", options.times},
                                   {"max_traced_calls", options.max_traced_calls},
                                   {"eager_bytes", options.eager_bytes},
                                   {"flops_per_second", options.flops_per_second},
                                   {"only_kernels", options.only_kernels}};
  return document.dump();
}

SmpiOptions parse_smpi_options(const std::string& text) {
  try {
    const nlohmann::json document = nlohmann::json::parse(text);
    SmpiOptions options;
    read_member(document, "result", options.result);
    read_member(document, "times", options.times);
    read_member(document, "max_traced_calls", options.max_traced_calls);
    read_member(document, "eager_bytes", options.eager_bytes);
    read_member(document, "flops_per_second", options.flops_per_second);
    read_member(document, "only_kernels", options.only_kernels);
    return options;
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("{} has a value that flopcast did not write: {}", smpi_options_variable, reason(error));
  }
}

}  // namespace flopcast::protocol
