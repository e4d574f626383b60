#include "flopcast/protocol/mpi_options.hpp"

#include "flopcast/protocol/mpi_profile_fields.hpp"
#include "flopcast/protocol/option_text.hpp"

namespace flopcast {

template <>
Fields FieldTable<protocol::MpiOptions>::fields() {
  using P = selective::TimePrecision;
  return {field<&T::clock>(),
          field<&T::policy>(),
          field<&T::precision, &P::tolerance>().named("time_precision"),
          field<&T::precision, &P::confidence>(),
          field<&T::precision, &P::min_count>(),
          field<&T::across_sizes>(),
          field<&T::windows>(),
          field<&T::thread_multiple>(),
          field<&T::profile>(),
          field<&T::prior_profile>(),
          field<&T::executions>(),
          field<&T::results>(),
          field<&T::progress>(),
          field<&T::max_events>()};
}

namespace protocol {

std::string to_text(const MpiOptions& options) { return nlohmann::json(options).dump(); }

MpiOptions parse_mpi_options(const std::string& text) { return options_in<MpiOptions>(text, mpi_options_variable); }

}  // namespace protocol
}  // namespace flopcast
