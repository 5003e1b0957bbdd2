#include "widgets/inspector/quantized/precision_section.h"

#include <QActionGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "base/number_text.h"
#include "precision/config/precision_words.h"
#include "widgets/look/text.h"
#include "widgets/precision/tensor_parts.h"
#include "widgets/precision/tensor_precision_form.h"
#include "widgets/precision/type_segments.h"
#include "widgets/words/configuration_words.h"

namespace quantscope {
namespace {

// The arrow and the padding of a button with a menu, in pixels.
constexpr int kMenuPadding = 32;

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
  if (selected.layers.size() == 1 && !selected.rule) {
    const std::size_t layer = selected.layers.front();
    if (!choices.typeOf(layer)) return text(choices.refusal(layer, QuantType::Float32)) + u'.';
    if (choices.overridden(layer)) {
      return PrecisionSection::tr("Override: %1").arg(changeWords(choices, layer));
    }
    return {};
  }
  const TypeOffer* common = selected.common();
  const QString layers = text(counted(selected.layers.size(), "layer"));
  QString words = common != nullptr
                      ? PrecisionSection::tr("%1, %2").arg(layers, typeTitle(common->type))
                      : PrecisionSection::tr("%1, mixed").arg(layers);
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
      m_rule(new QToolButton(this)),
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
  m_rule->setAutoRaise(true);
  m_rule->setPopupMode(QToolButton::InstantPopup);
  auto* rules = new QMenu(m_rule);
  m_rule->setMenu(rules);
  connect(rules, &QMenu::aboutToShow, this, &PrecisionSection::fillRules);
  auto* whose = new QHBoxLayout;
  whose->setContentsMargins(0, 0, 0, 0);
  whose->addWidget(m_rule);
  whose->addStretch(1);
  whose->addWidget(m_unfold);
  auto* state = new QHBoxLayout;
  state->setContentsMargins(0, 0, 0, 0);
  state->addWidget(m_state, 1);
  state->addWidget(m_reset);
  body()->addWidget(m_segments);
  body()->addLayout(whose);
  body()->addLayout(state);
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
  for (const TensorPart& part : tensorParts()) {
    const Role role = part.role == TensorRole::Weight       ? Role::Weights
                      : part.role == TensorRole::Activation ? Role::Inputs
                                                            : Role::Output;
    auto* form = new TensorPrecisionForm(role, m_details);
    form->addRange();
    column->addWidget(form);
    connect(form, &TensorPrecisionForm::edited, this,
            [this, &part](const TensorFields& fields, const QString& what) {
              m_editor->setFields(part.edit(fields),
                                  tr("%1 of").arg(what.left(1).toLower() + what.mid(1)));
            });
    m_forms.push_back({form, &part});
  }
}

// "This layer", "These 12 layers", "Every Conv"
void PrecisionSection::showRule() {
  const SelectedPrecision& selected = m_editor->selected();
  const std::optional<PrecisionTarget>& rule = selected.rule;
  const QString name = rule ? text(describe(*rule))
                       : selected.layers.size() == 1
                           ? tr("this layer")
                           : tr("these %L1 layers").arg(selected.layers.size());
  const QString words = tr("Set for %1");
  const QFontMetrics metrics = m_rule->fontMetrics();
  const int room = m_segments->width() - m_unfold->sizeHint().width() - kMenuPadding -
                   metrics.horizontalAdvance(words.arg(QString()));
  m_rule->setText(menuText(words.arg(metrics.elidedText(name, Qt::ElideMiddle, room))));
  m_rule->setToolTip(words.arg(name) + tr(".\nThe selected layers are set by entries of their own, "
                                          "or by a rule that means them all."));
}

void PrecisionSection::resizeEvent(QResizeEvent* event) {
  InspectorSection::resizeEvent(event);
  if (!m_editor->selected().empty()) showRule();
}

void PrecisionSection::fillRules() {
  QMenu& menu = *m_rule->menu();
  menu.clear();
  delete menu.findChild<QActionGroup*>();
  const std::optional<PrecisionTarget> now = m_editor->selected().rule;
  auto* choice = new QActionGroup(&menu);
  const auto add = [&](const QString& title, const std::optional<PrecisionTarget>& rule) {
    QAction* action =
        menu.addAction(title, m_editor, [editor = m_editor, rule] { editor->setRule(rule); });
    choice->addAction(action);
    action->setCheckable(true);
    action->setChecked(rule == now);
  };
  add(tr("The selected layers alone"), std::nullopt);
  for (const PrecisionTarget& rule : m_editor->rules()) {
    const QString name = text(describe(rule));
    const std::size_t layers = m_editor->choices()->layersOf(rule).size();
    add(menuText(tr("%1 (%2)").arg(name.left(1).toUpper() + name.mid(1),
                                   text(counted(layers, "layer")))),
        rule);
  }
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
  showRule();
  showState();
  showDetails();
}

void PrecisionSection::showState() {
  const SelectedPrecision& selected = m_editor->selected();
  m_state->setText(stateWords(*m_editor));
  m_state->setVisible(!m_state->text().isEmpty());
  m_reset->setVisible(selected.resettable);
}

void PrecisionSection::showDetails() {
  const SelectedPrecision& selected = m_editor->selected();
  if (selected.empty()) return;
  const TypeChoices& choices = *m_editor->choices();
  const bool settable = std::ranges::any_of(
      selected.layers, [&](std::size_t layer) { return choices.typeOf(layer).has_value(); });
  m_rule->setVisible(settable);
  m_unfold->setVisible(settable);
  m_details->setVisible(settable && m_unfold->isChecked());
  if (m_details->isHidden()) return;
  for (const auto& [form, part] : m_forms) {
    const SelectedTensor tensor = selectedTensor(*m_editor, *part);
    form->setVisible(!tensor.empty());
    if (tensor.empty()) continue;
    form->setPrecision(tensor.precision, tensor.mixed);
    form->offerTypes([&](QuantType type) { return tensorRefusal(*m_editor, *part, tensor, type); });
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
