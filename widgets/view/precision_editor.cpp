#include "widgets/view/precision_editor.h"

#include <QClipboard>
#include <QGuiApplication>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "precision/config/json_reader.h"
#include "precision/config/precision_json.h"
#include "widgets/view/scopes.h"

namespace quantscope {
namespace {

constexpr const char* kKey = "quantscope_precision";

// Of one model: what its layers can be set to depends on which there are, and on no figure.
bool sameChoices(const AnalysisSnapshot& a, const AnalysisSnapshot& b) {
  return a.quantized && b.quantized && a.model.engine == b.model.engine &&
         sameLayers(a.result.get(), b.result.get()) &&
         std::ranges::equal(a.result->layers, b.result->layers, {}, &LayerResult::dataMover,
                            &LayerResult::dataMover);
}

}  // namespace

const TypeOffer* SelectedPrecision::common() const {
  for (const TypeOffer& offer : offers) {
    if (offer.having == layers.size() && !layers.empty()) return &offer;
  }
  return nullptr;
}

PrecisionEditor::PrecisionEditor(const Selection* selection, QObject* parent)
    : QObject(parent), m_selection(selection) {
  connect(selection, &Selection::changed, this, [this] {
    m_selected.reset();
    m_gains.clear();
    Q_EMIT changed();
  });
}

PrecisionEditor::~PrecisionEditor() = default;

void PrecisionEditor::setSnapshot(const SnapshotPtr& snapshot) {
  const SnapshotPtr before = std::exchange(m_snapshot, snapshot);
  if (before && snapshot && before->quantized == snapshot->quantized) return;
  if (!before || !snapshot || !sameChoices(*before, *snapshot)) return forget();
  m_selected.reset();
  m_gains.clear();
  Q_EMIT changed();
}

void PrecisionEditor::setConfig(const Configuration& config) {
  if (config == m_config) return;
  m_config = config;
  forget();
}

void PrecisionEditor::forget() {
  m_choices.reset();
  m_selected.reset();
  m_tried = false;
  m_gains.clear();
  Q_EMIT changed();
}

// A configuration may be that of a model that is still being read.
const TypeChoices* PrecisionEditor::choices() const {
  if (m_tried || !m_snapshot || !m_snapshot->quantized) return m_choices.get();
  m_tried = true;
  try {
    m_choices = std::make_unique<const TypeChoices>(m_snapshot->model.engine, m_config,
                                                    m_snapshot->quantized);
    m_layers = LayerIndex(*m_snapshot->result);
  } catch (const Error&) {
    m_choices.reset();
  }
  return m_choices.get();
}

const SelectedPrecision& PrecisionEditor::selected() const {
  if (!m_selected) m_selected = std::make_unique<const SelectedPrecision>(describe());
  return *m_selected;
}

// Those that no type can be set for are left out, unless there are no others.
std::vector<std::size_t> PrecisionEditor::selectedLayers() const {
  const Selected& selected = m_selection->current();
  std::vector<std::size_t> layers;
  if (!selected.scope.empty() && !selected.node.valid()) {
    const std::vector<LayerResult>& all = m_snapshot->result->layers;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (isWithinScope(all[i].scope, selected.scope)) layers.push_back(i);
    }
  }
  for (const NodeId node : selected.nodes()) {
    if (const auto layer = m_layers.find(node)) layers.push_back(*layer);
  }
  std::vector<std::size_t> settable;
  for (const std::size_t layer : layers) {
    if (m_choices->typeOf(layer)) settable.push_back(layer);
  }
  return settable.empty() ? layers : settable;
}

SelectedPrecision PrecisionEditor::describe() const {
  SelectedPrecision result;
  if (choices() == nullptr || m_choices->layerCount() != m_snapshot->result->layers.size()) {
    return result;
  }
  result.layers = selectedLayers();
  if (!m_selection->current().node.valid()) result.scope = m_selection->current().scope;
  for (const QuantType type : wholeTypes()) {
    TypeOffer offer{type, 0, 0, {}};
    for (const std::size_t layer : result.layers) {
      const std::string& refusal = m_choices->refusal(layer, type);
      if (refusal.empty()) {
        ++offer.able;
      } else if (offer.refusal.isEmpty()) {
        offer.refusal = QString::fromStdString(refusal);
      }
      if (m_choices->typeOf(layer) == type) ++offer.having;
    }
    result.offers.push_back(offer);
  }
  for (const std::size_t layer : result.layers) {
    if (m_choices->overridden(layer)) ++result.overridden;
  }
  return result;
}

