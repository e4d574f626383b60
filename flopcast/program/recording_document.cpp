#include "flopcast/program/recording_document.hpp"

#include <tuple>

#include "flopcast/support/json.hpp"

namespace flopcast {

using program::RecordingDocument;

template <>
struct FieldTable<RecordingDocument::Machine> {
  static constexpr auto fields = std::tuple(optional_field("cpu", &RecordingDocument::Machine::cpu),
                                            optional_field("cores", &RecordingDocument::Machine::cores, "0: not known"));
};

template <>
struct FieldTable<RecordingDocument> {
  static constexpr auto fields =
      std::tuple(field("command", &RecordingDocument::command),
                 optional_field("folder", &RecordingDocument::folder, "folder in which the program was started"),
                 optional_field("dry_run", &RecordingDocument::dry_run), optional_field("machine", &RecordingDocument::machine),
                 optional_field("threads", &RecordingDocument::threads, "threads of BLAS, if the recording set them"),
                 optional_field("thread_variables", &RecordingDocument::thread_variables,
                                "variables of the program's environment that set the threads of a BLAS, such as BLIS_NUM_THREADS"));
};

}  // namespace flopcast

namespace flopcast::program {

std::string to_json(const RecordingDocument& document) {
  return to_document(document, recording_document_name).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

PublishedSchema recording_document_schema() {
  return published<RecordingDocument>(recording_document_name, "Beginning of a recording's file, before the calls");
}

}  // namespace flopcast::program
