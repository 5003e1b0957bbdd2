#include "widgets/findings/findings_model.h"

#include "widgets/look/text.h"
#include "widgets/tables/title_header.h"
#include "widgets/words/finding_words.h"

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
                       "from running it on the data. ≈ was estimated by gradients, … is being "
                       "simulated, – was not")},
};

constexpr quintptr kIsHeading = 0;  // else: index of the group, from 1

const std::vector<Finding>& findingsOf(const SnapshotPtr& snapshot) {
  static const std::vector<Finding> kNothing;
  return snapshot && snapshot->detected ? snapshot->detected->findings : kNothing;
}

// Identifies every row by its subject.
std::vector<std::string> rowsOf(const std::vector<Finding>& findings,
                                const std::vector<FindingGroup>& groups) {
  std::vector<std::string> rows;
  for (const FindingGroup& group : groups) {
    rows.push_back('\n' + group.title.toStdString());
    for (const std::size_t i : group.findings) rows.push_back(findings[i].id);
  }
  return rows;
}

// Compares the cells of two findings with the same id.
bool sameCells(const Finding& a, const Finding& b) {
  const auto gain = [](const Finding& finding) {
    return finding.suggestion
               ? std::pair(finding.suggestion->gainDb, finding.suggestion->gainEstimated)
               : std::pair(std::optional<double>(), false);
  };
  return a.severity == b.severity && a.statistic == b.statistic && a.threshold == b.threshold &&
         a.confidence == b.confidence && a.text == b.text && a.why == b.why &&
         a.suggestion.has_value() == b.suggestion.has_value() && gain(a) == gain(b);
}

FindingOrder orderOf(int column) {
  switch (column) {
    case FindingsModel::kSentence:
      return FindingOrder::Severity;
    case FindingsModel::kLayer:
      return FindingOrder::Layer;
    case FindingsModel::kStatistic:
      return FindingOrder::Statistic;
    case FindingsModel::kThreshold:
      return FindingOrder::Threshold;
    case FindingsModel::kGain:
      return FindingOrder::Gain;
    default:
      return FindingOrder::Report;
  }
}

}  // namespace

void FindingsModel::setCompared(std::shared_ptr<const DetectorReport> compared) {
  m_compared = std::move(compared);
}

std::set<std::string> FindingsModel::newIn(const SnapshotPtr& snapshot) const {
  std::set<std::string> ids;
  if (!m_compared) return ids;
  for (const Finding& finding : findingsOf(snapshot)) ids.insert(finding.id);
  for (const Finding& finding : m_compared->findings) ids.erase(finding.id);
  return ids;
}

// Of the findings of B that are asked for, those that a snapshot has not.
std::vector<std::size_t> FindingsModel::missingIn(const SnapshotPtr& snapshot) const {
  if (!m_compared || !snapshot || !snapshot->detected) return {};
  std::set<std::string> found;
  for (const Finding& finding : findingsOf(snapshot)) found.insert(finding.id);
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < m_compared->findings.size(); ++i) {
    if (!found.contains(m_compared->findings[i].id)) missing.push_back(i);
  }
  std::vector<std::size_t> listed;
  for (const FindingGroup& group :
       groupFindings(m_compared->findings, missing, m_dismissed, m_query)) {
    listed.insert(listed.end(), group.findings.begin(), group.findings.end());
  }
  return listed;
}

