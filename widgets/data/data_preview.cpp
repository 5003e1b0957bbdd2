#include "widgets/data/data_preview.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "widgets/data/data_inputs.h"
#include "widgets/data/data_labels.h"
#include "widgets/data/picture_card.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr int kThumbnailSide = 48;
constexpr int kMostRows = 5;
// Number of inputs that are shown as pictures; the table has all inputs.
constexpr std::size_t kMostPictures = 3;

enum Column { kName, kType, kShape, kMin, kMean, kMax, kNumbers, kColumns };

// Keeps right-aligned numbers off the text beside them.
class PaddedCells : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    QStyleOptionViewItem padded = option;
    padded.rect.adjust(kPadding, 0, -kPadding, 0);
    QStyledItemDelegate::paint(painter, padded, index);
  }

 private:
  static constexpr int kPadding = 4;
};

QTreeWidget* makeNumbers() {
  auto* table = new QTreeWidget;
  table->setAccessibleName(DataPreview::tr("The sample's numbers"));
  table->setHeaderLabels({DataPreview::tr("Input"), DataPreview::tr("Type"),
                          DataPreview::tr("Shape"), DataPreview::tr("Min"), DataPreview::tr("Mean"),
                          DataPreview::tr("Max"), DataPreview::tr("First numbers")});
  table->headerItem()->setToolTip(kMin, DataPreview::tr("The smallest number of this sample"));
  table->headerItem()->setToolTip(kMean, DataPreview::tr("The mean of this sample's numbers"));
  table->headerItem()->setToolTip(kMax, DataPreview::tr("The largest number of this sample"));
  for (const int column : {kMin, kMean, kMax}) {
    table->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  }
  table->setRootIsDecorated(false);
  table->setUniformRowHeights(true);
  table->setSelectionMode(QAbstractItemView::NoSelection);
  table->setItemDelegate(new PaddedCells(table));
  return table;
}

QListWidget* makeThumbnails() {
  auto* list = new QListWidget;
  list->setAccessibleName(DataPreview::tr("The first samples"));
  list->setViewMode(QListView::IconMode);
  list->setMovement(QListView::Static);
  list->setResizeMode(QListView::Adjust);
  list->setIconSize({kThumbnailSide, kThumbnailSide});
  const int line = list->fontMetrics().height();
  list->setGridSize({kThumbnailSide + 8, kThumbnailSide + line + 12});
  list->setWrapping(false);
  list->setFixedHeight(list->gridSize().height() +
                       list->horizontalScrollBar()->sizeHint().height());
  list->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list->setFrameShape(QFrame::NoFrame);
  QPalette palette = list->palette();
  palette.setBrush(QPalette::Base, Qt::transparent);
  list->setPalette(palette);
  list->setUniformItemSizes(true);
  list->setTextElideMode(Qt::ElideMiddle);
  list->hide();
  return list;
}

QString rangeText(const InputPreview& input) {
  return QStringLiteral("%1 … %2").arg(shortText(input.min), shortText(input.max));
}

// The original is easier to recognize; the other one shows the model's input.
const QImage& thumbnailOf(const SamplePreview& preview) {
  static const QImage kNone;
  if (!preview.original.isNull()) return preview.original;
  const auto picture = std::ranges::find_if(
      preview.inputs, [](const InputPreview& input) { return !input.picture.isNull(); });
  return picture == preview.inputs.end() ? kNone : picture->picture;
}

QIcon squareIcon(const QImage& image) {
  QPixmap pixmap(kThumbnailSide * 2, kThumbnailSide * 2);
  pixmap.fill(Qt::transparent);
  // Small ones keep their pixels.
  const bool magnified = image.width() < pixmap.width() && image.height() < pixmap.height();
  const QImage scaled = image.scaled(pixmap.size(), Qt::KeepAspectRatio,
                                     magnified ? Qt::FastTransformation : Qt::SmoothTransformation);
  QPainter painter(&pixmap);
  painter.drawImage((pixmap.width() - scaled.width()) / 2, (pixmap.height() - scaled.height()) / 2,
                    scaled);
  painter.end();
  return pixmap;
}

}  // namespace

