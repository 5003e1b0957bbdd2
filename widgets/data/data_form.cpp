#include "widgets/data/data_form.h"

#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/data/data_labels.h"
#include "widgets/data/data_source_field.h"
#include "widgets/data/preprocessing_form.h"
#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

const QString kRandom = QStringLiteral("random:");
constexpr int kMostSamples = 1'000'000'000;
enum CalibrationChoice { kSameSamples, kOtherSamples };

QFormLayout* makeRows(QVBoxLayout& layout) {
  auto* rows = new QFormLayout;
  rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  rows->setVerticalSpacing(8);
  layout.addLayout(rows);
  return rows;
}

QSpinBox* makeCount(const QString& name, const QString& explanation, int least) {
  auto* count = new QSpinBox;
  count->setRange(least, kMostSamples);
  count->setAlignment(Qt::AlignRight);
  count->setGroupSeparatorShown(true);
  count->setAccessibleName(name);
  count->setToolTip(explanation);
  return count;
}

// NAME.labels.npy of NAME.npz or NAME.npy.
QString labelsBeside(const QString& samples) {
  const QFileInfo file(samples);
  if (file.suffix() != QStringLiteral("npz") && file.suffix() != QStringLiteral("npy")) return {};
  const QString labels =
      file.path() + u'/' + file.completeBaseName() + QStringLiteral(".labels.npy");
  return QFileInfo::exists(labels) ? labels : QString();
}

int clamped(std::size_t number) {
  return static_cast<int>(std::min<std::size_t>(number, kMostSamples));
}

std::vector<PreprocessingPreset> presetsOf(const Graph& graph) {
  const auto input = pictureInput(graph);
  return input ? presetsFor(*input) : std::vector<PreprocessingPreset>{};
}

}  // namespace

DataForm::DataForm(const Graph& graph, const AnalysisRequest& start, QWidget* parent)
    : QWidget(parent), m_start(start) {
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(8);
  addSamples(*layout);
  addPreprocessing(*layout, graph);
  addCalibration(*layout);
  addAdvanced(*layout);
  layout->addStretch();
  fill(start);
  connect(m_data, &DataSourceField::changed, this, &DataForm::sourceEdited);
  connect(m_count, &QSpinBox::valueChanged, this, &DataForm::countEdited);
  connect(m_labels, &DataSourceField::changed, this, &DataForm::changed);
  connect(m_calibration, &DataSourceField::changed, this, &DataForm::changed);
  connect(m_preprocessing, &PreprocessingForm::changed, this, &DataForm::changed);
  connect(m_seed, &QLineEdit::textEdited, this, &DataForm::changed);
  connect(m_batch, &QSpinBox::valueChanged, this, &DataForm::changed);
}

void DataForm::addSamples(QVBoxLayout& layout) {
  layout.addWidget(headingLabel(tr("Samples"), this));
  m_data = new DataSourceField(DataSourceField::Kind::Samples, tr("Samples"));
  layout.addWidget(m_data);
  layout.addWidget(mutedLabel(tr("Or drop a file or folder anywhere in this window."), this));
  m_synthetic =
      new QLabel(tr("Synthetic: numbers will mean little. They show that the model runs, "
                    "not what its errors are on real inputs."));
  m_synthetic->setWordWrap(true);
  QPalette palette = this->palette();
  palette.setColor(QPalette::WindowText, Theme::of(palette).warning);
  m_synthetic->setPalette(palette);
  layout.addWidget(m_synthetic);
  QFormLayout* rows = makeRows(layout);
  m_count = makeCount(tr("Number of samples"), tr("Only the first so many are run"), 0);
  rows->addRow(tr("Use"), m_count);
  m_labels = new DataSourceField(DataSourceField::Kind::Labels, tr("Labels"));
  m_labels->setToolTip(tr("A .npy of class indices, for the accuracy; may be fewer than samples"));
  rows->addRow(tr("Labels"), m_labels);
}

void DataForm::addPreprocessing(QVBoxLayout& layout, const Graph& graph) {
  m_preprocessingPart = new QWidget;
  auto* part = new QVBoxLayout(m_preprocessingPart);
  part->setContentsMargins(0, 8, 0, 0);
  part->setSpacing(8);
  part->addWidget(headingLabel(tr("How images become inputs"), this));
  m_preprocessing = new PreprocessingForm(presetsOf(graph));
  part->addWidget(m_preprocessing);
  m_preprocessingPart->hide();
  layout.addWidget(m_preprocessingPart);
}

void DataForm::addCalibration(QVBoxLayout& layout) {
  layout.addSpacing(8);
  layout.addWidget(headingLabel(tr("Calibration"), this));
  m_calibrationChoice = new QComboBox;
  m_calibrationChoice->setAccessibleName(tr("Calibrate with"));
  m_calibrationChoice->setToolTip(
      tr("Calibration samples set the quantization ranges; the others measure the errors"));
  m_calibrationChoice->addItems({tr("With the same samples"), tr("With other samples")});
  layout.addWidget(m_calibrationChoice);
  m_calibration = new DataSourceField(DataSourceField::Kind::Samples, tr("Calibration samples"));
  m_calibration->hide();
  layout.addWidget(m_calibration);
  connect(m_calibrationChoice, &QComboBox::currentIndexChanged, this, [this] {
    m_calibration->setVisible(ownCalibration());
    Q_EMIT changed();
  });
}

