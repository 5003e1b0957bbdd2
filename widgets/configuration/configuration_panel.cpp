#include "widgets/configuration/configuration_panel.h"

#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "precision/backend/backend.h"
#include "precision/config/replace_types.h"
#include "widgets/configuration/override_list.h"
#include "widgets/configuration/preset_box.h"
#include "widgets/controls/form_fields.h"
#include "widgets/look/text.h"
#include "widgets/precision/tensor_precision_form.h"
#include "widgets/words/configuration_words.h"

namespace quantscope {
namespace {

// A configuration of two float tensors is that of float, however it was reached.
bool isFloat32(const NodePrecision& precision) {
  return precision.float32 ||
         (!isQuantized(precision.weight.type) && !isQuantized(precision.activation.type));
}

}  // namespace

ConfigurationPanel::ConfigurationPanel(const PrecisionEditor* editor, QWidget* parent)
    : QScrollArea(parent),
      m_preset(new PresetBox),
      m_weights(new TensorPrecisionForm(TensorPrecisionForm::Role::Weights)),
      m_activations(new TensorPrecisionForm(TensorPrecisionForm::Role::Activations)),
      m_backend(makeChoice()),
      m_convention(makeChoice()),
      m_overrides(new OverrideList(editor)),
      m_own(new QLabel) {
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Quantization configuration"));
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(12, 12, 12, 12);
  layout->setSpacing(20);
  auto* general = new QFormLayout;
  dressForm(general);
  buildGeneral(general);
  layout->addLayout(general);
  layout->addWidget(m_weights);
  layout->addWidget(m_activations);
  m_own->setWordWrap(true);
  layout->addWidget(m_overrides);
  layout->addWidget(m_own);
  layout->addStretch();
  setWidget(content);
  connectFields();
  m_presetActions = makePresetActions();
  showConfig();
}

void ConfigurationPanel::buildGeneral(QFormLayout* layout) {
  const auto add = [&](const QString& label, QWidget* field, const QString& tip) {
    addField(layout, {}, label, field, tip);
  };
  for (const ConfigurationPreset& preset : configurationPresets()) {
    m_preset->addItem(preset.title);
    m_preset->setItemData(m_preset->count() - 1, preset.definition, Qt::ToolTipRole);
  }
  m_preset->setPlaceholderText(tr("Custom configuration"));
  // The names of presets need the whole width.
  m_preset->setAccessibleName(tr("Preset"));
  m_preset->setToolTip(tr("A configuration to begin with; the fields below show what it means."));
  ignoreWheelWithoutFocus(m_preset);
  layout->addRow(m_preset);
  for (const std::string& name : backendNames()) {
    m_backend->addItem(text(name));
    m_backend->setItemData(m_backend->count() - 1, text(findBackend(name)->about), Qt::ToolTipRole);
  }
  add(tr("Backend"), m_backend,
      tr("The machine that runs the quantized network: it says which operators are quantized and "
         "which are fused."));
  m_convention->addItem(tr("ONNX"), static_cast<int>(Convention::Onnx));
  m_convention->addItem(tr("PyTorch"), static_cast<int>(Convention::PyTorch));
  add(tr("Convention"), m_convention,
      tr("How a range becomes scale and zero point; PyTorch leaves one bit of activations unused, "
         "as its x86 kernels need it."));
}

void ConfigurationPanel::connectFields() {
  connect(m_overrides, &OverrideList::edited, this, &ConfigurationPanel::edited);
  connect(m_overrides, &OverrideList::countChanged, this, &ConfigurationPanel::countOverrides);
  connect(m_overrides, &OverrideList::ruleRequested, this, &ConfigurationPanel::ruleRequested);
  connect(m_overrides, &OverrideList::targetChosen, this, &ConfigurationPanel::targetChosen);
  connect(m_preset, &QComboBox::currentIndexChanged, this, &ConfigurationPanel::usePreset);
  connect(m_backend, &QComboBox::currentIndexChanged, this, [this] {
    m_config.backend = m_backend->currentText().toStdString();
    tell(setBackend(m_config.backend), tr("Set the backend to %1").arg(m_backend->currentText()));
  });
  connect(m_convention, &QComboBox::currentIndexChanged, this, [this] {
    m_config.convention = static_cast<Convention>(m_convention->currentData().toInt());
    tell(setConvention(m_config.convention),
         tr("Set the convention to %1").arg(m_convention->currentText()));
  });
  connect(m_weights, &TensorPrecisionForm::edited, this,
          [this](const TensorFields&, const QString& what) { editWeights(what); });
  connect(m_activations, &TensorPrecisionForm::edited, this,
          [this](const TensorFields&, const QString& what) { editActivations(what); });
}

QList<QAction*> ConfigurationPanel::makePresetActions() {
  QList<QAction*> actions;
  for (int i = 0; i < m_preset->count(); ++i) {
    auto* action = new QAction(m_preset->itemText(i), this);
    action->setToolTip(m_preset->itemData(i, Qt::ToolTipRole).toString());
    action->setCheckable(true);
    connect(action, &QAction::triggered, this, [this, i] { usePreset(i); });
    actions << action;
  }
  return actions;
}

void ConfigurationPanel::usePreset(int index) {
  if (index < 0) return;
  const ConfigurationPreset& preset = configurationPresets()[static_cast<std::size_t>(index)];
  m_config.defaults = preset.precision;
  showConfig();
  tell(setDefault(m_config.defaults, {}), tr("Use %1").arg(preset.title));
}

void ConfigurationPanel::editWeights(const QString& what) {
  NodePrecision precision = m_config.defaults;
  if (precision.float32) {
    setType(precision.activation, QuantType::Float32);
    precision.output = precision.activation;
  }
  precision.weight = m_weights->precision();
  finishEdit(precision, what);
}

void ConfigurationPanel::editActivations(const QString& what) {
  NodePrecision precision = m_config.defaults;
  if (precision.float32) setType(precision.weight, QuantType::Float32);
  // An output that a file sets apart stays apart.
  const bool inStep = precision.float32 || precision.output == precision.activation;
  precision.activation = m_activations->precision();
  if (inStep) precision.output = precision.activation;
  finishEdit(precision, what);
}

void ConfigurationPanel::finishEdit(NodePrecision& precision, const QString& what) {
  precision.float32 = false;
  precision.float32 = isFloat32(precision);
  m_config.defaults = withFields(precision, PrecisionFields());
  showConfig();
  tell(setDefault(m_config.defaults, {}), what);
}

void ConfigurationPanel::tell(ConfigEdit edit, const QString& what) {
  edit.sentence = what.toStdString();
  Q_EMIT edited(edit);
}

void ConfigurationPanel::setConfig(const PrecisionConfig& config, const Repairs& repairs) {
  m_repairs = repairs;
  m_config = config;
  showConfig();
}

void ConfigurationPanel::showConfig() {
  const NodePrecision& defaults = m_config.defaults;
  TensorPrecision weight = defaults.weight;
  TensorPrecision activation = defaults.activation;
  if (defaults.float32) {
    setType(weight, QuantType::Float32);
    setType(activation, QuantType::Float32);
  }
  m_weights->setPrecision(weight);
  m_activations->setPrecision(activation);
  showBackend();
  const QSignalBlocker silentPreset(m_preset);
  m_preset->setCurrentIndex(presetOf(defaults));
  for (int i = 0; i < m_presetActions.size(); ++i) {
    m_presetActions[i]->setChecked(i == m_preset->currentIndex());
  }
  m_overrides->setConfig(m_config, m_repairs);
  const QSignalBlocker silentConvention(m_convention);
  m_convention->setCurrentIndex(m_convention->findData(static_cast<int>(m_config.convention)));
  m_own->setText(ownSharing());
  m_own->setVisible(!m_own->text().isEmpty());
}

void ConfigurationPanel::countOverrides() {
  const int overrides = m_overrides->count();
  m_preset->setSuffix(overrides == 0   ? QString()
                      : overrides == 1 ? tr(" + 1 override")
                                       : tr(" + %L1 overrides").arg(overrides));
  Q_EMIT overrideCountChanged();
}

// A file of the user's own joins the list as long as it is in use.
void ConfigurationPanel::showBackend() {
  const QSignalBlocker silent(m_backend);
  const auto shipped = static_cast<int>(backendNames().size());
  while (m_backend->count() > shipped) m_backend->removeItem(shipped);
  int index = m_backend->findText(text(m_config.backend));
  if (index < 0) {
    m_backend->addItem(text(m_config.backend));
    index = shipped;
  }
  m_backend->setCurrentIndex(index);
}

QString ConfigurationPanel::ownSharing() const {
  QStringList sentences;
  const auto joinings = static_cast<int>(m_config.groups.join.size());
  if (joinings == 1) sentences << tr("One manual merge of observer groups.");
  if (joinings > 1) sentences << tr("%L1 manual merges of observer groups.").arg(joinings);
  const auto partings = static_cast<int>(m_config.groups.part.size());
  if (partings == 1) sentences << tr("One place is split from its observer group.");
  if (partings > 1)
    sentences << tr("%L1 places are split from their observer groups.").arg(partings);
  return sentences.join(u' ');
}

int ConfigurationPanel::overrideCount() const {
  return m_overrides->count();
}

std::vector<ConfigEdit> ConfigurationPanel::removals() const {
  return m_overrides->removals();
}

void ConfigurationPanel::setLosses(const ConfigGains& losses) {
  m_overrides->setLosses(losses);
}

// A panel behind another one is disabled.
bool ConfigurationPanel::canBeSeen() const {
  return isVisible() && isEnabled();
}

void ConfigurationPanel::showEvent(QShowEvent* event) {
  QScrollArea::showEvent(event);
  if (canBeSeen()) Q_EMIT shown();
}

void ConfigurationPanel::changeEvent(QEvent* event) {
  QScrollArea::changeEvent(event);
  if (event->type() == QEvent::EnabledChange && canBeSeen()) Q_EMIT shown();
}

QSize ConfigurationPanel::sizeHint() const {
  return {280, 420};
}

}  // namespace quantscope
