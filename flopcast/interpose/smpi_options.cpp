#include "flopcast/interpose/smpi_options.hpp"

#include <nlohmann/json.hpp>

#include "flopcast/core/error.hpp"

namespace flopcast::interpose {

std::string to_text(const SmpiOptions& options) {
  const nlohmann::json document = {{"result", options.result},
                                   {"times", options.times},
                                   {"most_traced_calls", options.most_traced_calls},
                                   {"eager_bytes", options.eager_bytes},
                                   {"flops_per_second", options.flops_per_second},
                                   {"only_kernels", options.only_kernels}};
  return document.dump();
}

SmpiOptions parse_smpi_options(const std::string& text) {
  try {
    const nlohmann::json document = nlohmann::json::parse(text);
    SmpiOptions options;
    document.at("result").get_to(options.result);
    document.at("times").get_to(options.times);
    document.at("most_traced_calls").get_to(options.most_traced_calls);
    document.at("eager_bytes").get_to(options.eager_bytes);
    document.at("flops_per_second").get_to(options.flops_per_second);
    document.at("only_kernels").get_to(options.only_kernels);
    return options;
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("{} has a value that flopcast did not write: {}", smpi_options_variable, error.what());
  }
}

}  // namespace flopcast::interpose
