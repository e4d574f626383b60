#include "flopcast/program/recording_document.hpp"

#include "flopcast/support/fields.hpp"

namespace flopcast {

using program::RecordingDocument;

template <>
Fields FieldTable<program::RecordedMachine>::fields() {
  return {optional_field<&T::cpu>("CPU of the machine; empty: not known"), optional_field<&T::cores>("cores of the machine; 0: not known")};
}

template <>
Fields FieldTable<RecordingDocument>::fields() {
  return {field<&T::command>("program and its arguments"),
          optional_field<&T::folder>("folder in which the program was started"),
          optional_field<&T::dry_run>("calls that compute much were skipped"),
          optional_field<&T::machine>("machine of the recording"),
          optional_field<&T::threads>("threads of BLAS, if the recording set them"),
          optional_field<&T::thread_variables>(
              "variables of the program's environment that set the threads of a BLAS, such as BLIS_NUM_THREADS")};
}

}  // namespace flopcast

namespace flopcast::program {

std::string to_json(const RecordingDocument& document) {
  return to_document(document, recording_document_name).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

RecordingDocument recording_document_from_json(std::string_view text, const std::string& name) {
  return from_document<RecordingDocument>(text, name, {recording_document_name});
}

PublishedSchema recording_document_schema() {
  return published<RecordingDocument>(recording_document_name, "Beginning of a recording's file, before the calls");
}

}  // namespace flopcast::program