void DataForm::addAdvanced(QVBoxLayout& layout) {
  layout.addSpacing(8);
  m_advanced = new QToolButton;
  m_advanced->setText(tr("Advanced"));
  m_advanced->setCheckable(true);
  m_advanced->setAutoRaise(true);
  m_advanced->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  layout.addWidget(m_advanced);
  auto* part = new QWidget;
  auto* rows = new QFormLayout(part);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  m_seed = new QLineEdit;
  m_seed->setAccessibleName(tr("Seed"));
  m_seed->setToolTip(tr("The same seed makes the same random samples"));
  rows->addRow(tr("Seed of random samples"), m_seed);
  m_batch = makeCount(tr("Calibration batch"),
                      tr("Samples per batch, for statistics that are defined per batch"), 1);
  rows->addRow(tr("Calibration batch"), m_batch);
  part->hide();
  layout.addWidget(part);
  const auto open = [this, part](bool opened) {
    m_advanced->setArrowType(opened ? Qt::DownArrow : Qt::RightArrow);
    part->setVisible(opened);
  };
  open(false);
  connect(m_advanced, &QToolButton::toggled, part, open);
}

void DataForm::fill(const AnalysisRequest& start) {
  const QString folder = text(start.model.parent_path().string());
  for (DataSourceField* field : {m_data, m_labels, m_calibration}) field->setFolder(folder);
  m_data->setSource(text(start.data));
  m_limit = clamped(start.source.samples.value_or(0));
  m_labels->setSource(text(start.labels.string()));
  m_calibration->setSource(text(start.calibration));
  m_calibrationChoice->setCurrentIndex(start.calibration.empty() ? kSameSamples : kOtherSamples);
  if (start.source.preprocessing) m_preprocessing->setPreprocessing(*start.source.preprocessing);
  m_seed->setText(QString::number(start.source.seed));
  m_batch->setValue(clamped(start.batch));
  if (start.source.seed != 0 || start.batch > 1) m_advanced->setChecked(true);
  m_foundLabels = labelsBeside(m_data->source());
  sourceEdited();
}

bool DataForm::synthetic() const {
  return m_data->source().startsWith(kRandom);
}

bool DataForm::ownCalibration() const {
  return m_calibrationChoice->currentIndex() == kOtherSamples;
}

// Labels that were found go and come with their samples; chosen ones stay.
void DataForm::followLabels() {
  const QString found = labelsBeside(m_data->source());
  const QString current = m_labels->source();
  const bool own = !current.isEmpty() && current != m_foundLabels;
  const bool same = found == m_foundLabels;
  m_foundLabels = found;
  if (!own && !same) m_labels->setSource(found);
}

// How many there are of random samples is part of their name.
void DataForm::sourceEdited() {
  const bool random = synthetic();
  m_synthetic->setVisible(random);
  {
    const QSignalBlocker quiet(m_count);
    m_count->setMinimum(random ? 1 : 0);
    m_count->setSpecialValueText(random ? QString() : tr("all samples"));
    m_count->setPrefix(random ? QString() : tr("the first "));
    m_count->setValue(random ? m_data->source().mid(kRandom.size()).toInt() : m_limit);
  }
  followLabels();
  Q_EMIT changed();
}

void DataForm::countEdited(int count) {
  if (synthetic()) {
    m_data->setSource(kRandom + QString::number(count));
  } else {
    m_limit = count;
    Q_EMIT changed();
  }
}

AnalysisRequest DataForm::request() const {
  AnalysisRequest request = m_start;
  request.data = m_data->source().toStdString();
  request.labels = m_labels->source().toStdString();
  request.calibration = ownCalibration() ? m_calibration->source().toStdString() : std::string();
  request.source.samples.reset();
  if (!synthetic() && m_limit > 0) request.source.samples = static_cast<std::size_t>(m_limit);
  request.source.seed = m_seed->text().toULongLong();
  request.source.preprocessing = m_preprocessing->preprocessing();
  request.batch = static_cast<std::size_t>(m_batch->value());
  return request;
}

QString DataForm::problem() const {
  if (m_data->source().isEmpty()) return tr("Choose samples, or drop them here.");
  if (ownCalibration() && m_calibration->source().isEmpty()) {
    return tr("Choose the samples to calibrate with.");
  }
  bool valid = false;
  m_seed->text().toULongLong(&valid);
  if (!valid) return tr("The seed is a whole number from 0 on.");
  return m_preprocessingPart->isHidden() ? QString() : m_preprocessing->problem();
}

void DataForm::setRecentData(const QStringList& sources) {
  m_data->setRecent(sources);
  m_calibration->setRecent(sources);
}

void DataForm::take(const QString& path) {
  if (path.endsWith(QStringLiteral(".labels.npy"))) {
    m_labels->setSource(path);
  } else if (path.endsWith(QStringLiteral(".json"))) {
    m_preprocessing->load(path);
  } else {
    m_data->setSource(path);
  }
}

void DataForm::showReport(const DataReport& report) {
  m_preprocessingPart->setVisible(report.takesPictures());
}

}  // namespace quantscope
