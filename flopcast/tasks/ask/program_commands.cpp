#include <vector>

#include "flopcast/tasks/ask/command.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/programs/predict.hpp"
#include "flopcast/tasks/programs/programs.hpp"

namespace flopcast {

std::vector<Command> program_commands() {
  return {
      command<PredictRequest>("predict", "Predict the time of a LAPACK routine without running it", "flopcast-predict-2",
                              DoneIn::any_process,
                              [](const Workbench& bench, const PredictRequest& request, const RunContext& context) {
                                return predict(bench, request, context);
                              }),
      command<PredictTraceRequest>("predict_trace", "Predict the trace of a routine, or the threads of a recorded program",
                                   "flopcast-predict-2", DoneIn::own_process,
                                   [](const Workbench& bench, const PredictTraceRequest& request, const RunContext& context) {
                                     return predict_trace(bench, request, context);
                                   }),
      command<TraceRequest>("trace", "Record the kernel calls of a LAPACK routine", "flopcast-trace-1", DoneIn::own_process,
                            [](const Workbench& bench, TraceRequest request, const RunContext& context) {
                              request.blas = bench.choice().blas;
                              request.lapack = bench.choice().lapack;
                              return record_trace(request, context);
                            }),
      command<RecordRequest>(
          "record", "Run a program and record its BLAS and LAPACK calls", "flopcast-recording-1", DoneIn::with_program,
          [](const Workbench&, const RecordRequest& request, const RunContext& context) { return record_program(request, context); }),
      command<RecordingRequest>("recording", "Read a recording", "flopcast-recording-1", DoneIn::any_process,
                                [](const Workbench&, const RecordingRequest& request, const RunContext&) {
                                  return read_recording(request.file, request.events);
                                }),
      command<ProfileRequest>(
          "profile", "Sum up a recording and predict changes", "flopcast-program-profile-2", DoneIn::own_process,
          [](const Workbench&, const ProfileRequest& request, const RunContext& context) { return profile_program(request, context); }),
      command<TimelineRequest>(
          "export_timeline", "Return the calls of a recording as trace events of Chrome and Perfetto", "flopcast-timeline-1",
          DoneIn::any_process,
          [](const Workbench&, const TimelineRequest& request, const RunContext& context) { return export_timeline(request, context); }),
      command<DoctorRequest>(
          "doctor", "Run a program once, and list what makes it slow and what mends that", "flopcast-diagnosis-1", DoneIn::with_program,
          [](const Workbench&, const DoctorRequest& request, const RunContext& context) { return diagnose_program(request, context); }),
      command<ExtractRequest>(
          "extract", "Return a program in C that repeats the calls that matter in a recording", "flopcast-extract-1", DoneIn::any_process,
          [](const Workbench&, const ExtractRequest& request, const RunContext& context) { return extract_calls(request, context); }),
      command<ScaleRequest>(
          "scale", "Predict a program's time for a larger parameter from recordings", "flopcast-scale-1", DoneIn::own_process,
          [](const Workbench&, const ScaleRequest& request, const RunContext& context) { return scale_program(request, context); }),
      command<RunRequest>(
          "run", "Run a program whose LAPACK uses the tuned block sizes", "flopcast-run-2", DoneIn::with_program,
          [](const Workbench&, const RunRequest& request, const RunContext& context) { return run_program(request, context); }),
      command<RaceRequest>("race", "Race commands: which of them is faster than the first", "flopcast-race-1", DoneIn::own_process,
                           [](const Workbench& bench, const RaceRequest& request, const RunContext& context) {
                             return race_commands(bench, request, context);
                           }),
      command<ProgramTuneRequest>("tune_program", "Choose the parameters of a program by dry runs and models of its kernels",
                                  "flopcast-program-tuning-1", DoneIn::own_process,
                                  [](const Workbench& bench, const ProgramTuneRequest& request, const RunContext& context) {
                                    return tune_program(bench, request, context);
                                  }),
      command<VerifyRequest>("verify", "Verify that the results of BLAS and LAPACK libraries are right", "flopcast-verification-1",
                             DoneIn::own_process,
                             [](const Workbench& bench, const VerifyRequest& request, const RunContext& context) {
                               return verify_libraries(bench, request, context);
                             }),
  };
}

}  // namespace flopcast
