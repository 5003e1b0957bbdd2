#pragma once

#include <QString>
#include <vector>

#include "precision/config/resolved_config.h"

namespace quantscope {

/// A configuration with a name, for the whole model.
struct ConfigurationPreset {
  QString title;
  QString definition;  ///< one sentence
  NodePrecision precision;
};

const std::vector<ConfigurationPreset>& configurationPresets();
/// Index of the preset that a configuration is; −1 = none.
int presetOf(const NodePrecision& precision);

/// "INT8", "FP8 E4M3", "Ternary"
QString typeTitle(QuantType type);
/// The effect of a type on numbers, in one sentence.
QString typeDefinition(QuantType type);
/// "per tensor", "per channel", "per group of 32 along axis 0"
QString granularityWords(const Granularity& granularity);
/// "min/max", "percentile 0.1 … 99.9 %"
QString observerWords(const ObserverSpec& observer);
/// "Min/max", "KL divergence"
QString observerTitle(ObserverSpec::Kind kind);
/// The range that an observer takes, in one sentence.
QString observerDefinition(ObserverSpec::Kind kind);
/// The observers that make a difference there: a weight is one batch, so an average over batches is
/// min/max.
std::vector<ObserverSpec::Kind> observersOf(bool weights);

/// "INT8", "FP32", "INT4 weights, UINT8 activations"
QString precisionTitle(const NodePrecision& precision);
/// The same of an entry beside the default; where the types are its own, what else differs:
/// "weights per-tensor".
QString overrideWords(const NodePrecision& defaults, const NodePrecision& precision);

/// The entry of a configuration that a node's precision comes from: "from the default", "from the
/// rule for Conv", "from pattern “conv_.*”", "from its own entry".
QString ruleWords(const PrecisionConfig& config, const PrecisionRule& rule);

}  // namespace quantscope
