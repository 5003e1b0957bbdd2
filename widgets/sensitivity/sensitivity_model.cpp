#include "widgets/sensitivity/sensitivity_model.h"

#include <algorithm>
#include <map>

#include "analysis/errors/class_drop.h"
#include "analysis/errors/worst_output.h"
#include "base/number_text.h"
#include "widgets/look/text.h"
#include "widgets/tables/cell_words.h"
#include "widgets/tables/title_header.h"
#include "widgets/words/configuration_words.h"
#include "widgets/words/estimate_words.h"

namespace quantscope {
namespace {

constexpr std::size_t kWorstSamples = 3;
constexpr double kMillion = 1e6;

struct Words {
  QString title;
  QString unit;
  QString definition;
};

QVariant number(const std::optional<double>& value) {
  return value ? QVariant(*value) : QVariant();
}

// Integer outputs are not compared; agreement is told of the first one that scores classes.
std::optional<double> agreementOf(const SensitivityRow& row) {
  for (const OutputResult& output : row.outputs) {
    if (output.top1Agreement) return *output.top1Agreement * 100;
  }
  return std::nullopt;
}

std::optional<double> divergenceOf(const SensitivityRow& row) {
  for (const OutputResult& output : row.outputs) {
    if (output.kl) return output.kl;
  }
  return std::nullopt;
}

QString worstSampleWords(const OutputResult& output) {
  QStringList samples;
  for (const SampleError& worst : worstSamples(output, kWorstSamples)) {
    samples << SensitivityModel::tr("%1 (%2 dB)").arg(worst.sample).arg(shortText(worst.sqnrDb));
  }
  return samples.join(QStringLiteral(", "));
}

// Of the first output with labels.
QString accuracyWords(const SensitivityRow& row) {
  for (const OutputResult& output : row.outputs) {
    if (!output.accuracyFloat || !output.accuracyQuantized) continue;
    return SensitivityModel::tr("accuracy: %1 in float, %2 so")
        .arg(text(percent(*output.accuracyFloat)), text(percent(*output.accuracyQuantized)));
  }
  return {};
}

Words wordsOf(int column) {
  using Model = SensitivityModel;
  switch (column) {
    case Model::kName:
      return {Model::tr("Layer"), {}, Model::tr("The layer that alone is changed.")};
    case Model::kType:
      return {Model::tr("Type"), {}, Model::tr("The type that it is tried in.")};
    case Model::kWorst:
      return {Model::tr("Worst output"), Model::tr("dB"),
              Model::tr("SQNR at the output of the network that this layer alone hurts most. High "
                        "is good.")};
    case Model::kLocal:
      return {
          Model::tr("Local"), Model::tr("dB"),
          Model::tr(
              "SQNR of the layer's own output, its inputs float and rounded by it alone: in the "
              "other views a grid that the layer before has put on them counts there. "
              "High is good.")};
    case Model::kAgreement:
      return {Model::tr("Agrees"), Model::tr("%"),
              Model::tr("Share of samples whose class stays the same. High is good.")};
    case Model::kSensitive:
      return {
          Model::tr("Sensitive"),
          {},
          Model::tr("Yes where accuracy or agreement is lower by more than 0.01 than before the "
                    "layer was changed.")};
    case Model::kKl:
      return {Model::tr("KL"),
              {},
              Model::tr("Kullback-Leibler divergence of the class scores from the float ones, at "
                        "the first output that has such. Low is good.")};
    case Model::kBytes:
      return {Model::tr("Weights"), Model::tr("B"),
              Model::tr("Bytes of the layer's weights in that type, with scales and zero points.")};
    case Model::kMacs:
      return {Model::tr("MACs"), Model::tr("M"),
              Model::tr("Multiply-accumulates of the layer for one sample, in millions: what a "
                        "wider type makes slower.")};
    default:
      return {Model::tr("Samples"),
              {},
              Model::tr("How many samples the figure is of: what is not measured yet has few.")};
  }
}

}  // namespace

void SensitivityModel::setState(SnapshotPtr analysis, SensitivityStatePtr state) {
  beginResetModel();
  m_analysis = std::move(analysis);
  m_state = m_analysis ? std::move(state) : nullptr;
  m_layers = m_analysis ? LayerIndex(*m_analysis->result) : LayerIndex();
  m_nodes.clear();
  m_estimates.clear();
  if (m_state) {
    std::map<std::pair<std::string_view, QuantType>, const SensitivityRow*> estimates;
    for (const SensitivityRow& row : m_state->estimates) estimates[{row.node, row.type}] = &row;
    const auto add = [&](const auto& row) {
      m_nodes.push_back(m_analysis->graph().findNode(row.node));
      const auto found = estimates.find({row.node, row.type});
      m_estimates.push_back(found == estimates.end() ? nullptr : found->second);
    };
    std::ranges::for_each(m_state->rows, add);
    std::ranges::for_each(m_state->waiting, add);
  }
  endResetModel();
}

NodeId SensitivityModel::nodeAt(int row) const {
  return m_nodes[static_cast<std::size_t>(row)];
}

std::optional<std::size_t> SensitivityModel::layerAt(int row) const {
  return m_layers.find(nodeAt(row));
}

const LayerResult* SensitivityModel::layerOf(int row) const {
  const std::optional<std::size_t> place = layerAt(row);
  return place ? &m_analysis->result->layers[*place] : nullptr;
}

const SensitivityRow* SensitivityModel::measuredAt(int row) const {
  const auto place = static_cast<std::size_t>(row);
  return place < m_state->rows.size() ? &m_state->rows[place] : nullptr;
}

const RankedRow& SensitivityModel::waitingAt(int row) const {
  return m_state->waiting[static_cast<std::size_t>(row) - m_state->rows.size()];
}

std::size_t SensitivityModel::outputs() const {
  return m_state ? m_state->baseline.size() : 0;
}

int SensitivityModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_nodes.size());
}

