#include "flopcast/core/sample.hpp"

#include "flopcast/core/sample_json.hpp"

#include <cmath>
#include <utility>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast {
namespace {

char scalar_class(std::complex<double> value) {
  if (value == 0.0) {
    return '0';
  }
  if (value == 1.0) {
    return '1';
  }
  return value == -1.0 ? '-' : 'x';
}

char stride_class(Kind kind, std::int64_t value) {
  if (kind == Kind::increment) {
    return value == 1 ? '1' : 'i';
  }
  return value >= 512 && value % 512 == 0 ? 'p' : '.';
}

}  // namespace

std::string zero_sizes(const Call& call) {
  std::string names;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (call.routine->arguments[i].kind == Kind::size && call.arguments[i] == 0) {
      names += (names.empty() ? "" : ",") + call.routine->arguments[i].name;
    }
  }
  return names;
}

ModelKey model_key(const Call& call, std::string cache, std::string library) {
  ModelKey key;
  key.routine = call.routine->name;
  key.flags = flags(call);
  key.cache = std::move(cache);
  key.library = std::move(library);
  key.threads = call.threads;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Kind kind = call.routine->arguments[i].kind;
    if (kind == Kind::scalar || kind == Kind::real_scalar) {
      key.scalars.push_back(scalar_class(call.scalars[static_cast<std::size_t>(call.arguments[i])]));
    } else if (kind == Kind::leading_dimension || kind == Kind::increment) {
      key.strides.push_back(stride_class(kind, call.arguments[i]));
    }
  }
  return key;
}

std::string to_string(const ModelKey& key) {
  std::string text = key.routine;
  const auto add = [&text](const std::string& label, const std::string& part) {
    if (!part.empty()) {
      text += " " + label + part;
    }
  };
  add("", key.flags);
  add("scalars:", key.scalars);
  add("strides:", key.strides);
  add("", key.zeros.empty() ? "" : key.zeros + "=0");
  add("", key.cache);
  return text + fmt::format(" x{}", key.threads);
}

void to_json(nlohmann::json& json, const ModelKey& key) {
  json = {{"routine", key.routine}, {"flags", key.flags},     {"scalars", key.scalars}, {"strides", key.strides},
          {"cache", key.cache},     {"threads", key.threads}, {"library", key.library}};
  if (!key.zeros.empty()) {
    json["zeros"] = key.zeros;
  }
}

void from_json(const nlohmann::json& json, ModelKey& key) {
  read_member(json, "routine", key.routine);
  read_member(json, "flags", key.flags);
  read_member(json, "scalars", key.scalars);
  read_member(json, "strides", key.strides);
  key.zeros = member_or(json, "zeros", std::string());
  read_member(json, "cache", key.cache);
  read_member(json, "threads", key.threads);
  read_member(json, "library", key.library);
}

Call call_of(const Sample& sample, const std::function<const Routine*(std::string_view)>& lookup) {
  Call call;
  call.routine = lookup(sample.key.routine);
  if (call.routine == nullptr) {
    throw bad_input("the sample is of the unknown routine '{}'", sample.key.routine);
  }
  call.threads = sample.key.threads;
  std::size_t flag = 0;
  std::size_t size = 0;
  std::size_t stride = 0;
  std::size_t scalar = 0;
  const auto next = [&](const auto& values, std::size_t& at, const std::string& what) {
    if (at >= values.size()) {
      throw bad_input("sample of {} has only {} {}", sample.key.routine, values.size(), what);
    }
    return values[at++];
  };
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    switch (call.routine->arguments[i].kind) {
      case Kind::flag: call.arguments[i] = static_cast<unsigned char>(next(sample.key.flags, flag, "flags")); break;
      case Kind::sign: call.arguments[i] = next(sample.key.flags, flag, "flags") == '-' ? -1 : 1; break;
      case Kind::size: call.arguments[i] = next(sample.sizes, size, "sizes"); break;
      case Kind::leading_dimension:
      case Kind::increment: call.arguments[i] = next(sample.strides, stride, "leading dimensions and increments"); break;
      case Kind::scalar:
      case Kind::real_scalar: {
        static constexpr double any_other_value = 0.5;
        const char letter = next(sample.key.scalars, scalar, "scalars");
        call.scalars.at(scalar - 1) = letter == '0' ? 0.0 : letter == '1' ? 1.0 : letter == '-' ? -1.0 : any_other_value;
        call.arguments[i] = static_cast<std::int64_t>(scalar - 1);
        break;
      }
      default: break;
    }
  }
  return call;
}

