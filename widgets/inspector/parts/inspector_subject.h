#pragma once

#include <memory>
#include <string_view>

#include "jobs/analysis_snapshot.h"
#include "widgets/look/error_scale.h"
#include "widgets/view/display_options.h"
#include "widgets/view/error_causes.h"
#include "widgets/view/known_advice.h"
#include "widgets/view/layer_index.h"
#include "widgets/view/selection.h"

namespace quantscope {

/// The subject of the inspector: the selection, resolved in a snapshot.
struct InspectorSubject {
  enum class Kind { Nothing, Model, Layer, Several, Scope, Value };

  Kind kind = Kind::Nothing;  ///< Nothing = no model is open; Several = layers
  SnapshotPtr snapshot;
  std::shared_ptr<const LayerIndex> index;
  Selected selected;
  std::size_t layerIndex = 0;  ///< of Kind::Layer
  ErrorKind errorKind = ErrorKind::Local;
  std::shared_ptr<const AnalysisResult> compared;  ///< B; null where there is none
  std::shared_ptr<const LayerResult> other;        ///< the layer under B; null where there is none
  bool delta = false;                              ///< figures are differences to it
  bool dataFailed = false;                         ///< see DisplayOptions::dataFailed()
  ErrorCausesPtr causes;                           ///< of any result; null = none are known
  KnownAdvicePtr advice;                           ///< likewise
  ErrorScale sqnrScale;                            ///< what SQNRs are coloured by, in every metric

  const AnalysisResult& result() const { return *snapshot->result; }
  const Graph& graph() const { return snapshot->graph(); }
  bool isLayer() const { return kind == Kind::Layer; }
  const LayerResult& layer() const { return result().layers[layerIndex]; }
  /// nullptr where the model was not quantized.
  const LayerQuantization* quantization() const;
  /// The value that is shown: the layer's output, or the selected one.
  ValueId value() const;
  /// The calibration record of the value; nullptr = none.
  const Observation* observation() const;
  /// The chosen kind of error of the layer, or the other one where that is all there is.
  const LayerError* shownError() const;
  /// That kind of error under B; nullptr where there is none.
  const LayerError* comparedError() const;
  /// The error budget of the layer; nullptr while it is not known.
  const ErrorBudget* budget() const;
  /// The advice for the model; nullptr while it is not known.
  const KnownAdvice* knownAdvice() const;
  /// The effects of weights and of activations on the outputs; empty while they are not known.
  std::vector<LadderStep> ladder() const;
  ErrorKind shownErrorKind() const;
  bool sampled() const { return snapshot && result().samples > 0; }
};

InspectorSubject resolveSubject(const SnapshotPtr& snapshot,
                                const std::shared_ptr<const LayerIndex>& index,
                                const Selected& selected, const DisplayOptions& options);

/// The selection that a click on a value or a node asks for: its layer, else the value itself.
Selected selectionOf(const InspectorSubject& subject, ValueId value);
Selected selectionOf(const InspectorSubject& subject, NodeId node);

/// True where a node of scope `inner` stands inside `scope`.
bool isInside(std::string_view inner, std::string_view scope);

}  // namespace quantscope
