#include "widgets/inspector/parts/inspector_subject.h"

#include "widgets/view/layer_quantization.h"

namespace quantscope {
namespace {

// SQNR comes first in the catalogue: it is what colours mean.
ErrorScale sqnrScaleOf(const AnalysisResult& result, const DisplayOptions& options) {
  const MetricDescription& sqnr = metricCatalogue().front();
  std::vector<Figure> figures;
  if (options.stretch()) {
    for (const LayerResult& layer : result.layers) {
      const LayerError* error = options.errorOf(layer);
      if (error != nullptr && error->total.sqnrDb) {
        figures.push_back({Figure::Kind::Value, *error->total.sqnrDb});
      }
    }
  }
  return {sqnr, figures, options.stretch()};
}

}  // namespace

const LayerQuantization* InspectorSubject::quantization() const {
  return isLayer() ? quantizationOf(*snapshot, layerIndex) : nullptr;
}

ValueId InspectorSubject::value() const {
  if (kind == Kind::Value) return selected.value;
  if (!isLayer()) return {};
  const std::vector<ValueId>& outputs = graph()[layer().members.back()].outputs;
  return outputs.empty() ? ValueId() : outputs.front();
}

const Observation* InspectorSubject::observation() const {
  const ValueId id = value();
  if (!id.valid() || !snapshot->observations || !snapshot->observations->observed(id)) {
    return nullptr;
  }
  return snapshot->observations->find(id);
}

ErrorKind InspectorSubject::shownErrorKind() const {
  const bool own = errorKind != ErrorKind::Contribution;  // contributions are errors of the outputs
  if (own && errorOf(layer(), errorKind)) return errorKind;
  for (const ErrorKind each : {ErrorKind::Local, ErrorKind::Accumulated}) {
    if (errorOf(layer(), each)) return each;
  }
  return own ? errorKind : ErrorKind::Local;
}

const LayerError* InspectorSubject::shownError() const {
  if (!isLayer()) return nullptr;
  const std::optional<LayerError>& error = errorOf(layer(), shownErrorKind());
  return error ? &*error : nullptr;
}

const LayerError* InspectorSubject::comparedError() const {
  if (!isLayer() || other == nullptr) return nullptr;
  const std::optional<LayerError>& error = errorOf(*other, shownErrorKind());
  return error ? &*error : nullptr;
}

const ErrorBudget* InspectorSubject::budget() const {
  if (!isLayer()) return nullptr;
  if (layer().budget) return &*layer().budget;
  if (!causes || causes->of != snapshot->result) return nullptr;
  const auto found = causes->budgets.find(layerIndex);
  return found == causes->budgets.end() || !found->second ? nullptr : &*found->second;
}

const KnownAdvice* InspectorSubject::knownAdvice() const {
  return advice && advice->isAbout(*snapshot) ? advice.get() : nullptr;
}

std::vector<LadderStep> InspectorSubject::ladder() const {
  if (!result().ladder.empty()) return result().ladder;
  return causes && causes->of == snapshot->result
             ? causes->ladder.value_or(std::vector<LadderStep>())
             : std::vector<LadderStep>();
}

InspectorSubject resolveSubject(const SnapshotPtr& snapshot,
                                const std::shared_ptr<const LayerIndex>& index,
                                const Selected& selected, const DisplayOptions& options) {
  InspectorSubject subject;
  if (!snapshot) return subject;
  subject.snapshot = snapshot;
  subject.index = index;
  subject.selected = selected;
  subject.errorKind = options.kind();
  subject.compared = options.other();
  subject.dataFailed = options.dataFailed();
  subject.sqnrScale = sqnrScaleOf(*snapshot->result, options);
  subject.kind = InspectorSubject::Kind::Model;
  const auto knows = [](auto id, std::size_t count) { return id.valid() && id.at() < count; };
  if (selected.several()) {
    subject.kind = InspectorSubject::Kind::Several;
  } else if (knows(selected.node, snapshot->graph().nodes().size())) {
    if (const auto layer = index->find(selected.node)) {
      subject.kind = InspectorSubject::Kind::Layer;
      subject.layerIndex = *layer;
      subject.other = {options.other(), options.otherOf(snapshot->result->layers[*layer])};
      subject.delta = options.delta() && subject.other != nullptr;
    }
  } else if (!selected.scope.empty()) {
    subject.kind = InspectorSubject::Kind::Scope;
  } else if (knows(selected.value, snapshot->graph().values().size())) {
    subject.kind = InspectorSubject::Kind::Value;
  }
  return subject;
}

Selected selectionOf(const InspectorSubject& subject, NodeId node) {
  const auto layer = subject.index->find(node);
  return {.node = layer ? subject.result().layers[*layer].node : node, .scope = {}, .value = {}};
}

Selected selectionOf(const InspectorSubject& subject, ValueId value) {
  const NodeId producer = subject.graph()[value].producer;
  if (producer.valid() && subject.index->find(producer)) return selectionOf(subject, producer);
  return {.node = {}, .scope = {}, .value = value};
}

bool isInside(std::string_view inner, std::string_view scope) {
  if (!inner.starts_with(scope)) return false;
  return inner.size() == scope.size() || inner[scope.size()] == '/' || inner[scope.size()] == '.';
}

}  // namespace quantscope
