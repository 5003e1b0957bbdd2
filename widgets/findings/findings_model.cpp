#include "widgets/findings/findings_model.h"

#include <cmath>

#include "widgets/layers/title_header.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

struct Heading {
  const char* title;
  const char* unit;
  const char* definition;
};

constexpr Heading kHeadings[] = {
    {QT_TRANSLATE_NOOP("FindingsModel", "Finding"), "",
     QT_TRANSLATE_NOOP("FindingsModel", "What was found, in one sentence")},
    {QT_TRANSLATE_NOOP("FindingsModel", "Layer"), "",
     QT_TRANSLATE_NOOP("FindingsModel", "The layer that it is about")},
    {QT_TRANSLATE_NOOP("FindingsModel", "Statistic"), "",
     QT_TRANSLATE_NOOP("FindingsModel", "The figure that the detector computed")},
    {QT_TRANSLATE_NOOP("FindingsModel", "Threshold"), "",
     QT_TRANSLATE_NOOP("FindingsModel", "From where on the detector speaks up")},
    {QT_TRANSLATE_NOOP("FindingsModel", "Gain"), "dB",
     QT_TRANSLATE_NOOP("FindingsModel",
                       "Change of the SQNR of the network's output under the suggestion alone, "
                       "from running it on the data; – where there is nothing to run")},
};

constexpr quintptr kIsHeading = 0;  // else: index of the group, from 1

}  // namespace

void FindingsModel::show(SnapshotPtr snapshot, const Dismissed& dismissed,
                         const FindingsQuery& query) {
  beginResetModel();
  m_snapshot = std::move(snapshot);
  m_dismissed = dismissed;
  m_groups = groupFindings(findings(), m_dismissed, query);
  endResetModel();
}

const std::vector<Finding>& FindingsModel::findings() const {
  static const std::vector<Finding> kNone;
  return m_snapshot && m_snapshot->detected ? m_snapshot->detected->findings : kNone;
}

const Finding* FindingsModel::finding(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == kIsHeading) return nullptr;
  const FindingGroup& group = m_groups[index.internalId() - 1];
  return &findings()[group.findings[static_cast<std::size_t>(index.row())]];
}

template <class Matches>
QModelIndex FindingsModel::findIf(Matches matches) const {
  for (std::size_t group = 0; group < m_groups.size(); ++group) {
    const std::vector<std::size_t>& listed = m_groups[group].findings;
    for (std::size_t row = 0; row < listed.size(); ++row) {
      if (matches(findings()[listed[row]]))
        return createIndex(static_cast<int>(row), 0, static_cast<quintptr>(group + 1));
    }
  }
  return {};
}

QModelIndex FindingsModel::find(const std::string& id) const {
  return findIf([&](const Finding& finding) { return finding.id == id; });
}

QModelIndex FindingsModel::find(NodeId node) const {
  return findIf([&](const Finding& finding) { return finding.node == node; });
}

std::size_t FindingsModel::listed() const {
  std::size_t count = 0;
  for (const FindingGroup& group : m_groups) count += group.findings.size();
  return count;
}

QModelIndex FindingsModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column,
                     parent.isValid() ? static_cast<quintptr>(parent.row() + 1) : kIsHeading);
}

QModelIndex FindingsModel::parent(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == kIsHeading) return {};
  return createIndex(static_cast<int>(index.internalId() - 1), 0, kIsHeading);
}

int FindingsModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(m_groups.size());
  if (parent.internalId() != kIsHeading || parent.column() > 0) return 0;
  return static_cast<int>(m_groups[static_cast<std::size_t>(parent.row())].findings.size());
}

int FindingsModel::columnCount(const QModelIndex& /*parent*/) const {
  return kColumns;
}

QVariant FindingsModel::headingData(const FindingGroup& group, int column, int role) const {
  if (column != kSentence) return {};
  if (role == Qt::DisplayRole) return group.title;
  if (role == kCountRole) return static_cast<qlonglong>(group.findings.size());
  if (role == Qt::AccessibleTextRole)
    return tr("%1, %n finding(s)", nullptr, static_cast<int>(group.findings.size()))
        .arg(group.title);
  return {};
}

QVariant FindingsModel::cell(const Finding& finding, int column) const {
  switch (column) {
    case kSentence:
      return text(finding.text);
    case kLayer:
      return text(finding.nodeName);
    case kStatistic:
      return finding.statistic;
    case kThreshold:
      return finding.threshold;
    case kGain:
      if (!finding.suggestion || !finding.suggestion->gainDb) return {};
      return *finding.suggestion->gainDb;
    default:
      return {};
  }
}

QVariant FindingsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Finding* finding = this->finding(index);
  if (finding == nullptr)
    return headingData(m_groups[static_cast<std::size_t>(index.row())], index.column(), role);
  const QVariant raw = cell(*finding, index.column());
  const bool number = index.column() >= kStatistic;
  switch (role) {
    case Qt::DisplayRole:
    case kExactRole:
      return raw;
    case Qt::AccessibleTextRole:
      return number ? (raw.isValid() ? shortText(raw.toDouble()) : QStringLiteral("–"))
                    : raw.toString();
    case Qt::ToolTipRole:
      if (index.column() == kSentence)
        return QStringLiteral("<p><b>%1</b></p><p>%2</p>")
            .arg(text(finding->text).toHtmlEscaped(), text(finding->why).toHtmlEscaped());
      return number ? (raw.isValid() ? exactText(raw.toDouble()) : QString()) : raw.toString();
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
    case kSeverityRole:
      return static_cast<int>(finding->severity);
    case kDismissedRole:
      return m_dismissed.contains(finding->id);
    default:
      return {};
  }
}

QVariant FindingsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  const Heading& heading = kHeadings[section];
  const QString unit = QString::fromLatin1(heading.unit);
  switch (role) {
    case Qt::DisplayRole:
      return unit.isEmpty() ? tr(heading.title)
                            : QStringLiteral("%1 (%2)").arg(tr(heading.title), unit);
    case TitleHeader::kTitle:
      return tr(heading.title);
    case TitleHeader::kUnit:
      return unit;
    case Qt::ToolTipRole:
      return QStringLiteral("<p>%1</p>").arg(tr(heading.definition));
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (section >= kStatistic ? Qt::AlignRight : Qt::AlignLeft));
    default:
      return {};
  }
}

}  // namespace quantscope
