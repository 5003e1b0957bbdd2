#include "widgets/repair/repair_dialog.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/worst_output.h"
#include "widgets/charts/curve_chart.h"
#include "widgets/look/text.h"
#include "widgets/tables/table_looks.h"

namespace quantscope {
namespace {

enum Column { kStep, kHeldOut, kFitted, kLayers, kBytes, kSeconds, kVerdict, kColumns };

constexpr int kMargin = 16;
constexpr int kLossHeight = 190;
constexpr int kDefaultSeconds = 120;
constexpr int kMostSeconds = 86400;

QString decibels(double number) {
  return fixedText(number, 2);
}

QString gainWords(const std::optional<double>& gain) {
  if (!gain) return QStringLiteral("–");
  return (*gain > 0 ? QStringLiteral("+") : QString()) + decibels(*gain);
}

QString headingOf(const RepairResult& result) {
  const bool any = std::ranges::any_of(result.steps, &StepReport::kept);
  QString words =
      any ? QObject::tr(
                "Worst output: %1 → %2 dB on all samples, %3 → %4 dB on the %5 held-out ones.")
                .arg(decibels(worstDecibels(result.startAll)),
                     decibels(worstDecibels(result.endAll)),
                     decibels(worstDecibels(result.start.heldOut)),
                     decibels(worstDecibels(result.end.heldOut)))
                .arg(result.heldOutSamples)
          : QObject::tr("No step passes the held-out test: the model stays as it is.");
  if (result.outOfTime) words += QObject::tr(" The time was over before all steps were tried.");
  return words;
}

}  // namespace

RepairDialog::RepairDialog(const QString& model, QWidget* parent)
    : QDialog(parent),
      m_all(allRecipeSteps(nullptr)),
      m_triedByDefault(static_cast<int>(recipeSteps().size())),
      m_steps(new QTableWidget),
      m_loss(new CurveChart),
      m_seconds(new QSpinBox),
      m_only(new QCheckBox),
      m_heading(new QLabel),
      m_progress(new QProgressBar) {
  setWindowTitle(tr("Repair %1").arg(model));
  resize(980, 700);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  layout->setSpacing(12);
  auto* about = new QLabel(
      tr("Repairs win back what quantization loses, without labels and without wider types. A step "
         "stays only where samples that it was not fitted to confirm it. The model and its "
         "configuration stay as they are; what was repaired is opened beside them."));
  about->setWordWrap(true);
  layout->addWidget(about);
  fillSteps();
  layout->addWidget(m_steps, 1);
  layout->addWidget(m_loss);
  m_loss->setFixedHeight(kLossHeight);
  m_loss->setAccessibleName(tr("Loss"));
  m_loss->hide();
  auto* limit = new QHBoxLayout;
  auto* label = new QLabel(tr("&Stop after"));
  label->setBuddy(m_seconds);
  m_seconds->setRange(0, kMostSeconds);
  m_seconds->setValue(kDefaultSeconds);
  m_seconds->setSuffix(tr(" s"));
  m_seconds->setSpecialValueText(tr("no limit"));
  m_seconds->setToolTip(tr("What was won by then is kept."));
  limit->addWidget(label);
  limit->addWidget(m_seconds);
  limit->addSpacing(kMargin);
  limit->addWidget(m_only);
  limit->addStretch(1);
  m_only->hide();
  layout->addLayout(limit);
  m_heading->setWordWrap(true);
  m_heading->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(m_heading);
  m_progress->setTextVisible(false);
  m_progress->hide();
  layout->addWidget(m_progress);
  layout->addLayout(makeButtons());
}

void RepairDialog::fillSteps() {
  m_steps->setAccessibleName(tr("Steps"));
  m_steps->setColumnCount(kColumns);
  m_steps->setHorizontalHeaderLabels({tr("Step"), tr("Held out (dB)"), tr("Fitted (dB)"),
                                      tr("Layers"), tr("Bytes"), tr("Seconds"), tr("Verdict")});
  dressTable(*m_steps);
  m_steps->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_steps->setRowCount(static_cast<int>(m_all.size()));
  int row = 0;
  for (const RepairStep& step : m_all) {
    auto* item = new QTableWidgetItem(text(step.name));
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(row < m_triedByDefault ? Qt::Checked : Qt::Unchecked);
    item->setToolTip(text(step.what));
    m_steps->setItem(row, kStep, item);
    setCell(row, kVerdict, text(step.what));
    ++row;
  }
  m_steps->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_steps->horizontalHeader()->setSectionResizeMode(kVerdict, QHeaderView::Stretch);
}

QLayout* RepairDialog::makeButtons() {
  m_copy = new QPushButton(tr("Copy as Text"));
  m_open = new QPushButton(tr("Save and Open…"));
  m_cancel = new QPushButton(tr("Close"));
  m_repair = new QPushButton(tr("Repair"));
  for (QPushButton* button : {m_copy, m_open, m_cancel}) button->setAutoDefault(false);
  m_repair->setDefault(true);
  m_open->setEnabled(false);
  m_open->setToolTip(tr("Writes the repaired model and its configuration, and opens them."));
  auto* row = new QHBoxLayout;
  row->addWidget(m_copy);
  row->addWidget(m_open);
  row->addStretch(1);
  row->addWidget(m_cancel);
  row->addWidget(m_repair);
  connect(m_copy, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(asText()); });
  connect(m_open, &QPushButton::clicked, this, &RepairDialog::openRequested);
  connect(m_cancel, &QPushButton::clicked, this, [this] {
    if (m_busy) return Q_EMIT cancelRequested();
    reject();
  });
  connect(m_repair, &QPushButton::clicked, this, &RepairDialog::start);
  return row;
}

