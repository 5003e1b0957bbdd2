#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/content_id.h"

namespace quantscope {

/// What the figures of a sensitivity analysis depend on.
struct SensitivityIdentity {
  ContentId whole;  ///< of all that follows but the origin
  ContentId model;
  ContentId data;      ///< samples, calibration and labels
  ContentId settings;  ///< configuration and request
  ContentId backend;   ///< of the configuration's own file; invalid for one that is shipped
  std::string origin;  ///< see figuresOrigin()
};

/// The id of model, data, settings and backend together.
ContentId wholeOf(const SensitivityIdentity& identity);

/// Adds the keys `identity`, `origin` and `hashes` to a result.
void writeIdentity(const SensitivityIdentity& identity, nlohmann::ordered_json& result);

/// In words what distinguishes a result from another one: "of another model", "of other samples or
/// labels and with other settings", "of another model, data or setting" where one of them is of a
/// program that wrote no separate hashes. Empty where their identities are the same.
std::string differenceOf(const nlohmann::ordered_json& result, const nlohmann::ordered_json& other);

/// Likewise of the program and the processor: "of another program or processor: 'quantscope 1.0.0;
/// …', here '…'". Empty where their origins are the same; a result of an older program has none.
std::string otherOrigin(const nlohmann::ordered_json& result, const nlohmann::ordered_json& other);

/// What to do about results of different origins.
inline constexpr const char* kSameOriginRemedy =
    "run all shards with the same program on the same kind of processor; the environment's "
    "variable "
    "DNNL_MAX_CPU_ISA (AVX2, for example) makes different ones compute alike";

}  // namespace quantscope
