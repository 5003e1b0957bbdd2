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
         sameLayers(*a.quantized, *b.quantized);
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
    m_rule.reset();
    m_ruleChosen = false;
    forgetSelected();
  });
}

PrecisionEditor::~PrecisionEditor() = default;

void PrecisionEditor::setSnapshot(const SnapshotPtr& snapshot) {
  const SnapshotPtr before = std::exchange(m_snapshot, snapshot);
  if (before && snapshot && before->quantized == snapshot->quantized) return;
  if (!before || !snapshot || !sameChoices(*before, *snapshot)) {
    const bool sameEngine = before && snapshot && before->model.engine == snapshot->model.engine;
    if (!sameEngine) m_choices.reset();
    return forget();
  }
  forgetSelected();
}

void PrecisionEditor::setConfig(const Configuration& config) {
  if (config == m_config) return;
  m_config = config;
  forget();
}

void PrecisionEditor::forget() {
  m_upToDate = false;
  forgetSelected();
}

void PrecisionEditor::forgetSelected() {
  m_selected.reset();
  m_gains.clear();
  m_operatorGains.clear();
  Q_EMIT changed();
}

// A configuration may be that of a model that is still being read.
const TypeChoices* PrecisionEditor::choices() const {
  if (m_upToDate) return m_choices.get();
  if (!m_snapshot || !m_snapshot->quantized) return nullptr;
  m_upToDate = true;
  try {
    m_choices = std::make_shared<const TypeChoices>(m_snapshot->model.engine, m_config,
                                                    m_snapshot->quantized, m_choices.get());
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

std::vector<TypeOffer> PrecisionEditor::offersOf(const std::vector<std::size_t>& layers) const {
  std::vector<TypeOffer> offers;
  for (const QuantType type : wholeTypes()) {
    TypeOffer offer{type, 0, 0, {}};
    for (const std::size_t layer : layers) {
      const std::string& refusal = m_choices->refusal(layer, type);
      if (refusal.empty()) {
        ++offer.able;
      } else if (offer.refusal.isEmpty()) {
        offer.refusal = QString::fromStdString(refusal);
      }
      if (m_choices->typeOf(layer) == type) ++offer.having;
    }
    offers.push_back(offer);
  }
  return offers;
}

std::vector<TypeOffer> PrecisionEditor::offersFor(const PrecisionTarget& target) const {
  if (choices() == nullptr) return {};
  try {
    const std::vector<std::size_t> layers = m_choices->layersOf(target);
    return layers.empty() ? std::vector<TypeOffer>() : offersOf(layers);
  } catch (const Error&) {
    return {};
  }
}

SelectedPrecision PrecisionEditor::describe() const {
  SelectedPrecision result;
  // Of a large model, making the choices takes long.
  if (m_selection->current().empty() || choices() == nullptr ||
      m_choices->layerCount() != m_snapshot->result->layers.size()) {
    return result;
  }
  result.layers = selectedLayers();
  if (result.layers.empty()) return result;
  result.rule = m_ruleChosen ? m_rule : selectedScope();
  if (m_ruleChosen && m_rule) result.layers = m_choices->layersOf(*m_rule);
  result.offers = offersOf(result.layers);
  for (const std::size_t layer : result.layers) {
    if (m_choices->overridden(layer)) ++result.overridden;
  }
  const bool ruled = result.rule && hasEntry(*m_config.precision, *result.rule);
  const bool ofLayers = !result.rule || result.rule->kind == PrecisionTarget::Kind::Scope;
  result.resettable = ruled || (ofLayers && result.overridden > 0);
  return result;
}

// A scope that is only selected is set layer by layer where not all of them can take the type.
bool PrecisionEditor::setsRule(const TypeOffer& offer) const {
  return selected().rule && (m_ruleChosen || offer.able == selected().layers.size());
}

PrecisionEditor::Candidates PrecisionEditor::candidates() const {
  const SelectedPrecision& now = selected();
  if (now.empty()) return nullptr;
  std::vector<bool> ruled;
  for (const TypeOffer& offer : now.offers) ruled.push_back(setsRule(offer));
  return [choices = m_choices, now, ruled = std::move(ruled)] {
    std::vector<std::optional<Configuration>> configs(now.offers.size());
    for (std::size_t i = 0; i < configs.size(); ++i) {
      const TypeOffer& offer = now.offers[i];
      if (offer.able == 0 || offer.having == now.layers.size()) continue;
      const ConfigEdit edit = ruled[i] ? choices->setTypeOf(*now.rule, offer.type)
                                       : choices->setType(now.layers, offer.type);
      configs[i] = edit.apply(choices->config());
    }
    return configs;
  };
}

void PrecisionEditor::setGains(const ConfigGains& gains) {
  m_gains = gains;
  Q_EMIT gainsChanged();
}

std::optional<PrecisionTarget> PrecisionEditor::selectedScope() const {
  const Selected& selected = m_selection->current();
  if (selected.node.valid() || selected.scope.empty()) return std::nullopt;
  return PrecisionTarget{PrecisionTarget::Kind::Scope, {selected.scope}};
}

std::vector<PrecisionTarget> PrecisionEditor::rules() const {
  std::vector<PrecisionTarget> rules;
  if (selected().empty()) return rules;
  if (const auto common = commonOperator()) rules.push_back(*common);
  const std::vector<std::size_t> layers = selectedLayers();
  const std::string& scope = m_snapshot->result->layers[layers.front()].scope;
  const auto inScope = [&](std::size_t layer) {
    return isWithinScope(m_snapshot->result->layers[layer].scope, scope);
  };
  std::optional<PrecisionTarget> inner = selectedScope();
  if (!inner && !scope.empty() && std::ranges::all_of(layers, inScope)) {
    inner = {PrecisionTarget::Kind::Scope, {scope}};
  }
  if (inner) rules.push_back(*inner);
  for (const PatternPrecision& pattern : m_config.precision->patterns) {
    const std::string& expression = pattern.match.expression();
    if (inner && expression == scopeExpression(inner->names.front())) continue;
    const auto matches = [&](std::size_t layer) {
      return pattern.match.matches(m_choices->name(layer));
    };
    if (std::ranges::all_of(layers, matches)) {
      rules.push_back({PrecisionTarget::Kind::Pattern, {expression}});
    }
  }
  return rules;
}

void PrecisionEditor::setRule(const std::optional<PrecisionTarget>& rule) {
  m_rule = rule;
  m_ruleChosen = true;
  forgetSelected();
}

std::optional<PrecisionTarget> PrecisionEditor::commonOperator() const {
  if (selected().empty()) return std::nullopt;
  const std::vector<std::size_t> layers = selectedLayers();
  const std::string& common = m_choices->operatorOf(layers.front());
  const bool same = std::ranges::all_of(
      layers, [&](std::size_t layer) { return m_choices->operatorOf(layer) == common; });
  if (!same) return std::nullopt;
  return PrecisionTarget{PrecisionTarget::Kind::OpType, {common}};
}

PrecisionEditor::Candidates PrecisionEditor::operatorCandidates() const {
  const std::optional<PrecisionTarget> target = commonOperator();
  if (!target) return nullptr;
  return [choices = m_choices, target = *target] {
    const std::vector<std::size_t> layers = choices->layersOf(target);
    std::vector<std::optional<Configuration>> configs;
    for (const QuantType type : wholeTypes()) {
      configs.emplace_back();
      const bool able = std::ranges::any_of(
          layers, [&](std::size_t layer) { return choices->refusal(layer, type).empty(); });
      if (!able) continue;
      Configuration config = choices->setTypeOf(target, type).apply(choices->config());
      if (config != choices->config()) configs.back() = std::move(config);
    }
    return configs;
  };
}

void PrecisionEditor::setOperatorGains(const ConfigGains& gains) {
  m_operatorGains = gains;
  Q_EMIT gainsChanged();
}

ConfigEdit PrecisionEditor::complete(const ConfigEdit& edit) const {
  return choices() == nullptr ? edit : m_choices->complete(edit);
}

void PrecisionEditor::tell(const ConfigEdit& edit) {
  if (!edit.steps.empty()) Q_EMIT edited(edit);
}

void PrecisionEditor::setTypeAt(std::size_t place) {
  if (place < wholeTypes().size()) setType(wholeTypes()[place]);
}

// Where the edit leaves some of `all` layers out, that is said, and why; where it would leave out
// all, it is not made.
void PrecisionEditor::tellPart(const ConfigEdit& edit, const TypeOffer& offer, std::size_t all) {
  if (offer.able == 0) {
    Q_EMIT refused(offer.refusal + u'.', {});
    return;
  }
  // What the edit changes takes the offer with it.
  const QString left = tr("Set %L1 of %L2 layers: %3.").arg(offer.able).arg(all).arg(offer.refusal);
  const bool whole = offer.able == all;
  tell(edit);
  if (!whole) Q_EMIT refused(left, {});
}

void PrecisionEditor::refuseNothingSelected() {
  Q_EMIT refused(tr("No layer is selected whose precision could be set."),
                 tr("Select one in the graph, the outline or the table of layers."));
}

void PrecisionEditor::setType(QuantType type) {
  const SelectedPrecision& now = selected();
  if (now.empty()) return refuseNothingSelected();
  const auto offer = std::ranges::find(now.offers, type, &TypeOffer::type);
  if (offer == now.offers.end()) return;
  if (setsRule(*offer)) {
    setTypeOf(*now.rule, type);
  } else {
    tellPart(m_choices->setType(now.layers, type), *offer, now.layers.size());
  }
}

// An entry of a single layer beats a rule for many, unless they are those of a scope.
TypeOffer PrecisionEditor::offerOf(const PrecisionTarget& target,
                                   const std::vector<std::size_t>& layers,
                                   const Asked& asked) const {
  TypeOffer offer;
  for (const std::size_t layer : layers) {
    QString why = QString::fromStdString(asked.refusal(layer));
    if (why.isEmpty() && target.kind != PrecisionTarget::Kind::Scope &&
        m_choices->overridden(layer) && !asked.has(layer)) {
      why = tr("%1 has an override of its own").arg(QString::fromStdString(m_choices->name(layer)));
    }
    if (why.isEmpty()) ++offer.able;
    if (offer.refusal.isEmpty()) offer.refusal = why;
  }
  return offer;
}

void PrecisionEditor::setTypeOf(const PrecisionTarget& target, QuantType type) {
  if (choices() == nullptr) return;
  try {
    const ConfigEdit edit = m_choices->setTypeOf(target, type);
    const std::vector<std::size_t> layers = m_choices->layersOf(target);
    TypeOffer offer =
        offerOf(target, layers,
                {[&](std::size_t layer) { return m_choices->refusal(layer, type); },
                 [&](std::size_t layer) { return m_choices->typeOf(layer) == type; }});
    if (layers.empty()) {
      offer.refusal = tr("What %1 stands for are parts of other layers, and take their precision")
                          .arg(QString::fromStdString(quantscope::describe(target)));
    }
    tellPart(edit, offer, layers.size());
  } catch (const Error& error) {
    Q_EMIT refused(QString::fromUtf8(error.what()), {});
  }
}

void PrecisionEditor::setFields(const PrecisionFields& fields, const QString& what) {
  const SelectedPrecision& now = selected();
  if (now.empty()) return;
  if (!now.rule) return tell(m_choices->setFields(now.layers, fields, what.toStdString()));
  const TypeOffer offer =
      offerOf(*now.rule, now.layers,
              {[&](std::size_t layer) { return m_choices->refusal(layer, fields); },
               [&](std::size_t layer) {
                 const NodePrecision& own = m_choices->precisionOf(layer);
                 return withFields(own, fields) == own;
               }});
  tellPart(m_choices->setFieldsOf(*now.rule, fields, what.toStdString()), offer, now.layers.size());
}

void PrecisionEditor::reset() {
  const SelectedPrecision& now = selected();
  if (!now.resettable) return;
  if (now.rule && hasEntry(*m_config.precision, *now.rule)) {
    tell(m_choices->complete(clearPrecision(m_config, m_choices->graph(), *now.rule)));
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
  const SelectedPrecision& now = selected();
  if (now.empty()) return refuseNothingSelected();
  NodePrecision precision;
  try {
    const std::string words = QGuiApplication::clipboard()->text().toStdString();
    const std::string what = "the clipboard";
    const JsonReader::Json json = parseStrictJson(words, what, what);
    const JsonReader reader(json, what, what);
    precision = readNodePrecision(reader.required(kKey));
  } catch (const Error&) {
    Q_EMIT refused(tr("The clipboard holds no precision."),
                   tr("Select a layer and choose “Copy Precision” first."));
    return;
  }
  if (now.rule) {
    if (precision.float32) return setTypeOf(*now.rule, QuantType::Float32);
    PrecisionFields fields = fieldsOf(precision);
    // Ranges set by hand are those of the layer that they come from.
    fields.weight.range = fields.activation.range = fields.output.range = std::optional<Range>();
    return setFields(fields, tr("paste the precision to"));
  }
  TypeOffer offer;
  for (const std::size_t layer : now.layers) {
    const std::string& why = m_choices->refusal(layer, precision);
    if (why.empty()) ++offer.able;
    if (offer.refusal.isEmpty()) offer.refusal = QString::fromStdString(why);
  }
  const std::string what = tr("paste the precision to").toStdString();
  tellPart(m_choices->setPrecisionOf(now.layers, precision, what), offer, now.layers.size());
}

}  // namespace quantscope
