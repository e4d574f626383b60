#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "flopcast/program/profile.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"

/// Tuned block sizes for programs into which no library can be preloaded.
namespace flopcast {

struct IlaenvRequest {
  std::string profile, blas;
  std::optional<int> threads;
  program::SourceLanguage language = program::SourceLanguage::fortran;
};
template <>
Fields FieldTable<IlaenvRequest>::fields();

/// The exported source with the place that its block sizes hold for.
struct IlaenvExport {
  program::IlaenvSource source;
  program::SourceLanguage language = program::SourceLanguage::fortran;
  std::string cpu, place;  ///< "openblas 0.3.21 with 1 thread, LAPACK reference 3.11.0"
  friend bool operator==(const IlaenvExport&, const IlaenvExport&) = default;
};

/// Returns a source of LAPACK's ilaenv with the tuned block sizes of a profile, for programs that are linked statically. Throws bad_input
/// if there is no profile, or it has no entry for the BLAS and the threads that the request names.
IlaenvExport export_ilaenv(const IlaenvRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-ilaenv-1", ...}.
std::string to_json(const IlaenvExport& exported);
IlaenvExport ilaenv_export_from_json(std::string_view text);

}  // namespace flopcast
