#include "widgets/inspector/network/header_section.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "export/layer_words.h"
#include "widgets/controls/chip.h"
#include "widgets/controls/elided_label.h"
#include "widgets/controls/flow_layout.h"
#include "widgets/inspector/measured/error_words.h"
#include "widgets/look/text.h"
#include "widgets/words/configuration_words.h"
#include "widgets/words/layer_names.h"

namespace quantscope {
namespace {

using Kind = InspectorSubject::Kind;

struct ChipContent {
  QString text;
  QString toolTip;
  std::optional<QuantType> type;
};

void addType(QList<ChipContent>& chips, const QString& what, const QString& definition,
             const std::optional<AppliedType>& applied) {
  if (!applied) return;
  chips << ChipContent{what + u' ' + text(typeWords(applied)), definition, applied->type};
}

// Why a layer stays in float although a type is asked for; empty where it does not.
QString floatReason(const InspectorSubject& subject) {
  const auto& quantized = subject.snapshot->quantized;
  if (!subject.isLayer() || subject.layer().quantized || !quantized) return {};
  const auto found =
      std::ranges::find(quantized->notSupported, subject.layer().name, &NotSupported::node);
  if (found == quantized->notSupported.end()) return {};
  return HeaderSection::tr("Not quantized: %1.").arg(text(found->reason));
}

QList<ChipContent> chipsOf(const InspectorSubject& subject) {
  if (!subject.isLayer()) return {};
  const LayerResult& layer = subject.layer();
  QList<ChipContent> chips;
  if (!layer.quantized) {
    chips << ChipContent{
        layer.dataMover ? HeaderSection::tr("only moves data") : HeaderSection::tr("not quantized"),
        layer.dataMover
            ? HeaderSection::tr("Its output stays on the grid of its input.")
            : (HeaderSection::tr("This layer computes in float.") + u' ' + floatReason(subject))
                  .trimmed(),
        QuantType::Float32};
    return chips;
  }
  addType(chips, HeaderSection::tr("weights"),
          HeaderSection::tr("What the constant weights are rounded to"), layer.weight);
  // Their grids follow from the first sample.
  if (!subject.sampled()) return chips;
  addType(chips, HeaderSection::tr("inputs"),
          HeaderSection::tr("What the layer's inputs are rounded to"), layer.activation);
  addType(chips, HeaderSection::tr("output"),
          HeaderSection::tr("What the layer's output is rounded to"), layer.output);
  return chips;
}

QString titleOf(const InspectorSubject& subject) {
  switch (subject.kind) {
    case Kind::Layer:
      return text(layerOps(subject.layer()));
    case Kind::Several:
      return HeaderSection::tr("%L1 layers").arg(subject.selected.nodes().size());
    case Kind::Scope:
      return HeaderSection::tr("Scope");
    case Kind::Value: {
      const Value& value = subject.graph()[subject.selected.value];
      if (value.constant.defined()) return HeaderSection::tr("Constant");
      return value.producer.valid() ? HeaderSection::tr("Value") : HeaderSection::tr("Model input");
    }
    default:
      return HeaderSection::tr("Model");
  }
}

// The parts of their names that tell them apart, as many as one reads.
QString severalNames(const InspectorSubject& subject) {
  constexpr std::size_t kMost = 3;
  const std::vector<NodeId> nodes = subject.selected.nodes();
  const LayerNames layers(subject.result());
  QStringList names;
  for (std::size_t i = 0; i < std::min(kMost, nodes.size()); ++i) {
    names << layers.shortOf(text(subject.graph()[nodes[i]].name));
  }
  if (nodes.size() > kMost) names << QStringLiteral("…");
  return names.join(QStringLiteral(", "));
}

QString nameOf(const InspectorSubject& subject) {
  switch (subject.kind) {
    case Kind::Layer:
      return text(subject.layer().name);
    case Kind::Several:
      return severalNames(subject);
    case Kind::Scope:
      return text(subject.selected.scope);
    case Kind::Value:
      return text(subject.graph()[subject.selected.value].name);
    default:
      return text(subject.result().model);
  }
}

QString scopeTextOf(const InspectorSubject& subject) {
  if (!subject.isLayer() || subject.layer().scope.empty()) return {};
  return HeaderSection::tr("in %1").arg(text(subject.layer().scope));
}

// The origin of the chips' types.
QString ruleOf(const InspectorSubject& subject) {
  const LayerQuantization* layer = subject.quantization();
  if (layer == nullptr || layer->dataMover) return {};
  const QString words = ruleWords(*subject.snapshot->request.config.precision, layer->rule);
  return HeaderSection::tr("Precision %1.").arg(words);
}

QString noteOf(const InspectorSubject& subject) {
  for (const QString& reason : {notComputedWords(subject), floatReason(subject)}) {
    if (!reason.isEmpty()) return reason;
  }
  const QString stage = stageWords(subject);
  if (subject.kind != Kind::Model) return stage;
  const QString scheme = text(subject.result().scheme);
  return stage.isEmpty() ? scheme : scheme + u'\n' + stage;
}

}  // namespace

HeaderSection::HeaderSection(QWidget* parent)
    : InspectorSection(QStringLiteral("header"), {}, parent),
      m_title(wordLabel(this)),
      m_name(new ElidedLabel(this)),
      m_scope(new ElidedLabel(this)),
      m_chipBox(new QWidget(this)),
      m_rule(wordLabel(this, true)),
      m_note(wordLabel(this, true)) {
  QFont large = font();
  large.setPointSizeF(large.pointSizeF() * 1.3);
  large.setWeight(QFont::DemiBold);
  m_title->setFont(large);
  m_scope->setForegroundRole(QPalette::PlaceholderText);
  new FlowLayout(6, m_chipBox);
  body()->setSpacing(4);
  for (QWidget* widget : {static_cast<QWidget*>(m_title), static_cast<QWidget*>(m_name),
                          static_cast<QWidget*>(m_scope), m_chipBox, static_cast<QWidget*>(m_rule),
                          static_cast<QWidget*>(m_note)}) {
    body()->addWidget(widget);
  }
}

QString HeaderSection::heading() const {
  return m_name->text().isEmpty() ? m_title->text()
                                  : m_title->text() + QStringLiteral(" · ") + m_name->text();
}

void HeaderSection::insertBelowName(QWidget* widget) {
  body()->insertWidget(body()->indexOf(m_chipBox), widget);
}

bool HeaderSection::appliesTo(const InspectorSubject& /*subject*/) const {
  return true;
}

void HeaderSection::refresh() {
  setWords(m_title, titleOf(subject()));
  m_name->setText(nameOf(subject()));
  m_scope->setText(scopeTextOf(subject()));
  setWords(m_rule, ruleOf(subject()));
  setWords(m_note, noteOf(subject()));
  showChips();
}

void HeaderSection::showChips() {
  const QList<ChipContent> contents = chipsOf(subject());
  while (m_chips.size() < contents.size()) {
    m_chips << new Chip(m_chipBox);
    m_chipBox->layout()->addWidget(m_chips.last());
  }
  for (qsizetype i = 0; i < m_chips.size(); ++i) {
    m_chips[i]->setVisible(i < contents.size());
    if (i >= contents.size()) continue;
    m_chips[i]->setContent(contents[i].text, contents[i].toolTip, contents[i].type);
  }
  m_chipBox->setVisible(!contents.isEmpty());
}

QString HeaderSection::asText() const {
  QStringList lines{m_title->text(), m_name->text(), m_scope->text()};
  for (const ChipContent& chip : chipsOf(subject())) lines << chip.text;
  lines << m_rule->text() << m_note->text();
  lines.removeAll(QString());
  return lines.join(u'\n');
}

}  // namespace quantscope
