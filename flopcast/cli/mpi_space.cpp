#include "flopcast/cli/mpi_space.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "flopcast/core/error.hpp"
#include "flopcast/report/file.hpp"

namespace flopcast::cli {
namespace {

using nlohmann::json;

constexpr const char* space_schema = "flopcast-mpi-space-1";

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

}  // namespace

MpiSpace read_mpi_space(const std::string& file) {
  const json document = report::read_document(file, space_schema);
  MpiSpace space;
  try {
    space.name = document.at("name").get<std::string>();
    space.launcher = document.at("launcher").get<std::vector<std::string>>();
    space.command = document.at("command").get<std::vector<std::string>>();
    for (const auto& [name, values] : document.at("parameters").items()) {
      std::vector<std::string> texts;
      for (const json& value : values) {
        texts.push_back(text_of(value));
      }
      space.parameters.emplace_back(name, std::move(texts));
    }
  } catch (const json::exception& error) {
    throw bad_input("{}: name, launcher, command and parameters are needed as 'flopcast mpi tune --help' shows them: {}", file,
                    error.what());
  }
  if (space.launcher.empty() || space.command.empty() || space.name.empty()) {
    throw bad_input("{}: name, launcher and command must not be empty", file);
  }
  for (const auto& [name, values] : space.parameters) {
    if (values.empty()) {
      throw bad_input("{}: parameter '{}' has no values", file, name);
    }
    const std::string place = '{' + name + '}';
    const auto mentions = [&](const std::string& word) { return word.find(place) != std::string::npos; };
    if (std::none_of(space.command.begin(), space.command.end(), mentions)) {
      throw bad_input("{}: parameter '{}' occurs nowhere in the command; expected {} in one of its words", file, name, place);
    }
  }
  return space;
}

std::vector<MpiSetting> settings_of(const MpiSpace& space) {
  constexpr double most = 100'000;
  double count = 1;
  for (const auto& [name, values] : space.parameters) {
    count *= static_cast<double>(values.size());
  }
  if (count > most) {
    throw bad_input("space '{}' has {:.0f} configurations; {:.0f} are the most that are tuned", space.name, count, most);
  }
  std::vector<MpiSetting> all = {{}};
  for (const auto& [name, values] : space.parameters) {
    std::vector<MpiSetting> longer;
    for (const MpiSetting& setting : all) {
      for (const std::string& value : values) {
        longer.push_back(setting);
        longer.back().emplace_back(name, value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<std::string> command_of(const MpiSpace& space, const MpiSetting& setting) {
  std::vector<std::string> words = space.command;
  for (std::string& word : words) {
    for (const auto& [name, value] : setting) {
      const std::string place = '{' + name + '}';
      for (std::size_t at = word.find(place); at != std::string::npos; at = word.find(place, at + value.size())) {
        word.replace(at, place.size(), value);
      }
    }
  }
  return words;
}

std::string text_of(const MpiSetting& setting) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : setting) {
    parts.push_back(name + '=' + value);
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace flopcast::cli