void RepairDialog::choose(const std::vector<std::string>& steps) {
  for (int row = 0; row < m_steps->rowCount(); ++row) {
    const std::string name = m_all[static_cast<std::size_t>(row)].name;
    const bool chosen =
        steps.empty() ? row < m_triedByDefault : std::ranges::find(steps, name) != steps.end();
    m_steps->item(row, kStep)->setCheckState(chosen ? Qt::Checked : Qt::Unchecked);
  }
}

void RepairDialog::offerLayers(const std::vector<std::string>& layers, bool only) {
  m_layers = layers;
  m_only->setVisible(!layers.empty());
  m_only->setChecked(only && !layers.empty());
  if (layers.empty()) return;
  m_only->setText(layers.size() == 1 ? tr("O&nly %1").arg(text(layers.front()))
                                     : tr("O&nly the %1 selected layers").arg(layers.size()));
  m_only->setToolTip(
      tr("Steps that work on several layers at once change those where all of them are selected; "
         "steps that have to do with all of the model do not run."));
}

RepairRequest RepairDialog::request(std::shared_ptr<TrainingRun> training) const {
  const std::vector<RepairStep> all = allRecipeSteps(std::move(training));
  RepairRequest request;
  request.steps.clear();
  if (m_only->isChecked()) request.only = m_layers;
  for (int row = 0; row < m_steps->rowCount(); ++row) {
    if (m_steps->item(row, kStep)->checkState() != Qt::Checked) continue;
    request.steps.push_back(all[static_cast<std::size_t>(row)]);
  }
  if (m_seconds->value() > 0) request.seconds = m_seconds->value();
  return request;
}

void RepairDialog::setCell(int row, int column, const QString& words, const QString& tip) {
  auto* item = new QTableWidgetItem(words);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  item->setToolTip(tip.isEmpty() ? words : tip);
  if (column != kVerdict) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  m_steps->setItem(row, column, item);
}

