#include "widgets/compare/compare_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/errors/worst_output.h"
#include "base/number_text.h"
#include "widgets/charts/scatter_chart.h"
#include "widgets/copy/table_actions.h"
#include "widgets/look/text.h"
#include "widgets/samples/sample_reader.h"
#include "widgets/tables/row_looks.h"
#include "widgets/tables/table_looks.h"

namespace quantscope {
namespace {

enum Column { kSample, kFloatClass, kClassA, kClassB, kSqnrA, kSqnrB, kChange, kColumns };

constexpr int kPicture = 32;
constexpr std::size_t kMostPictures = 48;

std::optional<double> sqnrOf(const LayerResult& layer, ErrorKind kind) {
  const std::optional<LayerError>& error = errorOf(layer, kind);
  return error ? error->total.sqnrDb : std::nullopt;
}

// A layer that one side leaves in float makes no error there.
std::optional<double> comparedSqnr(const LayerResult& layer, ErrorKind kind) {
  const bool exact = !errorOf(layer, kind) && absenceOf(layer, kind) == Figure::Kind::NotQuantized;
  return exact ? std::numeric_limits<double>::infinity() : sqnrOf(layer, kind);
}

QTableWidgetItem* numberItem(const QString& words) {
  auto* item = new QTableWidgetItem(words);
  item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  return item;
}

// Copied with full precision.
QTableWidgetItem* decibelItem(double number, const QString& words) {
  QTableWidgetItem* item = numberItem(words);
  item->setData(kExactRole, number);
  return item;
}

// Those that differ stand out.
QTableWidgetItem* classItem(std::int32_t number, bool changes) {
  QTableWidgetItem* item = numberItem(QString::number(number));
  if (changes) {
    QFont bold = item->font();
    bold.setBold(true);
    item->setFont(bold);
  }
  return item;
}

QString decibels(double number) {
  return fixedText(number, 1);
}

// The output that the headline speaks of, under both configurations.
struct ComparedOutput {
  const OutputResult* a = nullptr;
  const OutputResult* b = nullptr;
};

ComparedOutput comparedOutput(const AnalysisResult& shown, const AnalysisResult& other) {
  if (shown.outputs.empty()) return {};
  const OutputResult* worst = worstOutput(shown.outputs);
  ComparedOutput compared{worst == nullptr ? &shown.outputs.front() : worst};
  const auto found = std::ranges::find(other.outputs, compared.a->value, &OutputResult::value);
  if (found != other.outputs.end()) compared.b = &*found;
  return compared;
}

}  // namespace

CompareView::CompareView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent),
      m_words(new QLabel),
      m_chart(new ScatterChart(QStringLiteral("compared-layers"))),
      m_changed(new QLabel),
      m_samples(new QTableWidget),
      m_reader(new SampleReader(this)),
      m_empty(new QLabel),
      m_pages(new QStackedWidget) {
  m_words->setForegroundRole(QPalette::PlaceholderText);
  m_words->setMargin(8);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_empty->setForegroundRole(QPalette::PlaceholderText);
  m_samples->setAccessibleName(tr("Samples under both configurations"));
  m_samples->setColumnCount(kColumns);
  m_samples->setHorizontalHeaderLabels({tr("Sample"), tr("Float class"), tr("Class A"),
                                        tr("Class B"), tr("A (dB)"), tr("B (dB)"),
                                        tr("A − B (dB)")});
  m_samples->setIconSize(QSize(kPicture, kPicture));
  m_samples->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_samples->setContextMenuPolicy(Qt::ActionsContextMenu);
  tableActions(m_samples, QStringLiteral("compared-samples"));
  dressTable(*m_samples);
  useSelectionTint(*m_samples);
  // Wide enough for headers and figures; what there is more room for goes behind the last one.
  m_samples->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_samples->horizontalHeader()->setResizeContentsPrecision(0);
  m_samples->horizontalHeader()->setStretchLastSection(true);
  m_samples->horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
  auto* both = new QSplitter(Qt::Horizontal);
  both->addWidget(m_chart);
  auto* samples = new QWidget;
  auto* rows = new QVBoxLayout(samples);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(m_changed);
  rows->addWidget(m_samples, 1);
  m_changed->setMargin(8);
  m_changed->setWordWrap(true);
  m_words->setWordWrap(true);
  both->addWidget(samples);
  both->setSizes({420, 540});
  both->setStretchFactor(0, 1);
  both->setStretchFactor(1, 1);
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_words);
  column->addWidget(both, 1);
  m_pages->addWidget(page);
  m_pages->addWidget(m_empty);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_pages);
  connect(m_chart, &ScatterChart::picked, this, [this](int point) {
    const std::size_t layer = m_layerOf[static_cast<std::size_t>(point)];
    selection().selectNode(this->snapshot()->result->layers[layer].node);
  });
  connect(m_samples, &QTableWidget::cellClicked, this, [this](int row) {
    selection().selectSample(m_samples->item(row, 0)->data(Qt::UserRole).toInt());
  });
  connect(m_reader, &SampleReader::ready, this, &CompareView::showPictures);
}

