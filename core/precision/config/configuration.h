#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/shared_part.h"
#include "precision/config/detector_thresholds.h"
#include "precision/config/encodings.h"
#include "precision/config/precision_config.h"
#include "precision/config/repairs.h"

namespace quantscope {

/// The ids of the parts. A backend that is a file counts by its path.
ContentId contentId(const PrecisionConfig& config);
ContentId contentId(const DetectorThresholds& thresholds);
ContentId contentId(const Encodings& encodings);
ContentId contentId(const Repairs& repairs);

/// The content of a configuration file, in parts that copies share.
struct Configuration {
  Configuration() = default;
  /// Types and rules alone.
  Configuration(PrecisionConfig types) : precision(std::move(types)) {}

  SharedPart<PrecisionConfig> precision;
  SharedPart<DetectorThresholds> detectors;
  SharedPart<Encodings> encodings;
  SharedPart<Repairs> repairs;

  /// The id of the contents of all parts.
  ContentId id() const;

  friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// Parses a configuration. Strict: unknown keys, wrong types, duplicate keys and values out of
/// range are Error(InvalidConfiguration) with the path of the key. `source` names the text in
/// messages. The notes of `optimize` in `why` and `pareto` are ignored.
Configuration parseConfiguration(std::string_view json, const std::string& source);
/// The same from a file. A backend's own file is named by its whole path: seen from the folder of
/// the configuration, or where it is not there but in the working folder, from that.
Configuration readConfiguration(const std::filesystem::path& file);
/// The configuration as it is written into `file`: a backend's own file is named as it is seen from
/// the folder of `file`, so that both can move together.
Configuration configurationFor(const std::filesystem::path& file, Configuration config);

/// The configuration as JSON in a fixed order; it reads back the same.
std::string toJson(const Configuration& config);

}  // namespace quantscope
