#include "widgets/inspector/quantized/precision_section.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "precision/config/precision_words.h"
#include "widgets/look/text.h"
#include "widgets/precision/tensor_precision_form.h"
#include "widgets/precision/type_segments.h"
#include "widgets/words/configuration_words.h"

namespace quantscope {
namespace {

// The fields that differ between two precisions of one tensor.
TensorFields changedFields(const TensorPrecision& before, const TensorPrecision& after) {
  TensorFields fields;
  if (after.type != before.type) fields.type = after.type;
  if (after.symmetric != before.symmetric) fields.symmetric = after.symmetric;
  if (after.granularity != before.granularity) fields.granularity = after.granularity;
  if (after.observer != before.observer) fields.observer = after.observer;
  if (after.dynamic != before.dynamic) fields.dynamic = after.dynamic;
  if (after.range != before.range) fields.range = after.range;
  return fields;
}

// "INT8 → FP16", or what differs within the type.
QString changeWords(const TypeChoices& choices, std::size_t layer) {
  const NodePrecision& before = choices.otherwise(layer);
  const NodePrecision& after = choices.precisionOf(layer);
  const LayerTensors& tensors = choices.tensorsOf(layer);
  const auto typeOf = [&](const NodePrecision& precision) {
    if (precision.float32) return QuantType::Float32;
    return signedType(tensors.weights ? precision.weight.type : precision.activation.type);
  };
  if (typeOf(before) != typeOf(after)) {
    return typeTitle(typeOf(before)) + QStringLiteral(" → ") + typeTitle(typeOf(after));
  }
  QStringList changes;
  const auto add = [&](bool present, const QString& what, const TensorPrecision& from,
                       const TensorPrecision& to, TensorRole role) {
    if (present && from != to) changes << what + u' ' + text(wordsOfChange(from, to, role));
  };
  add(tensors.weights, PrecisionSection::tr("weights"), before.weight, after.weight,
      TensorRole::Weight);
  add(tensors.activations, PrecisionSection::tr("input"), before.activation, after.activation,
      TensorRole::Activation);
  if (after.output != after.activation || before.output != before.activation) {
    add(tensors.outputs, PrecisionSection::tr("output"), before.output, after.output,
        TensorRole::Output);
  }
  return changes.isEmpty() ? PrecisionSection::tr("as without it")
                           : changes.join(QStringLiteral(", "));
}

QString stateWords(const PrecisionEditor& editor) {
  const SelectedPrecision& selected = editor.selected();
  const TypeChoices& choices = *editor.choices();
  if (selected.layers.size() == 1) {
    const std::size_t layer = selected.layers.front();
    if (!choices.typeOf(layer)) return text(choices.refusal(layer, QuantType::Float32)) + u'.';
    if (choices.overridden(layer)) {
      return PrecisionSection::tr("Override: %1").arg(changeWords(choices, layer));
    }
    return {};
  }
  const TypeOffer* common = selected.common();
  QString words = common != nullptr
                      ? PrecisionSection::tr("%L1 layers, %2")
                            .arg(selected.layers.size())
                            .arg(typeTitle(common->type))
                      : PrecisionSection::tr("%L1 layers, mixed").arg(selected.layers.size());
  if (selected.overridden > 0) {
    words += PrecisionSection::tr(" · %L1 overridden").arg(selected.overridden);
  }
  return words;
}

}  // namespace

PrecisionSection::PrecisionSection(PrecisionEditor* editor, QWidget* parent)
    : InspectorSection(QStringLiteral("precision"), {}, parent),
      m_editor(editor),
      m_segments(new TypeSegments(editor, this)),
      m_state(wordLabel(this, true)),
      m_unfold(new QToolButton(this)),
      m_reset(new QToolButton(this)),
      m_details(new QWidget(this)) {
  body()->setContentsMargins(0, 6, 0, 2);
  body()->setSpacing(4);
  m_segments->setAccessibleName(tr("Precision"));
  m_unfold->setText(tr("Details"));
  m_unfold->setToolTip(tr("Types, scales, observers and ranges of weights, input and output."));
  m_unfold->setCheckable(true);
  m_unfold->setAutoRaise(true);
  m_unfold->setArrowType(Qt::RightArrow);
  m_unfold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  m_reset->setText(tr("Reset"));
  m_reset->setToolTip(
      tr("Removes what is set for it alone, so that the rules and the default hold. (0)"));
  m_reset->setAutoRaise(true);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(m_state, 1);
  line->addWidget(m_reset);
  line->addWidget(m_unfold);
  body()->addWidget(m_segments);
  body()->addLayout(line);
  body()->addWidget(m_details);
  m_details->hide();
  addDetails();
  connect(m_reset, &QAbstractButton::clicked, editor, &PrecisionEditor::reset);
  connect(m_unfold, &QAbstractButton::toggled, this, [this](bool open) {
    m_unfold->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    showDetails();
  });
  connect(editor, &PrecisionEditor::changed, this, [this] {
    if (isVisible()) refresh();
  });
}

void PrecisionSection::addDetails() {
  using Role = TensorPrecisionForm::Role;
  auto* column = new QVBoxLayout(m_details);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(16);
  const auto add = [&](Role role, TensorPrecision NodePrecision::*precision,
                       TensorFields PrecisionFields::*fields, bool LayerTensors::*present) {
    auto* form = new TensorPrecisionForm(role, m_details);
    const Part part{form, precision, fields, present};
    column->addWidget(form);
    connect(form, &TensorPrecisionForm::edited, this,
            [this, part](const TensorPrecision& changed, const QString& what) {
              edit(part, changed, what);
            });
    m_parts.push_back(part);
  };
  add(Role::Weights, &NodePrecision::weight, &PrecisionFields::weight, &LayerTensors::weights);
  add(Role::Inputs, &NodePrecision::activation, &PrecisionFields::activation,
      &LayerTensors::activations);
  add(Role::Output, &NodePrecision::output, &PrecisionFields::output, &LayerTensors::outputs);
}

// Edits only the changed fields, so that several layers keep their own other fields.
void PrecisionSection::edit(const Part& part, const TensorPrecision& changed, const QString& what) {
  const SelectedPrecision& selected = m_editor->selected();
  if (selected.empty()) return;
  const NodePrecision& before = m_editor->choices()->precisionOf(selected.layers.front());
  PrecisionFields fields;
  fields.*part.fields = changedFields(before.*part.precision, changed);
  m_editor->setFields(fields, tr("%1 of").arg(what.left(1).toLower() + what.mid(1)));
}

bool PrecisionSection::appliesTo(const InspectorSubject& subject) const {
  using Kind = InspectorSubject::Kind;
  const bool layers =
      subject.isLayer() || subject.kind == Kind::Several || subject.kind == Kind::Scope;
  return layers && !m_editor->selected().empty();
}

void PrecisionSection::refresh() {
  if (m_editor->selected().empty()) return;
  m_segments->refresh();
  // Data movers have no types to choose.
  const TypeChoices& choices = *m_editor->choices();
  m_segments->setVisible(std::ranges::any_of(m_editor->selected().layers, [&](std::size_t layer) {
    return choices.typeOf(layer).has_value();
  }));
  showState();
  showDetails();
}

void PrecisionSection::showState() {
  const SelectedPrecision& selected = m_editor->selected();
  // It keeps its place where it has nothing to say.
  m_state->setText(stateWords(*m_editor));
  m_reset->setVisible(selected.overridden > 0);
}

void PrecisionSection::showDetails() {
  const SelectedPrecision& selected = m_editor->selected();
  if (selected.empty()) return;
  const TypeChoices& choices = *m_editor->choices();
  const std::size_t first = selected.layers.front();
  const bool settable = choices.typeOf(first).has_value();
  m_unfold->setVisible(settable);
  m_details->setVisible(settable && m_unfold->isChecked());
  if (m_details->isHidden()) return;
  const NodePrecision& precision = choices.precisionOf(first);
  for (const Part& part : m_parts) {
    part.form->setVisible(choices.tensorsOf(first).*part.present && !precision.float32);
    part.form->setPrecision(precision.*part.precision);
  }
}

QString PrecisionSection::asText() const {
  const SelectedPrecision& selected = m_editor->selected();
  QStringList lines;
  if (const TypeOffer* common = selected.common()) lines << typeTitle(common->type);
  lines << m_state->text();
  lines.removeAll(QString());
  return lines.join(u'\n');
}

}  // namespace quantscope
