#include <nlohmann/json.hpp>

#include "flopcast/support/fields.hpp"
#include "flopcast/support/request_types.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"

namespace flopcast {
namespace {

constexpr const char* verification_document = "flopcast-verification-1";

}  // namespace

template <>
Fields FieldTable<VerifyRequest>::fields() {
  return {
      optional_field<&T::recording>("recording of 'flopcast record': its calls come first; empty: none").within(bounds::path_or_nothing),
      optional_field<&T::blas>("BLAS: one or several, by name or path; all: each installed one; missing: the default one")
          .within({.min_length = 1}),
      optional_field<&T::lapack>("LAPACK: reference, openblas or a path; empty: the reference").within(bounds::path_or_nothing),
      optional_field<&T::threads>(
          "threads of BLAS, one number or several; missing: 1, and the number of cores where a library can have threads")
          .within(bounds::threads),
      optional_field<&T::all_kernels>("also verify kernels that a library doesn't choose for this CPU, but that flopcast may set"),
      optional_field<&T::routines>("routines or families, such as dgemm or gemm; missing: all").within({.min_length = 1}).option("routine"),
      optional_field<&T::rounds>("rounds of generated sizes; the first 8 have sizes at edges, the others random ones")
          .within(bounds::between(0, 1e6)),
      optional_field<&T::seed>("seed of random numbers: sizes, flags and operands").rare(),
      optional_field<&T::time_budget>("time budget: for all libraries; what is verified by then is kept for the next call")
          .within(bounds::seconds),
      optional_field<&T::anonymous>("leave private names out: folders").rare(),
      optional_field<&T::reproducer>("file for a program in C that repeats the wrong calls and compares their results; empty: none")
          .within(bounds::path_or_nothing),
      optional_field<&T::restart>("begin anew where the same command was interrupted")};
}

template <>
Fields FieldTable<WrongCall>::fields() {
  return {field<&T::call>("routine and arguments"),
          field<&T::fault>("the relation that doesn't hold, or what happened instead"),
          field<&T::error>("error of the element whose error is largest against its bound; 0: nothing was compared")
              .measured_in("", Best::small),
          field<&T::bound>("bound of rounding errors of this element").measured_in("", Best::neither),
          field<&T::seed>("seed of the operands"),
          field<&T::recorded>("the call is one of the recording"),
          optional_field<&T::places>("place of each operand in a cache line of 64 bytes, in bytes")};
}

template <>
Fields FieldTable<VerifiedLibrary>::fields() {
  return {field<&T::blas>("name and version of the BLAS"),
          field<&T::lapack>("name and version of the LAPACK"),
          field<&T::file>("file of the BLAS"),
          field<&T::kernels>("kernels that the BLAS reports"),
          optional_field<&T::setting>("variable that selects these kernels; missing: the library's own choice").unless_empty(),
          field<&T::threads>("threads of the BLAS"),
          optional_field<&T::integer_bytes>("bytes of the library's integers"),
          field<&T::calls>("verified calls").measured_in("", Best::large),
          field<&T::planned>("calls of the request"),
          field<&T::done>("calls that are verified, or that the library lacks"),
          field<&T::seconds>("time of the verification").measured_in("s", Best::neither),
          field<&T::largest_share>("largest error of a right call as a share of its bound"),
          field<&T::findings>("wrong calls, three of a routine at most").measured_in("", Best::small),
          optional_field<&T::failure>("why the library couldn't be verified").unless_empty()};
}

template <>
Fields FieldTable<Verification>::fields() {
  return {field<&T::libraries>("libraries, each with its kernels and threads"),
          field<&T::not_compared>("families whose results have no comparison; their calls are made, and memory and error codes checked"),
          field<&T::remarks>("what the reader must know"),
          field<&T::is_complete>("all calls of the request were made"),
          field<&T::interrupted>("an interruption ended the verification"),
          field<&T::cpu>("model of the CPU")};
}

std::string to_json(const Verification& verification) { return to_document(verification, verification_document).dump(2); }
Verification verification_from_json(std::string_view text) {
  return from_document<Verification>(text, "verification", verification_document);
}

PublishedSchema verification_schema() {
  return published<Verification>(verification_document, "Whether the results of libraries are right");
}

}  // namespace flopcast
