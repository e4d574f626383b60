#pragma once

#include <vector>

#include "flopcast/cli/shared/columns.hpp"

/// All columns of the tables of each command, for `flopcast columns`.
namespace flopcast::cli {

std::vector<TableColumns> machine_tables();
std::vector<TableColumns> tune_tables();
std::vector<TableColumns> rank_tables();
std::vector<TableColumns> contract_tables();
std::vector<TableColumns> roofline_tables();
std::vector<TableColumns> compare_tables();
std::vector<TableColumns> run_tables();
std::vector<TableColumns> record_tables();
std::vector<TableColumns> doctor_tables();
std::vector<TableColumns> profile_tables();
std::vector<TableColumns> race_tables();
std::vector<TableColumns> scale_tables();
std::vector<TableColumns> verify_tables();
std::vector<TableColumns> sample_tables();
std::vector<TableColumns> predict_tables();
std::vector<TableColumns> trace_tables();
std::vector<TableColumns> model_tables();
std::vector<TableColumns> mpi_tables();
std::vector<TableColumns> wisdom_tables();
std::vector<TableColumns> schema_tables();
std::vector<TableColumns> columns_tables();

}  // namespace flopcast::cli