// Gains come in one after the other: rows that stay where they are keep what is folded, where the
// list is scrolled to and what is current.
void FindingsModel::show(SnapshotPtr snapshot, const Dismissed& dismissed,
                         const FindingsQuery& query) {
  const bool sameDismissed = dismissed == m_dismissed;
  m_dismissed = dismissed;
  m_query = query;
  std::vector<FindingGroup> groups = grouped(snapshot);
  std::vector<std::size_t> mended = missingIn(snapshot);
  const bool same = rowsOf(findingsOf(snapshot), groups) == rowsOf(findings(), m_groups) &&
                    mended == m_mended && (mended.empty() || m_compared == m_mendedOf);
  if (!same) beginResetModel();
  if (snapshot) m_names = LayerNames(*snapshot->result);
  const std::set<std::string> newBefore = std::exchange(m_new, newIn(snapshot));
  m_mended = std::move(mended);
  m_mendedOf = m_compared;
  const SnapshotPtr before = std::exchange(m_snapshot, std::move(snapshot));
  const std::vector<FindingGroup> groupsBefore = std::exchange(m_groups, std::move(groups));
  if (!same) return endResetModel();
  tellRows([&](std::size_t group, std::size_t row) {
    const Finding& finding = findings()[m_groups[group].findings[row]];
    return !sameDismissed || newBefore.contains(finding.id) != m_new.contains(finding.id) ||
           !sameCells(findingsOf(before)[groupsBefore[group].findings[row]], finding);
  });
}

std::vector<FindingGroup> FindingsModel::grouped(const SnapshotPtr& snapshot) const {
  const std::vector<Finding>& findings = findingsOf(snapshot);
  const LayerIndex layers =
      snapshot && m_order == FindingOrder::Layer ? LayerIndex(*snapshot->result) : LayerIndex();
  const std::vector<std::size_t> order = orderFindings(findings, layers, m_order, m_direction);
  return groupFindings(findings, order, m_dismissed, m_query);
}

void FindingsModel::regroup() {
  beginResetModel();
  m_groups = grouped(m_snapshot);
  endResetModel();
}

template <class Changed>
void FindingsModel::tellRows(Changed changed) {
  for (std::size_t group = 0; group < m_groups.size(); ++group) {
    const QModelIndex heading = index(static_cast<int>(group), 0);
    for (std::size_t row = 0; row < m_groups[group].findings.size(); ++row) {
      if (!changed(group, row)) continue;
      const int at = static_cast<int>(row);
      Q_EMIT dataChanged(index(at, 0, heading), index(at, kColumns - 1, heading));
    }
  }
}

void FindingsModel::setPending(bool pending) {
  if (pending == m_pending) return;
  m_pending = pending;
  tellRows([this](std::size_t group, std::size_t row) {
    const Finding& finding = findings()[m_groups[group].findings[row]];
    return finding.suggestion && !finding.suggestion->gainDb;
  });
}

void FindingsModel::sort(int column, Qt::SortOrder direction) {
  const FindingOrder order = orderOf(column);
  if (order == m_order && direction == m_direction) return;
  m_order = order;
  m_direction = direction;
  regroup();
}

const std::vector<Finding>& FindingsModel::findings() const {
  return findingsOf(m_snapshot);
}

const Finding* FindingsModel::finding(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == kIsHeading) return nullptr;
  if (index.internalId() > m_groups.size()) return nullptr;
  const FindingGroup& group = m_groups[index.internalId() - 1];
  return &findings()[group.findings[static_cast<std::size_t>(index.row())]];
}

const Finding* FindingsModel::mended(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() <= m_groups.size()) return nullptr;
  return &m_mendedOf->findings[m_mended[static_cast<std::size_t>(index.row())]];
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

std::vector<const Finding*> FindingsModel::listed() const {
  std::vector<const Finding*> listed;
  for (const FindingGroup& group : m_groups) {
    for (const std::size_t i : group.findings) listed.push_back(&findings()[i]);
  }
  return listed;
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
  if (!parent.isValid()) return static_cast<int>(m_groups.size()) + (m_mended.empty() ? 0 : 1);
  if (parent.internalId() != kIsHeading || parent.column() > 0) return 0;
  if (isMended(parent)) return static_cast<int>(m_mended.size());
  return static_cast<int>(m_groups[static_cast<std::size_t>(parent.row())].findings.size());
}

int FindingsModel::columnCount(const QModelIndex& /*parent*/) const {
  return kColumns;
}

QVariant FindingsModel::headingData(const QString& title, std::size_t count, int column,
                                    int role) const {
  if (column != kSentence) return {};
  if (role == Qt::DisplayRole) return title;
  if (role == kCountRole) return static_cast<qlonglong>(count);
  if (role == Qt::AccessibleTextRole) return tr("%1, findings: %2").arg(title).arg(count);
  return {};
}

