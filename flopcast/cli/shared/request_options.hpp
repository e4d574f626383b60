#pragma once

#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/support/field.hpp"

/// Options that are made of the tables of requests, of which requests in JSON are made, too.
namespace flopcast::cli {

/// Adds an option for each member of a request that has one: --time-budget for time_budget. Required members are arguments without dashes.
/// The value that the member has by now is shown as the default. `structure` must outlive the parsing.
void add_members(OptionSet& command, const Fields& fields, void* structure);

template <class Request>
void add_request(OptionSet& command, Request& request) {
  add_members(command, fields_of<Request>(), &request);
}

}  // namespace flopcast::cli
