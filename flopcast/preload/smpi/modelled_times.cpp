#include "flopcast/preload/smpi/modelled_times.hpp"

#include <fstream>

#include <nlohmann/json.hpp>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/protocol/smpi_options.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::preload::smpi {

ModelledTimes ModelledTimes::read(const std::string& file) {
  ModelledTimes times;
  if (file.empty()) {
    return times;
  }
  try {
    std::ifstream stream(file);
    const nlohmann::json document = nlohmann::json::parse(stream);
    if (document.at("schema") != protocol::smpi_times_schema) {
      throw bad_input("{} has the schema {}, not {}", file, document.at("schema").dump(), protocol::smpi_times_schema);
    }
    for (const nlohmann::json& kernel : document.at("kernels")) {
      const auto index = &kernel::require(member<std::string>(kernel, "routine")) - kernel::catalogue().data();
      selective::KernelKey key{selective::KernelKind::computation, static_cast<std::uint32_t>(index), {}};
      read_member(kernel, "words", key.words);
      times.seconds_[key] = member<double>(kernel, "seconds");
    }
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("{} holds no times of kernels: {}", file, reason(error));
  }
  return times;
}

std::optional<Seconds> ModelledTimes::find(const selective::KernelKey& key) const {
  const auto found = seconds_.find(key);
  return found == seconds_.end() ? std::nullopt : std::optional<Seconds>(found->second);
}

Seconds ModelledTimes::nominal(double flops) noexcept {
  constexpr double flops_per_second = 2e10;
  constexpr Seconds call = 5e-7;
  return call + flops / flops_per_second;
}

}  // namespace flopcast::preload::smpi
