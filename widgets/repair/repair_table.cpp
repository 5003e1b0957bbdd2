#include "widgets/repair/repair_table.h"

#include <QHeaderView>
#include <algorithm>
#include <utility>

#include "export/repair_words.h"
#include "training/training_steps.h"
#include "widgets/copy/table_actions.h"
#include "widgets/look/text.h"
#include "widgets/tables/row_looks.h"
#include "widgets/tables/table_looks.h"

namespace quantscope {
namespace {

QString gainWords(const std::optional<double>& gain) {
  if (!gain) return QStringLiteral("–");
  return (*gain > 0 ? QStringLiteral("+") : QString()) + fixedText(*gain, 2);
}

}  // namespace

QString remarkWords(const StepReport& report) {
  QStringList lines;
  const std::string figures = figuresOf(report);
  if (!figures.empty()) lines << capitalized(text(figures));
  for (const std::string& remark : remarksOf(report)) lines << capitalized(text(remark));
  return lines.join(u'\n');
}

RepairTable::RepairTable(std::vector<RepairStep> steps, std::size_t triedByDefault, QWidget* parent)
    : QTableWidget(parent), m_all(std::move(steps)), m_triedByDefault(triedByDefault) {
  setAccessibleName(tr("Steps"));
  setColumnCount(kColumns);
  setHorizontalHeaderLabels({tr("Step"), tr("Held out (dB)"), tr("Fitted (dB)"), tr("Layers"),
                             tr("Bytes"), tr("Seconds"), tr("Verdict")});
  for (const int column : {kStep, kVerdict}) {
    horizontalHeaderItem(column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  }
  dressTable(*this);
  useSelectionTint(*this);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setContextMenuPolicy(Qt::ActionsContextMenu);
  tableActions(this, QStringLiteral("repair-steps"));
  setRowCount(static_cast<int>(m_all.size()));
  for (int row = 0; row < rowCount(); ++row) {
    const RepairStep& step = m_all[static_cast<std::size_t>(row)];
    auto* item = new QTableWidgetItem(text(step.name));
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setToolTip(text(step.what));
    setItem(row, kStep, item);
  }
  choose({});
  setReports({});
  selectRow(0);
  horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  horizontalHeader()->setSectionResizeMode(kVerdict, QHeaderView::Stretch);
}

void RepairTable::choose(const std::vector<std::string>& steps) {
  for (int row = 0; row < rowCount(); ++row) {
    const auto index = static_cast<std::size_t>(row);
    const bool chosen = steps.empty() ? index < m_triedByDefault
                                      : std::ranges::find(steps, m_all[index].name) != steps.end();
    item(row, kStep)->setCheckState(chosen ? Qt::Checked : Qt::Unchecked);
  }
}

bool RepairTable::isChosen(std::size_t step) const {
  return item(static_cast<int>(step), kStep)->checkState() == Qt::Checked;
}

std::optional<std::size_t> RepairTable::firstChosen() const {
  for (std::size_t i = 0; i < m_all.size(); ++i) {
    if (isChosen(i)) return i;
  }
  return {};
}

std::size_t RepairTable::current() const {
  return static_cast<std::size_t>(std::max(currentRow(), 0));
}

void RepairTable::setReports(const std::vector<StepReport>& reports) {
  m_reports.clear();
  for (const StepReport& report : reports) m_reports.emplace(report.step, report);
  for (int row = 0; row < rowCount(); ++row) showStep(row);
  // Without figures there is more room for what the steps do.
  for (int column = kHeldOut; column < kVerdict; ++column) setColumnHidden(column, reports.empty());
  horizontalHeaderItem(kVerdict)->setText(reports.empty() ? tr("What it does") : tr("Verdict"));
}

void RepairTable::setRunning(const std::optional<std::size_t>& step) {
  if (step == m_running) return;
  const std::optional<std::size_t> before = std::exchange(m_running, step);
  if (before) showStep(static_cast<int>(*before));
  if (!step) return;
  showStep(static_cast<int>(*step));
  scrollToItem(item(static_cast<int>(*step), kStep));
}

void RepairTable::followStage(const std::string& stage) {
  for (std::size_t i = 0; i < m_all.size(); ++i) {
    const bool trains = m_all[i].name == kTrainingStep && stage.starts_with("Training ");
    if (trains || m_all[i].name == stage) return setRunning(i);
  }
}

void RepairTable::selectKept() {
  for (int row = 0; row < rowCount(); ++row) {
    const StepReport* report = reportOf(static_cast<std::size_t>(row));
    if (report == nullptr || !report->kept) continue;
    selectRow(row);
    return scrollToItem(item(row, kStep), QAbstractItemView::PositionAtCenter);
  }
}

const StepReport* RepairTable::reportOf(std::size_t step) const {
  const auto found = m_reports.find(m_all[step].name);
  return found == m_reports.end() ? nullptr : &found->second;
}

void RepairTable::resizeEvent(QResizeEvent* event) {
  QTableWidget::resizeEvent(event);
  scrollTo(currentIndex());
}

void RepairTable::setCell(int row, int column, const QString& words, const QString& tip) {
  auto* item = new QTableWidgetItem(words);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  item->setToolTip(tip.isEmpty() ? words : tip);
  if (column != kVerdict) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  setItem(row, column, item);
}

void RepairTable::showStep(int row) {
  const auto index = static_cast<std::size_t>(row);
  const StepReport* report = reportOf(index);
  QFont font = this->font();
  const bool runs = m_running == index;
  font.setBold(runs || (report != nullptr && report->kept));
  item(row, kStep)->setFont(font);
  if (runs || report == nullptr) {
    for (int column = kHeldOut; column < kVerdict; ++column) setCell(row, column, {});
    const QString what = text(m_all[index].what);
    return setCell(row, kVerdict, runs ? tr("Running: %1").arg(what) : capitalized(what));
  }
  setCell(row, kHeldOut, gainWords(report->gainHeldOutDb));
  const QString mark = overfits(*report) ? QStringLiteral(" *") : QString();
  setCell(row, kFitted, gainWords(report->gainFitDb) + mark,
          mark.isEmpty() ? QString() : tr("More than 1.5 × those held out: it is optimistic"));
  setCell(row, kLayers, QString::number(report->nodes));
  setCell(row, kBytes, QString::number(static_cast<qint64>(report->bytes)));
  setCell(row, kSeconds, QString::number(report->seconds, 'f', 1));
  const QString verdict =
      (report->kept ? tr("Kept: %1") : tr("Left out: %1")).arg(text(report->reason));
  QStringList tip{verdict};
  for (const QString& words : {text(report->what), remarkWords(*report)}) {
    if (!words.isEmpty()) tip << words;
  }
  setCell(row, kVerdict, verdict, toolTipText(tip.join(u'\n')));
}

}  // namespace quantscope
