#include "widgets/configuration/overrides_model.h"

#include <algorithm>
#include <utility>

#include "graph/graph.h"
#include "precision/edits/edit_precision.h"
#include "widgets/look/text.h"
#include "widgets/words/configuration_words.h"
#include "widgets/words/gain_words.h"

namespace quantscope {
namespace {

using Entry = ConfigStep::Entry;

// The gain of an entry is the loss without it.
ConfigGain reversed(ConfigGain loss) {
  if (loss.gainDb) loss.gainDb = -*loss.gainDb;
  loss.bytes = -loss.bytes;
  return loss;
}

}  // namespace

void OverridesModel::setConfig(const PrecisionConfig& config, const Followed& followed,
                               const Repairs& repairs) {
  std::vector<Row> rows;
  for (const auto& [op, precision] : config.opTypes) rows.push_back({Entry::OpType, op, precision});
  for (const PatternPrecision& pattern : config.patterns) {
    rows.push_back({Entry::Pattern, pattern.match.expression(), pattern.use});
  }
  std::vector<std::pair<std::string, std::string>> followers;  // of what, which
  for (const auto& [node, precision] : config.nodes) {
    std::string lead = followed && precision.float32 ? followed(node) : std::string();
    if (lead.empty()) {
      rows.push_back({Entry::Node, node, precision});
    } else {
      followers.emplace_back(std::move(lead), node);
    }
  }
  for (auto& [lead, node] : followers) {
    const auto row = std::ranges::find_if(rows, [&](const Row& candidate) {
      return candidate.place == Entry::Node && candidate.name == lead;
    });
    if (row != rows.end()) row->fused.push_back(std::move(node));
  }
  for (const auto& [node, factors] : repairs.equalize) rows.push_back({Entry::Equalize, node, {}});
  if (rows == m_rows && config.defaults == m_defaults) return;
  beginResetModel();
  m_defaults = config.defaults;
  m_rows = std::move(rows);
  m_losses.clear();
  endResetModel();
}

void OverridesModel::setLosses(const ConfigGains& losses) {
  m_losses = losses;
  if (m_rows.empty()) return;
  Q_EMIT dataChanged(index(0, kGain), index(rowCount() - 1, kGain));
}

ConfigEdit OverridesModel::removal(int row) const {
  const Row& of = m_rows[static_cast<std::size_t>(row)];
  if (of.place == Entry::Equalize) return clearEqualization(of.name);
  const std::string what =
      of.place == Entry::Node ? "reset " + of.name : "remove the rule for " + of.name;
  return {what, {{.place = of.place, .name = of.name}}};
}

PrecisionTarget OverridesModel::target(int row) const {
  const Row& of = m_rows[static_cast<std::size_t>(row)];
  using Kind = PrecisionTarget::Kind;
  const Kind kind = of.place == Entry::OpType    ? Kind::OpType
                    : of.place == Entry::Pattern ? Kind::Pattern
                                                 : Kind::Nodes;
  return {kind, {of.name}};
}

int OverridesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int OverridesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QString OverridesModel::gainText(std::size_t row) const {
  if (row >= m_losses.size() || !m_losses[row]) return QStringLiteral("…");
  return gainWords(reversed(*m_losses[row]));
}

QString OverridesModel::namesOf(const Row& row) {
  QString names = text(row.name);
  if (!row.fused.empty()) names += tr("\nand what is fused with it:");
  for (const std::string& node : row.fused) names += u'\n' + text(node);
  return names;
}

QVariant OverridesModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
    return {};
  const auto place = static_cast<std::size_t>(index.row());
  const Row& row = m_rows[place];
  const bool known = place < m_losses.size() && m_losses[place];
  if (role == Qt::TextAlignmentRole) {
    return QVariant(Qt::AlignVCenter | (index.column() == kGain ? Qt::AlignRight : Qt::AlignLeft));
  }
  switch (index.column()) {
    case kName:
      if (role == Qt::DisplayRole) {
        if (row.place == Entry::OpType) return tr("every %1").arg(text(row.name));
        if (row.place == Entry::Pattern) return tr("names like %1").arg(text(row.name));
        if (row.fused.empty()) return text(row.name);
        return tr("%1 +%2").arg(text(row.name)).arg(row.fused.size());
      }
      if (role == Qt::ToolTipRole) return toolTipText(namesOf(row));
      if (role == kRawRole) return text(row.name);
      return {};
    case kPrecision:
      return precisionOf(row, role);
    case kGain:
      if (role == Qt::DisplayRole) return gainText(place);
      if (role == Qt::ToolTipRole) {
        return known ? gainSentence(reversed(*m_losses[place]))
                     : tr("Measured when there is time.");
      }
      if (role == kRawRole && known && m_losses[place]->gainDb) return -*m_losses[place]->gainDb;
      return {};
    default:
      if (role == Qt::DisplayRole) return QStringLiteral("✕");
      if (role == Qt::ToolTipRole) return tr("Remove it, so that the rules and the default hold.");
      if (role == Qt::AccessibleTextRole) return tr("Remove");
      return {};
  }
}

QVariant OverridesModel::precisionOf(const Row& row, int role) const {
  if (row.place == Entry::Equalize) {
    if (role == Qt::DisplayRole) return tr("equalized");
    if (role == Qt::ToolTipRole) {
      return tr("Its input channels are scaled, and its weights against that.");
    }
    return {};
  }
  if (role == Qt::DisplayRole) return overrideWords(m_defaults, row.precision);
  if (role == Qt::ToolTipRole) return text(words(fieldsOf(row.precision)));
  return {};
}

QVariant OverridesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case kName:
      return tr("Override");
    case kPrecision:
      return tr("Type");
    case kGain:
      return tr("Gain");
    default:
      return {};
  }
}

}  // namespace quantscope
