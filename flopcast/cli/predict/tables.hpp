#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/cli/command.hpp"
#include "flopcast/predict/predict.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/tasks/programs/predict_subjects.hpp"

/// What `flopcast predict` shows.
namespace flopcast::cli {

/// A subject, which must outlive it, and its prediction.
using Forecast = std::pair<const PredictSubject*, prediction::Prediction>;

/// A row per forecast.
report::Table summary_table(const std::vector<Forecast>& forecasts);

/// Two tables, by kernel and by call; the prediction must hold its calls.
std::string explanation(const Forecast& forecast, const CommonOptions& common);

/// With `explain`, every call too.
nlohmann::json to_json(const Forecast& forecast, bool explain);

}  // namespace flopcast::cli
