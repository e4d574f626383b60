#include "flopcast/program/recording_document.hpp"

#include "flopcast/support/fields.hpp"

namespace flopcast {

using program::RecordingDocument;

template <>
Fields FieldTable<RecordingDocument::Machine>::fields() {
  return {optional_field<&T::cpu>(), optional_field<&T::cores>("0: not known")};
}

template <>
Fields FieldTable<RecordingDocument>::fields() {
  return {field<&T::command>(),
          optional_field<&T::folder>("folder in which the program was started"),
          optional_field<&T::dry_run>(),
          optional_field<&T::machine>(),
          optional_field<&T::threads>("threads of BLAS, if the recording set them"),
          optional_field<&T::thread_variables>(
              "variables of the program's environment that set the threads of a BLAS, such as BLIS_NUM_THREADS")};
}

}  // namespace flopcast

namespace flopcast::program {

std::string to_json(const RecordingDocument& document) {
  return to_document(document, recording_document_name).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

PublishedSchema recording_document_schema() {
  return published<RecordingDocument>(recording_document_name, "Beginning of a recording's file, before the calls");
}

}  // namespace flopcast::program