void CompareView::showSnapshot() {
  m_layers = snapshot() ? LayerIndex(*snapshot()->result) : LayerIndex();
}

void CompareView::showOptions() {
  const bool comparable = snapshot() && options().other();
  m_pages->setCurrentIndex(comparable ? 0 : 1);
  m_empty->setText(!snapshot() ? tr("Open a model to compare configurations of it.")
                               : tr("There is nothing to compare with yet. Change the precision of "
                                    "a layer, or keep a configuration and choose it as B."));
  if (!comparable) return clear();
  showLayers();
  showSamples();
}

void CompareView::clear() {
  m_layerOf.clear();
  m_chart->setPoints({});
  m_samples->setRowCount(0);
}

void CompareView::showLayers() {
  const ErrorKind kind = options().kind();
  const LayerIndex others(*options().other());
  m_layerOf.clear();
  std::vector<QPointF> points;
  std::size_t better = 0;
  std::size_t worse = 0;
  std::size_t inFloat = 0;
  const std::vector<LayerResult>& layers = snapshot()->result->layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto other = others.find(layers[i].node);
    if (!other) continue;
    const LayerResult& twin = options().other()->layers[*other];
    const std::optional<double> a = comparedSqnr(layers[i], kind);
    const std::optional<double> b = comparedSqnr(twin, kind);
    if (!a || !b) continue;
    if (sqnrOf(layers[i], kind) && sqnrOf(twin, kind)) {
      points.emplace_back(*b, *a);
      m_layerOf.push_back(i);
    } else if (*a == *b || twin.node != layers[i].node) {
      continue;  // in float under both, or a part of what is one layer under B
    } else {
      ++inFloat;
    }
    if (*a > *b) ++better;
    if (*a < *b) ++worse;
  }
  QString words = tr("%1 of each layer. Above the line A is better: %2; below it B: %L3.")
                      .arg(titleOf(kind), text(counted(better, "layer")))
                      .arg(worse);
  if (inFloat > 0) {
    words += u' ' + tr("Of these, %1 have no point: one side leaves them in float, where they are "
                       "exact.")
                        .arg(inFloat);
  }
  m_words->setText(words);
  m_chart->setAxes(tr("SQNR under B (dB)"), tr("SQNR under A (dB)"));
  m_chart->setPoints(points);
}

// Which output it is, where there are several.
QString CompareView::samplesWords(const OutputResult& output, bool classes, std::size_t changed,
                                  std::size_t all) const {
  QStringList words;
  if (snapshot()->result->outputs.size() > 1) {
    words << tr("At the worst output, %1.").arg(text(output.value));
  }
  if (classes) {
    words << (changed == 0
                  ? tr("No sample changes class between A and B.")
                  : tr("%L1 of %L2 samples change class between A and B.").arg(changed).arg(all));
  }
  return words.join(u' ');
}