QString sampleErrorText(const SamplePreview& preview) {
  return DataPreview::tr("Sample %1: %2")
      .arg(preview.sample + 1)
      .arg(sentences(*preview.error, {}));
}

DataPreview::DataPreview(QWidget* parent)
    : QWidget(parent),
      m_error(new QLabel),
      m_pictures(new QHBoxLayout),
      m_numbers(makeNumbers()),
      m_thumbnails(makeThumbnails()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(makeNavigation());
  m_error->setWordWrap(true);
  m_error->hide();
  layout->addWidget(m_error);
  m_pictures->setSpacing(16);
  layout->addLayout(m_pictures, 1);
  layout->addWidget(m_numbers);
  layout->addWidget(m_thumbnails);
  layout->addStretch();
  connect(m_thumbnails, &QListWidget::currentRowChanged, this, [this](int row) {
    if (row >= 0) goTo(static_cast<std::size_t>(row));
  });
  m_empty =
      mutedLabel(tr("The first samples show here: pictures as pictures, arrays as numbers."), this);
  m_empty->setAlignment(Qt::AlignTop | Qt::AlignHCenter);
  layout->insertWidget(1, m_empty, 100);
  m_numbers->hide();
  showNavigation();
}

QWidget* DataPreview::makeNavigation() {
  auto* row = new QWidget;
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(headingLabel(tr("Samples"), this));
  const auto makeButton = [&](Qt::ArrowType arrow, const QString& toolTip, auto target) {
    auto* button = new QToolButton;
    button->setArrowType(arrow);
    button->setAutoRaise(true);
    button->setToolTip(toolTip);
    button->setAccessibleName(toolTip);
    connect(button, &QToolButton::clicked, this, [this, target] { goTo(target(m_sample)); });
    layout->addWidget(button);
    return button;
  };
  m_previous = makeButton(Qt::LeftArrow, tr("Previous sample"),
                          [](std::size_t sample) { return sample - 1; });
  m_position = new QLabel;
  layout->addWidget(m_position);
  m_next =
      makeButton(Qt::RightArrow, tr("Next sample"), [](std::size_t sample) { return sample + 1; });
  layout->addStretch();
  return row;
}

QString DataPreview::labelText(std::size_t sample) const {
  return sample < m_labels.size() ? tr("label %1").arg(m_labels[sample]) : QString();
}

void DataPreview::showNavigation() {
  m_previous->setEnabled(m_sample > 0);
  m_next->setEnabled(m_sample + 1 < m_count);
  QString position;
  if (m_count > 0) {
    position = tr("%1 of %2").arg(m_sample + 1).arg(m_count);
    const QString label = labelText(m_sample);
    if (!label.isEmpty()) position += QStringLiteral(" · ") + label;
  }
  m_position->setText(position);
  m_previous->setVisible(m_count > 0);
  m_next->setVisible(m_count > 0);
}

void DataPreview::setSamples(std::size_t count, std::vector<std::int64_t> labels) {
  m_count = count;
  m_labels = std::move(labels);
  {
    const QSignalBlocker quiet(m_thumbnails);
    m_thumbnails->clear();
  }
  m_thumbnails->hide();
  m_sample = m_sample < count ? m_sample : 0;
  showNavigation();
  if (count == 0) {
    showSample({});
  } else {
    Q_EMIT sampleWanted(m_sample);
  }
}

void DataPreview::goTo(std::size_t sample) {
  if (sample >= m_count || sample == m_sample) return;
  m_sample = sample;
  const QSignalBlocker quiet(m_thumbnails);
  m_thumbnails->setCurrentRow(
      static_cast<int>(sample) < m_thumbnails->count() ? static_cast<int>(sample) : -1);
  showNavigation();
  Q_EMIT sampleWanted(sample);
}

