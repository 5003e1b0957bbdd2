#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "precision/config/configuration.h"

namespace quantscope {

/// One place of a configuration and what it holds from now on.
struct ConfigStep {
  enum class Entry : std::uint8_t {
    Backend,             ///< std::string
    Convention,          ///< Convention
    Bias,                ///< BiasRule; nothing = the backend's
    CalibrationSamples,  ///< std::size_t
    Detectors,           ///< DetectorThresholds
    Default,             ///< NodePrecision
    OpType,              ///< NodePrecision of an operator type; nothing = no entry
    Pattern,             ///< NodePrecision of the expression `name`; nothing = no entry
    Node,                ///< NodePrecision of a node; nothing = no entry
    Groups,              ///< HandSharing
    Encoding,            ///< Encoding of `point`; nothing = none
    Equalize,            ///< factors of a node; nothing = none
  };
  using Value =
      std::variant<std::monostate, std::string, Convention, BiasRule, std::size_t,
                   DetectorThresholds, NodePrecision, HandSharing, Encoding, std::vector<float>>;

  Entry place = Entry::Default;
  std::string name = {};  ///< of the operator type, the node; the expression
  PointName point = {};   ///< of an encoding
  Value value = {};       ///< std::monostate = nothing
  /// Where a new entry goes among those of its kind; none: at the end. One that is there stays
  /// where it is.
  std::optional<std::size_t> position = {};

  friend bool operator==(const ConfigStep&, const ConfigStep&) = default;
};

struct EditedConfiguration;

/// A change of a configuration: the one way to change one. What it sets it holds in full, so that
/// it needs no model and can be kept in a journal; edit_precision.h and edit_groups.h make edits
/// from what is meant.
struct ConfigEdit {
  std::string sentence;           ///< "set /layer3/conv2 to FP16"
  std::vector<ConfigStep> steps;  ///< carried out in this order

  /// The configuration after it. A step that removes what is not there changes nothing.
  Configuration apply(const Configuration& config) const;
  /// The edit that leads back: of any `before`, inverse(before).apply(apply(before)) equals it, the
  /// order of all entries included.
  ConfigEdit inverse(const Configuration& before) const;
  /// Both at once.
  EditedConfiguration carryOut(const Configuration& config) const;

  friend bool operator==(const ConfigEdit&, const ConfigEdit&) = default;
};

/// What an edit made, and the edit that leads back.
struct EditedConfiguration {
  Configuration config;
  ConfigEdit inverse;
};

/// Both as one edit, where `next` goes on with what `first` did: it sets the same places, as the
/// steps of a drag do. Nothing where it does something else.
std::optional<ConfigEdit> mergedEdit(const ConfigEdit& first, const ConfigEdit& next);

/// The edit that makes `after` of `before`, all at once: what an import or a file does.
ConfigEdit editBetween(const Configuration& before, const Configuration& after,
                       std::string sentence);

/// {"sentence", "steps": [{"set": KEY, "name", "value", "position"}]}; KEY as in a configuration
/// file, and "equalize"; without "value" the entry is removed.
nlohmann::ordered_json toJson(const ConfigEdit& edit);
/// The same read. Strict: mistakes are Error(InvalidConfiguration) with the path of the key.
ConfigEdit readConfigEdit(const JsonReader& reader);

}  // namespace quantscope