void RepairDialog::start() {
  auto training = std::make_shared<TrainingRun>();
  const RepairRequest wanted = request(training);
  if (wanted.steps.empty()) return m_heading->setText(tr("Choose a step to try."));
  for (int row = 0; row < m_steps->rowCount(); ++row) {
    for (int column = kHeldOut; column < kColumns; ++column) setCell(row, column, {});
  }
  m_won = false;
  setBusy(true);
  m_heading->setText(tr("Repairing…"));
  m_loss->hide();
  m_phase.clear();
  Q_EMIT repairRequested(wanted, training);
}

void RepairDialog::setBusy(bool busy) {
  m_busy = busy;
  m_progress->setVisible(busy);
  m_progress->setRange(0, 0);
  m_steps->setEnabled(!busy);
  m_seconds->setEnabled(!busy);
  m_only->setEnabled(!busy);
  m_repair->setEnabled(!busy);
  m_open->setEnabled(!busy && m_won);
  m_cancel->setText(busy ? tr("Cancel") : tr("Close"));
}

void RepairDialog::showProgress(const Progress& progress) {
  if (!m_busy) return;
  m_progress->setRange(0, static_cast<int>(progress.total));
  m_progress->setValue(static_cast<int>(progress.done));
  m_heading->setText(text(progress.stage));
}

// A curve for each phase: losses of blocks and of the network are different figures.
void RepairDialog::showLoss(const TrainingPoint& point) {
  if (!m_busy || !std::isfinite(point.heldBack)) return;
  const QString phase = text(point.phase);
  if (std::exchange(m_phase, phase) != phase) m_points.clear();
  m_points.emplace_back(static_cast<double>(point.step), point.heldBack);
  // The curve before stays until there is a line.
  if (m_points.size() < 2) return;
  m_loss->setContent({.horizontal = tr("Steps of training, %1").arg(phase),
                      .vertical = tr("Loss, held back"),
                      .second = {},
                      .points = m_points,
                      .seconds = {}});
  m_loss->show();
}

void RepairDialog::showStep(int row, const StepReport& report) {
  setCell(row, kHeldOut, gainWords(report.gainHeldOutDb));
  setCell(row, kFitted, gainWords(report.gainFitDb));
  setCell(row, kLayers, QString::number(report.nodes));
  setCell(row, kBytes, QString::number(static_cast<qint64>(report.bytes)));
  setCell(row, kSeconds, QString::number(report.seconds, 'f', 1));
  const QString verdict =
      (report.kept ? tr("Kept: %1") : tr("Left out: %1")).arg(text(report.reason));
  setCell(row, kVerdict, verdict,
          report.what.empty() ? verdict : verdict + u'\n' + text(report.what));
}

void RepairDialog::showResult(const RepairResult& result) {
  m_won = std::ranges::any_of(result.steps, &StepReport::kept);
  setBusy(false);
  for (int row = 0; row < m_steps->rowCount(); ++row) {
    const char* name = m_all[static_cast<std::size_t>(row)].name;
    const auto report = std::ranges::find(result.steps, name, &StepReport::step);
    if (report != result.steps.end()) showStep(row, *report);
  }
  m_heading->setText(headingOf(result));
}

void RepairDialog::showSaving() {
  setBusy(true);
  m_heading->setText(tr("Writing the repaired model…"));
}

void RepairDialog::showError(const QString& what) {
  setBusy(false);
  m_heading->setText(what);
}

void RepairDialog::showCancelled() {
  if (!m_busy) return;
  setBusy(false);
  m_heading->setText(tr("Cancelled: nothing has changed."));
}

QString RepairDialog::asText() const {
  QString result = m_heading->text() + u'\n';
  for (int row = 0; row < m_steps->rowCount(); ++row) {
    QStringList cells;
    for (int column = 0; column < kColumns; ++column) {
      const QTableWidgetItem* item = m_steps->item(row, column);
      cells << (item == nullptr ? QString() : item->text());
    }
    result += cells.join(u'\t') + u'\n';
  }
  return result;
}

void RepairDialog::done(int result) {
  if (m_busy) Q_EMIT cancelRequested();
  QDialog::done(result);
}

}  // namespace quantscope