// Those that change class come first, then those that differ most.
void CompareView::showSamples() {
  m_samples->setRowCount(0);
  m_changed->hide();
  const auto [a, b] = comparedOutput(*snapshot()->result, *options().other());
  if (a == nullptr || b == nullptr) return;
  const std::vector<float>& ofA = a->sampleSqnrDb;
  const std::vector<float>& ofB = b->sampleSqnrDb;
  std::vector<std::size_t> order(std::min(ofA.size(), ofB.size()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto change = [&](std::size_t i) {
    const double difference = static_cast<double>(ofA[i]) - static_cast<double>(ofB[i]);
    return std::isnan(difference) ? 0 : difference;
  };
  const std::vector<std::int32_t>& classA = a->quantizedClasses;
  const std::vector<std::int32_t>& classB = b->quantizedClasses;
  const bool classes = classA.size() >= order.size() && classB.size() >= order.size();
  const auto changes = [&](std::size_t i) { return classes && classA[i] != classB[i]; };
  std::ranges::stable_sort(order, [&](std::size_t x, std::size_t y) {
    if (changes(x) != changes(y)) return changes(x);
    return std::abs(change(x)) > std::abs(change(y));
  });
  const auto changed = static_cast<std::size_t>(std::ranges::count_if(order, changes));
  m_changed->setText(samplesWords(*a, classes, changed, order.size()));
  m_changed->setVisible(!m_changed->text().isEmpty());
  for (const int column : {kFloatClass, kClassA, kClassB}) {
    m_samples->setColumnHidden(column, !classes);
  }
  m_samples->setRowCount(static_cast<int>(order.size()));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto row = static_cast<int>(i);
    const std::size_t sample = order[i];
    auto* number = numberItem(QString::number(sample));
    number->setData(Qt::UserRole, static_cast<int>(sample));
    m_samples->setItem(row, kSample, number);
    if (classes) {
      const std::vector<std::int32_t>& inFloat = a->floatClasses;
      m_samples->setItem(row, kFloatClass, classItem(inFloat[sample], false));
      m_samples->setItem(row, kClassA, classItem(classA[sample], changes(sample)));
      m_samples->setItem(row, kClassB, classItem(classB[sample], changes(sample)));
    }
    const auto sqnrA = static_cast<double>(ofA[sample]);
    const auto sqnrB = static_cast<double>(ofB[sample]);
    m_samples->setItem(row, kSqnrA, decibelItem(sqnrA, decibels(sqnrA)));
    m_samples->setItem(row, kSqnrB, decibelItem(sqnrB, decibels(sqnrB)));
    const double difference = change(sample);
    const QString sign = difference > 0 ? QStringLiteral("+") : QString();
    m_samples->setItem(row, kChange, decibelItem(difference, sign + decibels(difference)));
  }
  std::vector<int> wanted(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                             order.size(), kMostPictures)));
  m_reader->setSnapshot(snapshot());
  m_reader->request(std::move(wanted));
  showPictures();
  markSample();
}

// Of the first rows, as far as they are read; samples that are no pictures have none.
void CompareView::showPictures() {
  const int rows = std::min(m_samples->rowCount(), static_cast<int>(kMostPictures));
  for (int row = 0; row < rows; ++row) {
    QTableWidgetItem* item = m_samples->item(row, kSample);
    const SampleContent* content = m_reader->find(item->data(Qt::UserRole).toInt());
    if (content == nullptr || content->inputs.empty()) continue;
    const QImage& picture = content->inputs.front().picture;
    if (picture.isNull()) continue;
    item->setIcon(QPixmap::fromImage(
        picture.scaled(QSize(kPicture, kPicture) * devicePixelRatioF(), Qt::KeepAspectRatio)));
    m_samples->setRowHeight(row, kPicture + 4);
  }
}

void CompareView::showSelection() {
  const auto layer = m_layers.find(selection().current().node);
  const auto found = layer ? std::ranges::find(m_layerOf, *layer) : m_layerOf.end();
  m_chart->setCurrent(found == m_layerOf.end() ? -1 : static_cast<int>(found - m_layerOf.begin()));
  markSample();
}

void CompareView::markSample() {
  const int sample = selection().current().sample;
  for (int row = 0; row < m_samples->rowCount(); ++row) {
    const QTableWidgetItem* item = m_samples->item(row, 0);
    if (item->data(Qt::UserRole).toInt() != sample) continue;
    if (m_samples->currentRow() != row) m_samples->selectRow(row);
    m_samples->scrollToItem(item);
    return;
  }
  m_samples->clearSelection();
}

}  // namespace quantscope
