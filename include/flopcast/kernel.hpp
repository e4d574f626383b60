#pragma once

/// The catalogue of BLAS and LAPACK routines: flops, sizes and operands of a call, calling any routine by name.
#include "flopcast/core/call.hpp"
#include "flopcast/core/routine.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/kernel/invoke.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/kernel/routine_problem.hpp"
