#pragma once

#include <QColor>
#include <QFont>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/graph/drawing/graph_scene.h"
#include "widgets/look/error_scale.h"
#include "widgets/look/theme.h"
#include "widgets/view/display_options.h"
#include "widgets/words/layer_findings.h"

namespace quantscope {

/// How one box looks under the chosen metric.
struct BoxLook {
  /// The layer's figure; for several layers the worst. nullopt for values and constants, which have
  /// no error.
  std::optional<Figure> figure;
  double position = -1;  ///< on the error scale, 0 … 1; −1 = no colour
  QColor fill;
  QColor ink;                          ///< text on it
  std::optional<QuantType> precision;  ///< of what the layer computes with; none = not a layer
  bool overridden = false;             ///< the configuration has an entry for the layer alone
  FindingSum findings = {};            ///< of all its layers

  friend bool operator==(const BoxLook&, const BoxLook&) = default;
};

/// The colours and fonts of a drawing. Immutable.
struct GraphLooks {
  Theme theme;
  QFont font;
  QString unit;              ///< of the figures; empty where they have none or that of the value
  bool differences = false;  ///< figures less those of B, which have a sign
  std::vector<BoxLook> boxes;

  /// There are two themes, told apart by being dark or not.
  friend bool operator==(const GraphLooks& a, const GraphLooks& b) {
    return a.theme.dark == b.theme.dark && a.font == b.font && a.unit == b.unit &&
           a.differences == b.differences && a.boxes == b.boxes;
  }
};

using GraphLooksPtr = std::shared_ptr<const GraphLooks>;

/// The looks of a scene that was drawn from a result with the same layers.
GraphLooksPtr makeLooks(const GraphScene& scene, const AnalysisSnapshot& snapshot,
                        const LayerFindings& findings, const DisplayOptions& options,
                        const Theme& theme, const QFont& font);

/// The type that speaks for a layer: that of its weights, else of its inputs, else of its output.
QuantType precisionOf(const LayerResult& layer);

/// `share` of `b` in `a`.
QColor mixed(const QColor& a, const QColor& b, double share);

/// The unit of figures as it is written behind them: "" where it is that of the value.
QString unitOf(const MetricDescription& metric);

}  // namespace quantscope
