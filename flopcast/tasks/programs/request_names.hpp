#pragma once

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/cache/access_distance.hpp"
#include "flopcast/predict/method.hpp"
#include "flopcast/program/ilaenv_source.hpp"
#include "flopcast/support/request_types.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/programs/wisdom.hpp"

/// Names of the choices of requests, in JSON requests and in results.
namespace flopcast {

template <>
struct EnumNames<prediction::Method> {
  using Method = prediction::Method;
  static constexpr std::array names{std::pair{Method::placed, "placed"}, std::pair{Method::levels, "levels"},
                                    std::pair{Method::paper, "paper"}, std::pair{Method::warm, "warm"}, std::pair{Method::cold, "cold"}};
};
template <>
struct EnumNames<cache::Start> {
  using Start = cache::Start;
  static constexpr std::array names{std::pair{Start::filled, "filled"}, std::pair{Start::repeated, "repeated"},
                                    std::pair{Start::artificial, "paper"}, std::pair{Start::cold, "cold"}};
};
template <>
struct EnumNames<WisdomKind> {
  static constexpr std::array names{std::pair{WisdomKind::block_sizes, "block-sizes"}, std::pair{WisdomKind::kernels, "kernels"},
                                    std::pair{WisdomKind::plans, "plans"}};
};
template <>
struct EnumNames<ExtractOrder> {
  static constexpr std::array names{std::pair{ExtractOrder::time, "time"}, std::pair{ExtractOrder::rate, "rate"}};
};
template <>
struct EnumNames<program::SourceLanguage> {
  using Language = program::SourceLanguage;
  static constexpr std::array names = {std::pair{Language::fortran, "fortran"}, std::pair{Language::c, "c"}};
};

inline void to_json(nlohmann::json& json, const ThreadCount& threads) {
  json = threads == 0 ? nlohmann::json("auto") : nlohmann::json(static_cast<int>(threads));
}
inline void from_json(const nlohmann::json& json, ThreadCount& threads) { read_number(json, threads, "a number of threads, or \"auto\""); }
template <>
struct SchemaOf<ThreadCount> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return or_text(maker, maker.of<int>(), "\"auto\""); }
};

inline void to_json(nlohmann::json& json, const WhatIf& question) { json = to_string(question); }
inline void from_json(const nlohmann::json& json, WhatIf& question) { question = parsed_text(json, parse_what_if); }
template <>
struct SchemaOf<WhatIf> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return maker.of<std::string>(); }
};

}  // namespace flopcast