// As it was under B.
QVariant FindingsModel::mendedData(const Finding& finding, int column, int role) const {
  const QVariant raw = column == kGain ? QVariant() : cell(finding, column);
  switch (role) {
    case Qt::DisplayRole:
    case kExactRole:
      return raw;
    case kShortRole:
      return shortCell(finding, column);
    case Qt::AccessibleTextRole:
      return column == kSentence ? tr("Mended: %1").arg(raw.toString()) : raw.toString();
    case Qt::ToolTipRole:
      return tr("Is found under B, and no more.");
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (column >= kStatistic ? Qt::AlignRight : Qt::AlignLeft));
    case kSeverityRole:
      return static_cast<int>(finding.severity);
    case kDismissedRole:
      return true;
    default:
      return {};
  }
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

QVariant FindingsModel::shortCell(const Finding& finding, int column) const {
  if (column == kSentence) return m_names.shortened(text(finding.text));
  return column == kLayer ? m_names.shortOf(text(finding.nodeName)) : QVariant();
}

QString FindingsModel::spoken(const Finding& finding, int column, const QVariant& raw) const {
  switch (column) {
    case kSentence:
      return wordOf(finding.severity) + QStringLiteral(": ") + raw.toString() +
             (m_new.contains(finding.id) ? tr(", new") : QString());
    case kGain:
      return gainText(finding, m_pending);
    default:
      return raw.typeId() == QMetaType::Double ? shortText(raw.toDouble()) : raw.toString();
  }
}

QString FindingsModel::explained(const Finding& finding, int column, const QVariant& raw) const {
  if (column == kSentence) {
    return QStringLiteral("<p><b>%1</b></p><p>%2</p>")
        .arg(text(finding.text).toHtmlEscaped(), text(finding.why).toHtmlEscaped());
  }
  if (column == kGain && !raw.isValid()) {
    if (!canBeApplied(finding)) return tr("There is no change of the configuration to run.");
    return m_pending ? tr("Is being simulated")
                     : tr("Was not simulated; apply it to see what it gains.");
  }
  if (column == kGain && finding.suggestion->gainEstimated)
    return tr("Estimated by gradients; it was not measured, as it is next to nothing or a loss.");
  const QString outputs = column == kGain ? outputGainsWords(finding) : QString();
  if (!outputs.isEmpty()) {
    return QStringLiteral("<p>%1</p><p>%2</p>")
        .arg(exactText(raw.toDouble()), outputs.toHtmlEscaped());
  }
  if (column == kStatistic || column == kThreshold) {
    return QStringLiteral("<p>%1</p><p>%2</p>")
        .arg(exactText(raw.toDouble()), statisticWords(finding).toHtmlEscaped());
  }
  return raw.typeId() == QMetaType::Double ? exactText(raw.toDouble()) : raw.toString();
}

QVariant FindingsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (const Finding* was = mended(index)) return mendedData(*was, index.column(), role);
  const Finding* finding = this->finding(index);
  if (finding == nullptr && isMended(index)) {
    return headingData(tr("Mended"), m_mended.size(), index.column(), role);
  }
  if (finding == nullptr) {
    const FindingGroup& group = m_groups[static_cast<std::size_t>(index.row())];
    return headingData(group.title, group.findings.size(), index.column(), role);
  }
  const QVariant raw = cell(*finding, index.column());
  const bool number = index.column() >= kStatistic;
  switch (role) {
    case Qt::DisplayRole:
    case kExactRole:
      return raw;
    case Qt::AccessibleTextRole:
      return spoken(*finding, index.column(), raw);
    case Qt::ToolTipRole:
      return explained(*finding, index.column(), raw);
    case kShortRole:
      return shortCell(*finding, index.column());
    case kGainTextRole:
      return index.column() == kGain ? gainText(*finding, m_pending) : QVariant();
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
    case kSeverityRole:
      return static_cast<int>(finding->severity);
    case kDismissedRole:
      return m_dismissed.contains(finding->id);
    case kNewRole:
      return m_new.contains(finding->id);
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
