#pragma once

/// flopcast: know how fast dense linear algebra will run, before it runs. One function for each command:
///
///     flopcast::Workbench bench({.blas = "openblas-serial"});
///     const flopcast::Tuning tuning = flopcast::tune(bench, "dgeqrf", {.n = {1000, 2000}});
///
/// Functions take requests and return values in SI units. to_json() of a result gives a document, which <result>_from_json() reads back.
/// Long commands take a RunContext for remarks, progress and cancellation. Errors are thrown as flopcast::Error.
#include "flopcast/support/exception.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/ask/ask.hpp"
#include "flopcast/tasks/comparison/comparison.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/tasks/modelling/machine_report.hpp"
#include "flopcast/tasks/modelling/model_check.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/programs/predict.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/programs/wisdom.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"
#include "flopcast/workbench/workbench.hpp"