// Each output has a column where there are several.
int SensitivityModel::columnCount(const QModelIndex& parent) const {
  if (parent.isValid()) return 0;
  return kFirstOutput + (outputs() > 1 ? static_cast<int>(outputs()) : 0);
}

QVariant SensitivityModel::figureOf(const SensitivityRow& row, int column) const {
  switch (column) {
    case kName:
      return text(row.node);
    case kType:
      return typeTitle(row.type);
    case kWorst:
      return number(worstOutputSqnr(row.outputs));
    case kLocal:
      return number(row.localSqnrDb);
    case kAgreement:
      return number(agreementOf(row));
    case kSensitive: {
      const std::optional<bool> sensitive = isSensitive(row.outputs, m_state->baseline);
      return sensitive ? QVariant(*sensitive ? tr("yes") : tr("no")) : QVariant();
    }
    case kKl:
      return number(divergenceOf(row));
    case kBytes:
      return row.weightBytes > 0 ? QVariant(static_cast<qlonglong>(row.weightBytes)) : QVariant();
    case kMacs:
      return row.macs ? QVariant(*row.macs / kMillion) : QVariant();
    case kSamples:
      return static_cast<qlonglong>(m_state->samples);
    default:
      break;
  }
  const auto output = static_cast<std::size_t>(column - kFirstOutput);
  return output < row.outputs.size() ? number(row.outputs[output].error.sqnrDb) : QVariant();
}

QVariant SensitivityModel::rawValue(int row, int column) const {
  if (const SensitivityRow* measured = measuredAt(row)) return figureOf(*measured, column);
  const RankedRow& waiting = waitingAt(row);
  if (column == kName) return text(waiting.node);
  if (column == kType) return typeTitle(waiting.type);
  if (column == kWorst) return number(waiting.sqnrDb);
  if (column == kSamples) {
    return static_cast<qlonglong>(waiting.estimated ? m_state->estimatedOn : m_state->rankedOn);
  }
  return {};
}