std::vector<Seconds> Sample::times() const {
  std::vector<Seconds> all;
  for (const Repetition& repetition : repetitions) {
    if (!repetition.discarded) {
      all.push_back(repetition.normalised());
    }
  }
  return all;
}

void Sample::relate_to(Seconds reference) {
  if (reference <= 0 || state.reference <= 0) {
    return;
  }
  for (Repetition& repetition : repetitions) {
    repetition.drift *= state.reference / reference;
  }
  state.reference = reference;
}

void Sample::find_state(double added) {
  static constexpr double sessions_per_hour = 6;
  if (state.session > 0) {
    return;
  }
  state.session = std::floor(added * sessions_per_hour) / sessions_per_hour;
  std::vector<double> drifts;
  for (const Repetition& repetition : repetitions) {
    if (!repetition.discarded) {
      drifts.push_back(repetition.drift);
    }
  }
  if (!drifts.empty()) {
    relate_to(state.reference * median(drifts));
  }
}

void to_json(nlohmann::json& json, const Sample& sample) {
  nlohmann::json placement = nlohmann::json::array();
  for (const OperandState& state : sample.placement) {
    placement.push_back({{"distance_bytes", state.distance_bytes}, {"level", state.level}, {"dirty", state.dirty}});
  }
  nlohmann::json repetitions = nlohmann::json::array();
  for (const Repetition& repetition : sample.repetitions) {
    repetitions.push_back(
        {{"seconds", repetition.seconds}, {"drift", repetition.drift}, {"at", repetition.at}, {"discarded", repetition.discarded}});
  }
  json = {{"key", sample.key},
          {"sizes", sample.sizes},
          {"strides", sample.strides},
          {"placement", placement},
          {"batch", sample.batch},
          {"repetitions", repetitions},
          {"warnings", sample.warnings},
          {"reference_seconds", sample.state.reference},
          {"session", sample.state.session}};
  for (const auto& [name, value] : {std::pair("unrest", sample.state.unrest), std::pair("spread", sample.state.spread)}) {
    if (value > 0) {
      json[name] = value;
    }
  }
}

void from_json(const nlohmann::json& json, Sample& sample) {
  sample = {};
  read_member(json, "key", sample.key);
  read_member(json, "sizes", sample.sizes);
  read_member(json, "strides", sample.strides);
  read_member(json, "batch", sample.batch);
  read_member(json, "warnings", sample.warnings);
  sample.state = {member_or(json, "session", 0.0), member_or(json, "reference_seconds", 0.0), member_or(json, "unrest", 0.0),
                  member_or(json, "spread", 0.0)};
  if (json.at("placement").size() > max_operands) {
    throw MemberError("placement", fmt::format("{} operand states given, expected at most {}", json.at("placement").size(), max_operands));
  }
  for_each_element(json, "placement", [&](const nlohmann::json& state) {
    sample.placement.push_back(
        {member<std::int64_t>(state, "distance_bytes"), member<std::int8_t>(state, "level"), member<bool>(state, "dirty")});
  });
  for_each_element(json, "repetitions", [&](const nlohmann::json& repetition) {
    sample.repetitions.push_back({member<double>(repetition, "seconds"), member<double>(repetition, "drift"),
                                  member<double>(repetition, "at"), member<bool>(repetition, "discarded")});
  });
}

}  // namespace flopcast
