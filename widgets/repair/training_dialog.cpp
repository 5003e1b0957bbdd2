#include "widgets/repair/training_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/controls/form_fields.h"
#include "widgets/look/text.h"
#include "widgets/repair/layer_list_edit.h"

namespace quantscope {
namespace {

constexpr int kMostTrainingSteps = 1'000'000;
constexpr int kMostTrainingSamples = 4096;
constexpr int kNeverFrozen = -1;

QStringList listed(const std::set<std::string>& names) {
  QStringList words;
  for (const std::string& name : names) words << text(name);
  return words;
}

std::set<std::string> namesOfField(const LayerListEdit& field) {
  std::set<std::string> names;
  for (const QString& name : field.names()) names.insert(name.toStdString());
  return names;
}

void setNames(LayerListEdit& field, const std::set<std::string>& names) {
  field.clear();
  field.add(listed(names));
}

}  // namespace

TrainingLayers trainingLayers(const SnapshotPtr& snapshot, const Selected& selected) {
  TrainingLayers layers;
  if (!snapshot) return layers;
  const std::vector<NodeId> nodes = selected.nodes();
  for (const LayerResult& layer : snapshot->result->layers) {
    layers.all << text(layer.name);
    if (std::ranges::find(nodes, layer.node) != nodes.end()) layers.selected << text(layer.name);
  }
  return layers;
}

TrainingDialog::TrainingDialog(const TrainingChoices& choices, const TrainingLayers& layers,
                               QWidget* parent)
    : QDialog(parent),
      m_layers(layers),
      m_steps(new QSpinBox),
      m_batch(new QSpinBox),
      m_scales(makeChoice()),
      m_keepsWeights(new QCheckBox(tr("Freeze weights: learn biases, scales, zero points"))),
      m_stochastic(new QCheckBox(tr("Stochastic rounding"))),
      m_temperature(new QDoubleSpinBox),
      m_freezeAfter(new QSpinBox) {
  setWindowTitle(tr("Training"));
  m_steps->setRange(0, kMostTrainingSteps);
  m_steps->setSpecialValueText(tr("by the network's size"));
  m_batch->setRange(1, kMostTrainingSamples);
  m_scales->addItem(tr("Logarithm"), QStringLiteral("log"));
  m_scales->addItem(tr("LSQ"), QStringLiteral("lsq"));
  m_scales->addItem(tr("TQT, powers of two"), QStringLiteral("tqt"));
  m_temperature->setRange(0.01, 100);
  m_freezeAfter->setRange(kNeverFrozen, kMostTrainingSteps);
  m_freezeAfter->setPrefix(tr("step "));
  m_freezeAfter->setSpecialValueText(tr("never"));
  auto* form = new QFormLayout;
  addField(form, {}, tr("Steps"), m_steps,
           tr("Steps of the whole network; each block takes a third of it before. By the network's "
              "size: 600 to 3,000"));
  addField(form, {}, tr("Batch size"), m_batch, tr("At most so many samples in each step"));
  addField(form, {}, tr("Learned scales"), m_scales, tr("What is learned of a scale"));
  addField(form, {}, tr("Freeze observers from"), m_freezeAfter,
           tr("Scales and zero points stay from this step of the network on"));
  form->addRow(QString(), m_keepsWeights);
  m_keepsWeights->setToolTip(tr("For few samples and few bits: weights learn them by heart"));
  form->addRow(QString(), m_stochastic);
  addField(form, {}, tr("Temperature"), m_temperature,
           tr("Of random rounding; 1 is right on average"));
  m_frozen = addNames(form, tr("Freeze layers"), tr("Layers that stay, bit for bit"));
  m_unobserved =
      addNames(form, tr("Freeze observers of"), tr("Layers whose scales and zero points stay"));
  m_unquantized = addNames(form, tr("No fake quantization"),
                           tr("Layers that are not quantized while training, but afterwards"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel |
                                       QDialogButtonBox::RestoreDefaults);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(form);
  layout->addWidget(buttons);
  connect(m_stochastic, &QCheckBox::toggled, m_temperature, &QWidget::setEnabled);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this,
          [this] { setChoices({}); });
  setChoices(choices);
}

LayerListEdit* TrainingDialog::addNames(QFormLayout* form, const QString& label,
                                        const QString& tip) {
  auto* field = new LayerListEdit(m_layers.all);
  field->setAccessibleName(label);
  auto* add = new QPushButton(tr("Add Selected"));
  add->setAutoDefault(false);
  add->setToolTip(tr("Adds the layers that are selected in the window"));
  add->setEnabled(!m_layers.selected.isEmpty());
  connect(add, &QPushButton::clicked, field, [this, field] { field->add(m_layers.selected); });
  auto* both = new QWidget;
  both->setFocusProxy(field);
  auto* row = new QHBoxLayout(both);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(field, 1);
  row->addWidget(add);
  addField(form, {}, label, both, tip);
  return field;
}

TrainingChoices TrainingDialog::choices() const {
  TrainingChoices choices;
  if (m_steps->value() > 0) choices.steps = static_cast<std::size_t>(m_steps->value());
  choices.batch = static_cast<std::size_t>(m_batch->value());
  choices.scales =
      scaleFormFromName(m_scales->currentData().toString().toStdString()).value_or(ScaleForm::Log);
  choices.keepsWeights = m_keepsWeights->isChecked();
  if (m_stochastic->isChecked()) choices.stochastic = static_cast<float>(m_temperature->value());
  if (m_freezeAfter->value() != kNeverFrozen) {
    choices.freezeObserversAfter = static_cast<std::size_t>(m_freezeAfter->value());
  }
  choices.frozen = namesOfField(*m_frozen);
  choices.unobserved = namesOfField(*m_unobserved);
  choices.unquantized = namesOfField(*m_unquantized);
  return choices;
}

void TrainingDialog::setChoices(const TrainingChoices& choices) {
  m_steps->setValue(static_cast<int>(choices.steps.value_or(0)));
  m_batch->setValue(static_cast<int>(choices.batch));
  m_scales->setCurrentIndex(m_scales->findData(text(name(choices.scales))));
  m_keepsWeights->setChecked(choices.keepsWeights);
  m_stochastic->setChecked(choices.stochastic.has_value());
  m_temperature->setValue(static_cast<double>(choices.stochastic.value_or(1)));
  m_temperature->setEnabled(m_stochastic->isChecked());
  m_freezeAfter->setValue(choices.freezeObserversAfter
                              ? static_cast<int>(*choices.freezeObserversAfter)
                              : kNeverFrozen);
  setNames(*m_frozen, choices.frozen);
  setNames(*m_unobserved, choices.unobserved);
  setNames(*m_unquantized, choices.unquantized);
}

}  // namespace quantscope
