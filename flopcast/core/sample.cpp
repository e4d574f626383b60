#include "flopcast/core/sample.hpp"

#include "flopcast/core/documents.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/error.hpp"

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

template <>
Fields FieldTable<OperandState>::fields() {
  return {field<&T::distance_bytes>("bytes touched since the operand's last access; negative if there was none"),
          field<&T::level>("cache level that holds the operand, 0 for L1; the number of levels for memory"),
          field<&T::dirty>("the operand's last access wrote it")};
}

template <>
Fields FieldTable<Repetition>::fields() {
  return {field<&T::seconds>("time of one call"), field<&T::drift>("time of the reference kernel at that moment over its usual time"),
          field<&T::at>("begin of the execution, since the session began").measured_in("s", Best::neither),
          field<&T::discarded>("the execution was disturbed and doesn't count")};
}

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

void to_json(nlohmann::json& json, const Placement& placement) {
  json = nlohmann::json::array();
  for (const OperandState& state : placement) {
    json.push_back(state);
  }
}

void from_json(const nlohmann::json& json, Placement& placement) {
  std::vector<OperandState> states;
  read_value(json, states);
  if (states.size() > max_operands) {
    throw MemberError("", fmt::format("{} operand states given, expected at most {}", states.size(), max_operands));
  }
  placement = {};
  std::for_each(states.begin(), states.end(), [&placement](const OperandState& state) { placement.push_back(state); });
}

template <>
Fields FieldTable<ModelKey>::fields() {
  return {field<&T::routine>("name of the routine, such as \"dtrsm\""),
          field<&T::flags>("values of the flag arguments, such as \"LNNU\""),
          field<&T::scalars>("classes of the scalar arguments: 0, 1, - for -1, x for other values"),
          field<&T::strides>("classes of the leading dimensions and increments"),
          field<&T::cache>("state of the caches, such as \"placed\" or \"warm\""),
          field<&T::threads>("threads of BLAS"),
          field<&T::library>("fingerprint of the environment"),
          optional_field<&T::zeros>("sizes that are 0").unless_empty()};
}

template <>
Fields FieldTable<Sample>::fields() {
  return {
      field<&T::key>("model that the sample belongs to"),
      field<&T::sizes>("sizes of the call, in the order of the interface"),
      field<&T::strides>("leading dimensions and increments, in the order of the interface"),
      field<&T::placement>("state of each operand; empty if it isn't known"),
      field<&T::batch>("calls that are timed together"),
      field<&T::repetitions>("executions, in the order of time"),
      field<&T::warnings>("sentences about anomalies of the measurement"),
      optional_field<&T::state, &MachineState::reference>("time of the reference kernel at a drift of 1; 0: not known")
          .named("reference_seconds"),
      optional_field<&T::state, &MachineState::session>("moment at which the measuring session began, in hours since 1970; 0: not known"),
      optional_field<&T::state, &MachineState::noise>("relative standard deviation that other programs' load added to a time")
          .unless_empty(),
      optional_field<&T::state, &MachineState::spread>("relative standard deviation of runs at different moments of the session")
          .unless_empty()};
}

}  // namespace flopcast
