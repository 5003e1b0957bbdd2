#include "widgets/data/data_dialog.h"

#include <QDialogButtonBox>
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "widgets/data/data_form.h"
#include "widgets/data/data_inputs.h"
#include "widgets/data/data_labels.h"
#include "widgets/data/data_preview.h"
#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

// Long enough not to open every prefix of a path that is typed.
constexpr int kPauseMilliseconds = 150;
constexpr int kMargin = 16;
constexpr int kFormWidth = 384;
constexpr int kMostInputsHeight = 200;

QScrollArea* scrolled(QWidget* content) {
  auto* area = new QScrollArea;
  area->setWidget(content);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  return area;
}

QFrame* makeLine(QFrame::Shape shape) {
  auto* line = new QFrame;
  line->setFrameShape(shape);
  line->setFrameShadow(QFrame::Plain);
  QPalette palette = line->palette();
  palette.setColor(QPalette::WindowText, Theme::of(palette).border);
  line->setPalette(palette);
  return line;
}

// The part of a request that decides whether samples fit: not their number, nor their batches.
AnalysisRequest whatIsChecked(AnalysisRequest request) {
  request.source.samples.reset();
  request.batch = 1;
  return request;
}

QString fitText(const DataReport& report, const AnalysisRequest& request) {
  const auto samples = static_cast<qulonglong>(report.samples);
  const std::size_t used = std::min(report.samples, request.source.samples.value_or(samples));
  QString sentence = used < report.samples
                         ? DataDialog::tr("The first %1 of %2 samples will be run.")
                               .arg(static_cast<qulonglong>(used))
                               .arg(samples)
                         : DataDialog::tr("All %1 samples will be run.").arg(samples);
  if (report.samples == 1) sentence = DataDialog::tr("1 sample will be run.");
  if (!request.labels.empty()) {
    sentence += u' ' + DataDialog::tr("%1 of them have a label.")
                           .arg(static_cast<qulonglong>(std::min(report.labels.size(), used)));
  }
  if (report.calibrationSamples > 0) {
    sentence += u' ' + DataDialog::tr("%1 others calibrate.")
                           .arg(static_cast<qulonglong>(report.calibrationSamples));
  }
  return sentence;
}

// The error that belongs to no input.
QString errorText(const DataReport& report, const AnalysisRequest& request,
                  const QString& sampleError) {
  const bool atInput = std::ranges::any_of(
      report.inputs, [](const InputCheck& check) { return check.error.has_value(); });
  if (report.dataError) {
    return atInput ? DataDialog::tr("The samples do not fit the model.")
                   : sentences(*report.dataError, request.data);
  }
  if (!sampleError.isEmpty()) return sampleError;
  if (report.calibrationError) {
    return DataDialog::tr("Calibration: %1")
        .arg(sentences(*report.calibrationError, request.calibration));
  }
  return report.labelsError ? DataDialog::tr("Labels: %1")
                                  .arg(sentences(*report.labelsError, request.labels.string()))
                            : QString();
}

}  // namespace

