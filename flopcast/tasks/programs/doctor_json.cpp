#include <array>
#include <cstddef>
#include <utility>

#include "flopcast/core/documents.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"

namespace flopcast {

template <>
struct EnumNames<FindingCause> {
  using C = FindingCause;
  static constexpr std::array names{std::pair{C::too_many_threads, "too_many_threads"},
                                    std::pair{C::nested_threads, "nested_threads"},
                                    std::pair{C::threads_slow, "threads_slow"},
                                    std::pair{C::threads_unused, "threads_unused"},
                                    std::pair{C::other_programs, "other_programs"},
                                    std::pair{C::reference_blas, "reference_blas"},
                                    std::pair{C::misread_kernels, "misread_kernels"},
                                    std::pair{C::several_blas, "several_blas"},
                                    std::pair{C::block_sizes, "block_sizes"},
                                    std::pair{C::small_calls, "small_calls"},
                                    std::pair{C::slower_driver, "slower_driver"},
                                    std::pair{C::operand_layout, "operand_layout"},
                                    std::pair{C::contraction_without_blas, "contraction_without_blas"},
                                    std::pair{C::first_calls, "first_calls"},
                                    std::pair{C::denormals, "denormals"},
                                    std::pair{C::invalid_numbers, "invalid_numbers"}};
};

std::string to_string(FindingCause cause) { return EnumNames<FindingCause>::names.at(static_cast<std::size_t>(cause)).second; }

template <>
Fields FieldTable<Finding>::fields() {
  return {field<&T::cause>("kind of the cause"),
          field<&T::what>("the cause in words"),
          field<&T::evidence>("measured facts that it rests on"),
          field<&T::remedy>("command that mends it, or what to change in the program"),
          field<&T::seconds>("recorded time that it is about"),
          field<&T::gain>("95 % interval of the time that the remedy saves; from 0 where only a limit is known")
              .named("gain_seconds")
              .measured_in("s", Best::large)};
}

template <>
Fields FieldTable<OwnCodePlace>::fields() {
  return {field<&T::where>("line or function"), field<&T::seconds>("CPU time of the program there")};
}

template <>
Fields FieldTable<ProgramDiagnosis>::fields() {
  return {inherited_fields<T, program::RecordedRun>(),
          field<&T::exit_code>("the program's own, or 128 plus the signal that ended it"),
          field<&T::recorded>("where the program was recorded"),
          field<&T::calls>("number of calls of BLAS and LAPACK"),
          field<&T::call_seconds>("time in BLAS and LAPACK, all threads together"),
          field<&T::own_code_seconds>("time outside of BLAS and LAPACK in the thread with the longest time in calls"),
          field<&T::probed_seconds>("CPU time outside of BLAS and LAPACK that probes found in the main thread and in threads with calls"),
          field<&T::own_code>("places with 2 % or more of this CPU time, by falling time"),
          field<&T::findings>("causes of lost time, by falling gain"),
          field<&T::examined>("changes that were examined and don't pay, or can't be predicted, with the reason"),
          field<&T::warnings>("remarks that the reader must know first")};
}

std::string to_json(const ProgramDiagnosis& diagnosis) { return to_document(diagnosis, "flopcast-diagnosis-1").dump(2); }
ProgramDiagnosis program_diagnosis_from_json(std::string_view text) {
  return from_document<ProgramDiagnosis>(text, "diagnosis", "flopcast-diagnosis-1");
}
PublishedSchema diagnosis_schema() { return published<ProgramDiagnosis>("flopcast-diagnosis-1", "What makes a program slow"); }

}  // namespace flopcast
