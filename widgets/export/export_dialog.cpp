#include "widgets/export/export_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "export/loss_report.h"
#include "onnx/operator_versions.h"
#include "widgets/export/export_targets.h"
#include "widgets/look/text.h"
#include "widgets/words/progress_words.h"

namespace quantscope {
namespace {

constexpr int kMargin = 16;
constexpr int kTargetsWidth = 240;
constexpr int kRowHeight = 26;
constexpr int kOldestQdqOpset = 13;  // scales per channel

QLabel* wrapping(bool muted) {
  auto* label = new QLabel;
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  if (muted) label->setForegroundRole(QPalette::PlaceholderText);
  return label;
}

}  // namespace

ExportDialog::ExportDialog(const QString& name, const QString& folder, QWidget* parent)
    : QDialog(parent),
      m_name(name),
      m_folder(folder),
      m_targets(new QListWidget),
      m_notice(wrapping(false)),
      m_definition(wrapping(false)),
      m_file(new QLineEdit),
      m_warning(wrapping(true)),
      m_opset(new QComboBox),
      m_heading(wrapping(false)),
      m_words(new QPlainTextEdit),
      m_progress(new QProgressBar) {
  setWindowTitle(tr("Export %1").arg(name));
  resize(880, 700);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(kMargin / 2, kMargin, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeTargets());
  layout->addWidget(makeRight(), 1);
  choose(exportTargets().front().format);
}

QWidget* ExportDialog::makeTargets() {
  m_targets->setAccessibleName(tr("Targets"));
  m_targets->setFixedWidth(kTargetsWidth);
  m_targets->setFrameShape(QFrame::NoFrame);
  for (std::size_t i = 0; i < exportTargets().size(); ++i) addTarget(i);
  connect(m_targets, &QListWidget::currentRowChanged, this, &ExportDialog::showTarget);
  return m_targets;
}

// Under the title of its kind where it is the first.
void ExportDialog::addTarget(std::size_t index) {
  const auto& targets = exportTargets();
  const ExportTarget& target = targets[index];
  if (index == 0 || targets[index - 1].kind != target.kind) {
    auto* heading = new QListWidgetItem(titleOf(target.kind), m_targets);
    heading->setFlags(Qt::NoItemFlags);
    heading->setForeground(palette().brush(QPalette::Active, QPalette::PlaceholderText));
    heading->setSizeHint(QSize(0, kRowHeight));
  }
  auto* item = new QListWidgetItem(target.title, m_targets);
  item->setData(Qt::UserRole, static_cast<int>(index));
  item->setToolTip(target.definition);
  item->setSizeHint(QSize(0, kRowHeight));
}

// The first one until the list is filled.
const ExportTarget& ExportDialog::chosen() const {
  const QListWidgetItem* item = m_targets->currentItem();
  const int index = item != nullptr ? item->data(Qt::UserRole).toInt() : 0;
  return exportTargets()[static_cast<std::size_t>(index)];
}

QWidget* ExportDialog::makeRight() {
  auto* right = new QWidget;
  auto* layout = new QVBoxLayout(right);
  layout->setContentsMargins(kMargin, 0, kMargin, kMargin);
  layout->setSpacing(12);
  m_notice->hide();
  layout->addWidget(m_notice);
  layout->addWidget(m_definition);
  layout->addLayout(makeFileRow());
  layout->addWidget(m_warning);
  layout->addWidget(makeOpsetRow());
  QFont bold = m_heading->font();
  bold.setBold(true);
  m_heading->setFont(bold);
  layout->addWidget(m_heading);
  m_words->setReadOnly(true);
  m_words->setAccessibleName(tr("Does it fit?"));
  layout->addWidget(m_words, 1);
  m_progress->setTextVisible(false);
  m_progress->hide();
  layout->addWidget(m_progress);
  layout->addLayout(makeButtons());
  return right;
}

QLayout* ExportDialog::makeFileRow() {
  auto* row = new QHBoxLayout;
  auto* label = new QLabel(tr("&File"));
  label->setBuddy(m_file);
  auto* browse = new QPushButton(tr("Choose…"));
  browse->setAutoDefault(false);
  row->addWidget(label);
  row->addWidget(m_file, 1);
  row->addWidget(browse);
  connect(browse, &QPushButton::clicked, this, &ExportDialog::browse);
  connect(m_file, &QLineEdit::textChanged, this, &ExportDialog::showFile);
  return row;
}

QWidget* ExportDialog::makeOpsetRow() {
  m_opset->addItem(tr("As the types need"));
  for (int opset = kOldestQdqOpset; opset <= kNewestKnownOpset; ++opset) {
    m_opset->addItem(QString::number(opset), opset);
  }
  m_opsetRow = new QWidget;
  auto* row = new QHBoxLayout(m_opsetRow);
  row->setContentsMargins(0, 0, 0, 0);
  auto* label = new QLabel(tr("&Opset"));
  label->setBuddy(m_opset);
  row->addWidget(label);
  row->addWidget(m_opset);
  row->addStretch(1);
  connect(m_opset, &QComboBox::currentIndexChanged, this, &ExportDialog::check);
  return m_opsetRow;
}

QLayout* ExportDialog::makeButtons() {
  m_copy = new QPushButton(tr("Copy as Text"));
  m_open = new QPushButton(tr("Open Folder"));
  m_cancel = new QPushButton(tr("Close"));
  m_export = new QPushButton(tr("Export"));
  for (QPushButton* button : {m_copy, m_open, m_cancel}) button->setAutoDefault(false);
  m_export->setDefault(true);
  m_open->hide();
  auto* row = new QHBoxLayout;
  row->addWidget(m_copy);
  row->addWidget(m_open);
  row->addStretch(1);
  row->addWidget(m_cancel);
  row->addWidget(m_export);
  connect(m_copy, &QPushButton::clicked, this, [this] {
    QApplication::clipboard()->setText(m_heading->text() + u'\n' + m_words->toPlainText());
  });
  connect(m_open, &QPushButton::clicked, this,
          [this] { Q_EMIT folderRequested(QFileInfo(m_file->text()).absolutePath()); });
  connect(m_cancel, &QPushButton::clicked, this, [this] {
    if (m_busy) return Q_EMIT cancelRequested();
    reject();
  });
  connect(m_export, &QPushButton::clicked, this, &ExportDialog::start);
  return row;
}

ExportRequest ExportDialog::request() const {
  ExportRequest request{.format = chosen().format, .out = m_file->text().trimmed().toStdString()};
  const QVariant opset = m_opset->currentData();
  if (chosen().hasOpset && opset.isValid()) request.opset = opset.toInt();
  return request;
}

void ExportDialog::setNotice(const QString& words) {
  m_notice->setText(words);
  m_notice->setVisible(!words.isEmpty());
}

void ExportDialog::choose(const std::string& format) {
  for (int row = 0; row < m_targets->count(); ++row) {
    const QVariant index = m_targets->item(row)->data(Qt::UserRole);
    if (!index.isValid()) continue;
    if (exportTargets()[static_cast<std::size_t>(index.toInt())].format == format) {
      m_targets->setCurrentRow(row);
    }
  }
}

void ExportDialog::showTarget() {
  const ExportTarget& target = chosen();
  m_definition->setText(target.definition);
  m_file->setText(QDir(m_folder).filePath(m_name + target.ending));
  m_open->hide();
  m_opsetRow->setVisible(target.hasOpset);
  if (target.kind == ExportTarget::Kind::Report) {
    return say(tr("A report for people"), tr("It says what the window shows now, with the history "
                                             "of the configuration."));
  }
  check();
}

void ExportDialog::check() {
  say(tr("Does it fit?"), tr("Looking for what the target cannot express…"));
  Q_EMIT checkRequested(request());
}

void ExportDialog::showFile() {
  const QFileInfo file(m_file->text().trimmed());
  const bool folder = QFileInfo(file.absolutePath()).isDir();
  const bool isFreeFolder = chosen().isFolder && file.isDir() && QDir(file.filePath()).isEmpty();
  QString words;
  if (!folder) {
    words = tr("There is no folder %1.").arg(file.absolutePath());
  } else if (file.isDir() && !isFreeFolder) {
    words = chosen().isFolder ? tr("The folder is not empty: give the new one another name.")
                              : tr("This is a folder: give the file a name.");
  } else if (file.isFile()) {
    words = tr("The file exists and will be replaced.");
  }
  m_warning->setText(words);
  m_warning->setVisible(!words.isEmpty());
  m_export->setEnabled(!m_busy && folder && (isFreeFolder || !file.isDir()) &&
                       !file.fileName().isEmpty());
}

void ExportDialog::browse() {
  // ExportDialog itself warns of a file that would be replaced.
  const QString file = QFileDialog::getSaveFileName(this, tr("Export To"), m_file->text(), {},
                                                    nullptr, QFileDialog::DontConfirmOverwrite);
  if (!file.isEmpty()) m_file->setText(file);
}

void ExportDialog::start() {
  setBusy(true);
  say(tr("Exporting"), {});
  Q_EMIT exportRequested(request());
}

void ExportDialog::setBusy(bool busy) {
  m_busy = busy;
  m_progress->setVisible(busy);
  m_progress->setRange(0, 0);
  m_targets->setEnabled(!busy);
  m_file->setEnabled(!busy);
  m_opset->setEnabled(!busy);
  m_cancel->setText(busy ? tr("Cancel") : tr("Close"));
  showFile();
}

void ExportDialog::say(const QString& heading, const QString& words) {
  m_heading->setText(heading);
  m_words->setPlainText(words);
}

void ExportDialog::showLosses(const ExportRequest& asked, const ExportLosses& losses) {
  if (m_busy || asked.format != request().format || asked.opset != request().opset) return;
  const QString words =
      losses.empty() ? tr("Everything that is shown can be expressed.") : text(lossesText(losses));
  say(tr("Does it fit?"), words);
}

void ExportDialog::showProgress(const Progress& progress) {
  if (!m_busy) return;
  m_progress->setRange(0, static_cast<int>(progress.total));
  m_progress->setValue(static_cast<int>(progress.done));
  m_heading->setText(progressWords(progress));
}

void ExportDialog::showReport(const ExportReport& report) {
  setBusy(false);
  m_open->show();
  m_warning->hide();
  m_cancel->setFocus();
  say(tr("Written"), text(report.text));
}

void ExportDialog::showError(const QString& what) {
  const QString heading = m_busy ? tr("Nothing was written") : tr("It does not fit");
  setBusy(false);
  say(heading, what);
}

void ExportDialog::showCancelled() {
  if (!m_busy) return;
  setBusy(false);
  say(tr("Nothing was written"), tr("The export was cancelled."));
}

void ExportDialog::done(int result) {
  if (m_busy) Q_EMIT cancelRequested();
  QDialog::done(result);
}

}  // namespace quantscope