DataDialog::DataDialog(const LoadedModel& model, const AnalysisRequest& start, QWidget* parent,
                       SampleOpener open)
    : QDialog(parent),
      m_model(model),
      m_reader(model.graph, std::move(open)),
      m_form(new DataForm(*model.graph, start)),
      m_inputs(new DataInputs),
      m_mark(new QLabel),
      m_status(new QLabel),
      m_preview(new DataPreview) {
  setWindowTitle(tr("Data for %1").arg(text(model.file.filename().string())));
  resize(1120, 760);
  setAcceptDrops(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* columns = new QHBoxLayout;
  columns->setSpacing(0);
  columns->addWidget(makeLeft());
  columns->addWidget(makeLine(QFrame::VLine));
  columns->addWidget(makeRight(), 1);
  layout->addLayout(columns, 1);
  layout->addWidget(makeLine(QFrame::HLine));
  layout->addWidget(makeBottom());

  m_pause.setSingleShot(true);
  m_pause.setInterval(kPauseMilliseconds);
  connect(&m_pause, &QTimer::timeout, this, &DataDialog::check);
  connect(m_form, &DataForm::changed, this, &DataDialog::edited);
  connect(&m_reader, &DataReader::reportReady, this, &DataDialog::showReport);
  connect(&m_reader, &DataReader::thumbnailReady, this, &DataDialog::showThumbnail);
  connect(&m_reader, &DataReader::sampleReady, m_preview, &DataPreview::showSample);
  connect(m_preview, &DataPreview::sampleWanted, &m_reader, &DataReader::read);
  m_inputs->showWanted(*model.graph);
  check();
}

QWidget* DataDialog::makeLeft() {
  m_form->layout()->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  QScrollArea* area = scrolled(m_form);
  area->setFixedWidth(kFormWidth + area->verticalScrollBar()->sizeHint().width());
  return area;
}

QWidget* DataDialog::makeRight() {
  auto* right = new QWidget;
  auto* layout = new QVBoxLayout(right);
  layout->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  layout->setSpacing(8);
  layout->addWidget(headingLabel(tr("Does it fit?"), this));
  m_inputsArea = scrolled(m_inputs);
  layout->addWidget(m_inputsArea);
  auto* status = new QHBoxLayout;
  status->setSpacing(8);
  m_status->setObjectName(QStringLiteral("status"));
  m_status->setWordWrap(true);
  m_status->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_mark->setAlignment(Qt::AlignTop);
  status->addWidget(m_mark);
  status->addWidget(m_status, 1);
  layout->addLayout(status);
  layout->addSpacing(8);
  layout->addWidget(m_preview, 1);
  return right;
}

QWidget* DataDialog::makeBottom() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  buttons->setContentsMargins(kMargin, 12, kMargin, 12);
  m_accept = buttons->button(QDialogButtonBox::Ok);
  m_accept->setText(tr("Analyse"));
  // Some desktops put pictures on them that the other buttons have not.
  for (QAbstractButton* button : buttons->buttons()) button->setIcon({});
  connect(buttons, &QDialogButtonBox::accepted, this, &DataDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &DataDialog::reject);
  return buttons;
}

AnalysisRequest DataDialog::request() const {
  AnalysisRequest request = m_form->request();
  if (!m_report.takesPictures()) request.source.preprocessing.reset();
  return request;
}

void DataDialog::setRecentData(const QStringList& sources) {
  m_form->setRecentData(sources);
}

void DataDialog::edited() {
  if (sameData(whatIsChecked(m_form->request()), m_checked) && m_form->problem().isEmpty()) {
    showStatus();
    return;
  }
  m_current = false;
  showStatus();
  m_pause.start();
}

void DataDialog::check() {
  if (!m_form->problem().isEmpty()) {
    showStatus();
    return;
  }
  m_checked = whatIsChecked(m_form->request());
  m_reader.check(m_checked);
  showStatus();
}

void DataDialog::showReport(const DataReport& report) {
  m_report = report;
  m_current = true;
  m_sampleError.clear();
  m_form->showReport(report);
  m_inputs->showReport(report);
  fitInputs();
  m_preview->setSamples(report.samples, report.labels);
  showStatus();
}

void DataDialog::showThumbnail(const SamplePreview& preview) {
  m_preview->addThumbnail(preview);
  if (preview.error && m_sampleError.isEmpty()) m_sampleError = sampleErrorText(preview);
  showStatus();
}

void DataDialog::showStatus() {
  const QString problem = m_form->problem();
  const QString error = m_current ? errorText(m_report, m_checked, m_sampleError) : QString();
  const bool fits = m_current && problem.isEmpty() && error.isEmpty() && m_report.fits();
  Mark mark = Mark::Open;
  QString status = tr("Checking…");
  if (!problem.isEmpty()) {
    status = problem;
  } else if (!error.isEmpty()) {
    mark = Mark::Bad;
    status = error;
  } else if (fits) {
    mark = Mark::Good;
    status = fitText(m_report, m_form->request());
  }
  m_mark->setPixmap(markPixmap(mark, palette(), devicePixelRatioF()));
  m_status->setText(status);
  m_accept->setEnabled(fits);
}

// Gives the list the height of its rows and sentences, unless it would take the preview's room.
void DataDialog::fitInputs() {
  QLayout* rows = m_inputs->layout();
  rows->activate();
  const int height = rows->hasHeightForWidth()
                         ? rows->totalHeightForWidth(m_inputsArea->viewport()->width())
                         : rows->totalSizeHint().height();
  m_inputsArea->setFixedHeight(std::min(height, kMostInputsHeight));
}

void DataDialog::resizeEvent(QResizeEvent* event) {
  QDialog::resizeEvent(event);
  fitInputs();
}

void DataDialog::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (!urls.isEmpty() && urls.first().isLocalFile()) event->acceptProposedAction();
}

void DataDialog::dropEvent(QDropEvent* event) {
  for (const QUrl& url : event->mimeData()->urls()) {
    if (url.isLocalFile()) m_form->take(url.toLocalFile());
  }
  event->acceptProposedAction();
}

}  // namespace quantscope
