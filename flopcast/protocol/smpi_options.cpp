#include "flopcast/protocol/smpi_options.hpp"

#include "flopcast/protocol/option_text.hpp"

namespace flopcast {

template <>
Fields FieldTable<protocol::SmpiOptions>::fields() {
  return {field<&T::result>(),           field<&T::times>(),       field<&T::max_traced_calls>(), field<&T::eager_bytes>(),
          field<&T::flops_per_second>(), field<&T::only_kernels>()};
}

namespace protocol {

std::string to_text(const SmpiOptions& options) { return nlohmann::json(options).dump(); }

SmpiOptions parse_smpi_options(const std::string& text) { return options_in<SmpiOptions>(text, smpi_options_variable); }

}  // namespace protocol
}  // namespace flopcast
