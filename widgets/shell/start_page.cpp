#include "widgets/shell/start_page.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "widgets/look/icons.h"
#include "widgets/look/theme.h"
#include "widgets/shell/card_button.h"

namespace quantscope {
namespace {

constexpr int kPageWidth = 720;
constexpr int kColumns = 2;

QLabel* makeLabel(const QString& words, qreal scale, QFont::Weight weight) {
  auto* label = new QLabel(words);
  QFont font = label->font();
  font.setPointSizeF(font.pointSizeF() * scale);
  font.setWeight(weight);
  label->setFont(font);
  label->setTextInteractionFlags(Qt::NoTextInteraction);
  return label;
}

QWidget* makeSection(const QString& title, QGridLayout** grid) {
  auto* section = new QWidget;
  auto* layout = new QVBoxLayout(section);
  layout->setContentsMargins({});
  layout->setSpacing(8);
  layout->addWidget(makeLabel(title, 1, QFont::DemiBold));
  *grid = new QGridLayout;
  (*grid)->setSpacing(8);
  layout->addLayout(*grid);
  return section;
}

}  // namespace

/// The dashed frame; its frame lights up while a file is held over the window.
class StartPage::DropZone : public QWidget {
 public:
  explicit DropZone(StartPage* page) : QWidget(page) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 28, 24, 28);
    layout->setSpacing(12);
    layout->addSpacing(44);  // of the drawing
    QLabel* words =
        makeLabel(StartPage::tr("Drop an ONNX model or a project here"), 1.15, QFont::DemiBold);
    words->setAlignment(Qt::AlignCenter);
    layout->addWidget(words);
    auto* open = new QPushButton(StartPage::tr("Open…"), this);
    open->setDefault(true);
    open->setMinimumSize(140, 36);
    connect(open, &QPushButton::clicked, page, &StartPage::openRequested);
    layout->addWidget(open, 0, Qt::AlignCenter);
  }

  void setHot(bool hot) {
    m_hot = hot;
    update();
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    const Theme& theme = Theme::of(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor fill = m_hot ? theme.accent : theme.surface;
    if (m_hot) fill.setAlpha(28);
    painter.setPen(QPen(m_hot ? theme.accent : theme.edge, 1.5, Qt::DashLine));
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 12, 12);
    icon(QStringLiteral("drop"))
        .paint(&painter, QRect((width() - 40) / 2, 28, 40, 40), Qt::AlignCenter, QIcon::Normal,
               m_hot ? QIcon::On : QIcon::Off);
  }

 private:
  bool m_hot = false;
};

StartPage::StartPage(QWidget* parent) : QWidget(parent), m_zone(new DropZone(this)) {
  setAccessibleName(tr("Start"));
  auto* page = new QWidget;
  page->setMaximumWidth(kPageWidth);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(24, 24, 24, 24);
  column->setSpacing(24);
  column->addStretch(1);
  auto* head = new QHBoxLayout;
  head->setSpacing(16);
  auto* picture = new QLabel;
  picture->setPixmap(programIcon().pixmap(QSize(56, 56), devicePixelRatioF()));
  head->addWidget(picture);
  auto* words = new QVBoxLayout;
  words->setSpacing(2);
  words->addWidget(makeLabel(QStringLiteral("Quantscope"), 2, QFont::DemiBold));
  QLabel* what =
      makeLabel(tr("See where quantization hurts a neural network, and why."), 1.1, QFont::Normal);
  words->addWidget(what);
  head->addLayout(words, 1);
  column->addLayout(head);
  column->addWidget(m_zone);
  m_unsavedSection = makeSection(tr("Unsaved work"), &m_unsaved);
  column->addWidget(m_unsavedSection);
  m_recentSection = makeSection(tr("Recent"), &m_recent);
  column->addWidget(m_recentSection);
  m_sampleSection = makeSection(tr("Samples: trained networks with their data"), &m_samples);
  column->addWidget(m_sampleSection);
  column->addStretch(2);

  auto* holder = new QWidget;
  auto* centre = new QHBoxLayout(holder);
  centre->setContentsMargins({});
  centre->addStretch(1);
  centre->addWidget(page, 10);
  centre->addStretch(1);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);  // its focus would not be seen
  scroll->setWidget(holder);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins({});
  layout->addWidget(scroll);
}

void StartPage::setRecent(const std::vector<Entry>& recent) {
  fill(m_recent, recent, QStringLiteral("recent"));
  m_recentSection->setVisible(!recent.empty());
}

void StartPage::setUnsaved(const std::vector<Entry>& unsaved) {
  fill(m_unsaved, unsaved, QStringLiteral("model"));
  m_unsavedSection->setVisible(!unsaved.empty());
}

void StartPage::setSamples(const std::vector<Entry>& samples) {
  fill(m_samples, samples, QStringLiteral("model"));
  m_sampleSection->setVisible(!samples.empty());
}

void StartPage::setDropping(bool dropping) {
  m_zone->setHot(dropping);
}

void StartPage::fill(QGridLayout* grid, const std::vector<Entry>& entries, const QString& drawing) {
  while (QLayoutItem* item = grid->takeAt(0)) {
    if (item->widget() != nullptr) item->widget()->deleteLater();
    delete item;
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    auto* card = new CardButton(icon(drawing), entry.title, entry.subtitle, this);
    card->setEnabled(!entry.missing);
    card->setToolTip(entry.missing ? tr("%1 is not there any more").arg(entry.path) : entry.path);
    connect(card, &CardButton::clicked, this,
            [this, path = entry.path] { Q_EMIT pathChosen(path); });
    grid->addWidget(card, static_cast<int>(i) / kColumns, static_cast<int>(i) % kColumns);
  }
  for (int column = 0; column < kColumns; ++column) grid->setColumnStretch(column, 1);
}

}  // namespace quantscope