void DataPreview::addThumbnail(const SamplePreview& preview) {
  const QImage& image = thumbnailOf(preview);
  const bool broken = preview.error.has_value();
  if (image.isNull() && !broken) return;
  const bool labelled = preview.sample < m_labels.size();
  auto* item = new QListWidgetItem(
      broken ? QIcon(markPixmap(Mark::Bad, palette(), devicePixelRatioF())) : squareIcon(image),
      labelled ? QString::number(m_labels[preview.sample])
               : QStringLiteral("#%1").arg(preview.sample + 1));
  item->setToolTip(broken ? sampleErrorText(preview)
                          : tr("Sample %1 %2 %3")
                                .arg(preview.sample + 1)
                                .arg(preview.fileName, labelText(preview.sample)));
  const QSignalBlocker quiet(m_thumbnails);
  m_thumbnails->addItem(item);
  if (preview.sample == m_sample) m_thumbnails->setCurrentItem(item);
  m_thumbnails->show();
}

void DataPreview::showSample(const SamplePreview& preview) {
  m_error->setVisible(preview.error.has_value());
  m_empty->setVisible(preview.inputs.empty() && !preview.error);
  if (preview.error) {
    m_error->setText(sampleErrorText(preview));
    setCritical(m_error);
  }
  showPictures(preview);
  showNumbers(preview);
}

void DataPreview::showPictures(const SamplePreview& preview) {
  while (QLayoutItem* item = m_pictures->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  if (!preview.original.isNull()) {
    m_pictures->addWidget(new PictureCard(preview.original, tr("%1, %2 × %3 px")
                                                                .arg(preview.fileName)
                                                                .arg(preview.originalSize.height)
                                                                .arg(preview.originalSize.width)));
  }
  std::size_t shown = 0;
  for (const InputPreview& input : preview.inputs) {
    if (input.picture.isNull() || shown == kMostPictures) continue;
    const QString caption = preview.original.isNull() ? input.name : tr("As the model sees it");
    auto* card = new PictureCard(input.picture, caption + QStringLiteral(", ") + rangeText(input));
    card->setToolTip(tr("%1 %2, drawn from its smallest number (black) to its largest (white)")
                         .arg(input.name, input.shape));
    m_pictures->addWidget(card);
    ++shown;
  }
}

void DataPreview::showNumbers(const SamplePreview& preview) {
  m_numbers->clear();
  for (const InputPreview& input : preview.inputs) {
    auto* row = new QTreeWidgetItem({input.name, input.type, input.shape, shortText(input.min),
                                     shortText(input.mean), shortText(input.max), input.numbers});
    for (const auto& [column, number] :
         {std::pair(kMin, input.min), std::pair(kMean, input.mean), std::pair(kMax, input.max)}) {
      row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
      row->setToolTip(column, exactText(number));
    }
    row->setToolTip(kName, input.name);
    row->setToolTip(kNumbers, input.numbers);
    m_numbers->addTopLevelItem(row);
  }
  constexpr int kGap = 16;
  for (int column = 0; column < kNumbers; ++column) {
    m_numbers->resizeColumnToContents(column);
    m_numbers->setColumnWidth(column, m_numbers->columnWidth(column) + kGap);
  }
  const int rows = std::clamp(m_numbers->topLevelItemCount(), 1, kMostRows);
  const int rowHeight = std::max(m_numbers->sizeHintForRow(0), m_numbers->fontMetrics().height());
  m_numbers->setFixedHeight(m_numbers->header()->sizeHint().height() + rows * rowHeight +
                            m_numbers->horizontalScrollBar()->sizeHint().height() +
                            2 * m_numbers->frameWidth());
  m_numbers->setVisible(!preview.inputs.empty());
}

}  // namespace quantscope