QString SensitivityModel::explanationOf(const RankedRow& waiting,
                                        const SensitivityRow* estimate) const {
  if (waiting.estimated) return estimateSentence(m_state->estimatedOn);
  QStringList lines{tr("Not measured yet: the figure is of the first output, on %n sample(s).",
                       nullptr, static_cast<int>(m_state->rankedOn))};
  if (estimate != nullptr && !estimate->refused.empty()) lines << text(estimate->refused);
  return lines.join(u'\n');
}

QString SensitivityModel::explanation(int row, int column) const {
  const SensitivityRow* measured = measuredAt(row);
  const SensitivityRow* estimate = m_estimates[static_cast<std::size_t>(row)];
  if (measured == nullptr) return explanationOf(waitingAt(row), estimate);
  if (!measured->refused.empty()) return text(measured->refused);
  if (column == kName) {
    QStringList lines{text(measured->node)};
    for (const std::string& other : measured->alsoInGroup) {
      lines << tr("changes with it: %1").arg(text(other));
    }
    return lines.join(u'\n');
  }
  const PrecisionPart part = m_state->asked.part;
  if (column == kType && part != PrecisionPart::Both) {
    const QString type = typeTitle(measured->type);
    return part == PrecisionPart::Weights
               ? tr("Only the weights are in %1: activations stay in float.").arg(type)
               : tr("Only the activations are in %1: weights stay in float.").arg(type);
  }
  if (column == kWorst) {
    QStringList lines;
    for (const OutputResult& output : measured->outputs) {
      if (output.error.count == 0) continue;
      lines << tr("%1: %2 dB").arg(text(output.value), exactText(output.error.sqnrDb));
      const QString samples = worstSampleWords(output);
      if (!samples.isEmpty()) lines << tr("worst samples: %1").arg(samples);
    }
    const auto before = estimate != nullptr ? worstOutputSqnr(estimate->outputs) : std::nullopt;
    if (before) lines << tr("estimated before: %1 dB").arg(shortText(before));
    return lines.join(u'\n');
  }
  if (column == kAgreement || column == kSensitive) {
    const QString accuracy = accuracyWords(*measured);
    if (!accuracy.isEmpty()) return accuracy;
  }
  const QVariant raw = rawValue(row, column);
  if (raw.typeId() == QMetaType::Double) return exactText(raw.toDouble());
  return raw.toString();
}

QVariant SensitivityModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
    return {};
  const int row = index.row();
  const bool isText = index.column() <= kType;
  switch (role) {
    case Qt::DisplayRole:
    case kExactRole:
      return rawValue(row, index.column());
    case Qt::AccessibleTextRole:
      return cellWords(rawValue(row, index.column()));
    case Qt::ToolTipRole:
      return toolTipText(explanation(row, index.column()));
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (isText ? Qt::AlignLeft : Qt::AlignRight));
    case kOperatorRole: {
      const LayerResult* layer = layerOf(row);
      return layer != nullptr ? text(layer->op) : QString();
    }
    case kWaitsRole:
      return measuredAt(row) == nullptr;
    default:
      return {};
  }
}

QVariant SensitivityModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  Words words;
  if (section < kFirstOutput) {
    words = wordsOf(section);
  } else {
    const auto output = static_cast<std::size_t>(section - kFirstOutput);
    words = {text(m_state->baseline[output].value), tr("dB"), tr("SQNR at this output.")};
  }
  const QString heading =
      words.unit.isEmpty() ? words.title : words.title + QStringLiteral(" (%1)").arg(words.unit);
  switch (role) {
    case Qt::DisplayRole:
      return heading;
    case Qt::ToolTipRole:
      return QStringLiteral("<p><b>%1</b><br>%2</p>")
          .arg(heading.toHtmlEscaped(), words.definition.toHtmlEscaped());
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (section <= kType ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::InitialSortOrderRole:
      return static_cast<int>(section == kBytes || section == kMacs ? Qt::DescendingOrder
                                                                    : Qt::AscendingOrder);
    case TitleHeader::kTitle:
      return words.title;
    case TitleHeader::kUnit:
      return words.unit;
    default:
      return {};
  }
}

}  // namespace quantscope
