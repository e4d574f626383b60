#pragma once

#include <vector>

#include "flopcast/program/recorded_run.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/schema.hpp"
#include "flopcast/tasks/programs/advice.hpp"

namespace flopcast {

/// Returns the schemas of recordings, program profiles, runs and tuning files.
std::vector<PublishedSchema> recording_schemas();
/// Returns the schemas of predictions, traces and their summaries.
std::vector<PublishedSchema> prediction_schemas();
/// Returns the schemas of files of wisdom, their lists and imports.
std::vector<PublishedSchema> wisdom_schemas();
/// Returns the schema of the variables that `flopcast env` prints.
PublishedSchema program_environment_schema();
/// Returns the schema of diagnoses.
PublishedSchema diagnosis_schema();
/// Returns the schema of races of commands.
PublishedSchema race_schema();
/// Returns the schema of tunings of programs.
PublishedSchema program_tuning_schema();
/// Returns the schema of timelines.
PublishedSchema timeline_schema();
/// Returns the schema of extracted calls.
PublishedSchema extract_schema();
/// Returns the schema of programs with larger parameters.
PublishedSchema scale_schema();
/// Returns the schema of verifications of libraries.
PublishedSchema verification_schema();
/// Returns the schema of an exported ilaenv.
PublishedSchema ilaenv_schema();

template <>
Fields FieldTable<CommandRace>::fields();
template <>
Fields FieldTable<program::RecordedRun>::fields();
template <>
Fields FieldTable<program::RecordingFacts>::fields();
template <>
Fields FieldTable<program::RecordedPlace>::fields();

}  // namespace flopcast
