#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "precision/config/detector_thresholds.h"
#include "precision/config/precision_words.h"

namespace quantscope {

class JsonReader;

/// The entry of one node in a configuration file, Q in the documentation. Strict, like all readers
/// here: mistakes are Error(InvalidConfiguration) with the path of the key.
NodePrecision readNodePrecision(const JsonReader& reader);
nlohmann::ordered_json toJson(const NodePrecision& precision);
nlohmann::ordered_json toJson(const TensorPrecision& precision, TensorRole role);

Convention readConvention(const JsonReader& reader);
NamePattern readPattern(const JsonReader& reader);
/// A type by its name.
QuantType readQuantType(const JsonReader& reader);
/// A whole number from 0.
std::size_t readCount(const JsonReader& reader);

/// The object "detectors".
DetectorThresholds readThresholds(const JsonReader& reader);
nlohmann::ordered_json toJson(const DetectorThresholds& thresholds);

}  // namespace quantscope