std::vector<std::optional<Configuration>> PrecisionEditor::candidates() const {
  std::vector<std::optional<Configuration>> configs;
  const SelectedPrecision& now = selected();
  for (const TypeOffer& offer : now.offers) {
    configs.emplace_back();
    if (offer.able == 0 || offer.having == now.layers.size()) continue;
    configs.back() = m_choices->setType(now.layers, offer.type).apply(m_config);
  }
  return configs;
}

void PrecisionEditor::setGains(const ConfigGains& gains) {
  m_gains = gains;
  Q_EMIT gainsChanged();
}

void PrecisionEditor::tell(const ConfigEdit& edit) {
  if (!edit.steps.empty()) Q_EMIT edited(edit);
}

void PrecisionEditor::setTypeAt(std::size_t place) {
  if (place < wholeTypes().size()) setType(wholeTypes()[place]);
}

void PrecisionEditor::setType(QuantType type) {
  const SelectedPrecision& now = selected();
  if (now.empty()) {
    Q_EMIT refused(tr("No layer is selected whose precision could be set."),
                   tr("Select one in the graph, the outline or the table of layers."));
    return;
  }
  for (const TypeOffer& offer : now.offers) {
    if (offer.type != type) continue;
    if (offer.able == 0) {
      Q_EMIT refused(offer.refusal + u'.', {});
    } else if (!now.scope.empty() && offer.able == now.layers.size()) {
      setTypeOf({PrecisionTarget::Kind::Scope, {now.scope}}, type);
    } else {
      tell(m_choices->setType(now.layers, type));
    }
    return;
  }
}

void PrecisionEditor::setTypeOf(const PrecisionTarget& target, QuantType type) {
  if (choices() == nullptr) return;
  try {
    tell(m_choices->setTypeOf(target, type));
  } catch (const Error& error) {
    Q_EMIT refused(QString::fromUtf8(error.what()), {});
  }
}

void PrecisionEditor::setFields(const PrecisionFields& fields, const QString& what) {
  if (selected().empty()) return;
  tell(m_choices->setFields(selected().layers, fields, what.toStdString()));
}

void PrecisionEditor::reset() {
  const SelectedPrecision& now = selected();
  if (now.empty()) return;
  const auto isOfScope = [&](const PatternPrecision& entry) {
    return entry.match.expression() == scopeExpression(now.scope);
  };
  const std::vector<PatternPrecision>& patterns = m_config.precision->patterns;
  if (!now.scope.empty() && std::ranges::any_of(patterns, isOfScope)) {
    tell(clearPrecision(m_config, m_choices->graph(), {PrecisionTarget::Kind::Scope, {now.scope}}));
  } else {
    tell(m_choices->reset(now.layers));
  }
}

void PrecisionEditor::copy() const {
  if (selected().empty()) return;
  const nlohmann::ordered_json json{
      {kKey, toJson(m_choices->precisionOf(selected().layers.front()))}};
  QGuiApplication::clipboard()->setText(QString::fromStdString(json.dump(2)));
}

void PrecisionEditor::paste() {
  if (selected().empty()) return;
  try {
    const std::string words = QGuiApplication::clipboard()->text().toStdString();
    const std::string what = "the clipboard";
    const JsonReader::Json json = parseStrictJson(words, what, what);
    const JsonReader reader(json, what, what);
    const NodePrecision precision = readNodePrecision(reader.required(kKey));
    setFields(fieldsOf(precision), tr("paste the precision to"));
  } catch (const Error&) {
    Q_EMIT refused(tr("The clipboard holds no precision."),
                   tr("Select a layer and choose “Copy Precision” first."));
  }
}

}  // namespace quantscope
