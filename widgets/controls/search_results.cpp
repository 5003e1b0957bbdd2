#include "widgets/controls/search_results.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/controls/command_delegate.h"
#include "widgets/look/card.h"
#include "widgets/look/icons.h"
#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kResultsWidth = 460;
constexpr int kMostRows = 9;  // seen at once

}  // namespace

SearchResults::SearchResults(QLineEdit* field, QWidget* window)
    : QFrame(window),
      m_field(field),
      m_count(new QLabel(this)),
      m_list(new QListView(this)),
      m_model(new QStandardItemModel(this)) {
  setAccessibleName(tr("Found"));
  m_count->setForegroundRole(QPalette::PlaceholderText);
  m_count->setContentsMargins(8, 2, 8, 2);
  m_list->setModel(m_model);
  m_list->setItemDelegate(new CommandDelegate(m_list));
  m_list->setFrameShape(QFrame::NoFrame);
  m_list->setFocusPolicy(Qt::NoFocus);
  m_list->setUniformItemSizes(true);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_list->setAccessibleName(tr("Found layers and findings"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 6, 6, 6);
  layout->setSpacing(2);
  layout->addWidget(m_count);
  layout->addWidget(m_list);
  field->installEventFilter(this);
  connect(m_list, &QListView::clicked, this,
          [this](const QModelIndex& index) { Q_EMIT chosen(index.row()); });
  hide();
}

QString SearchResults::countWords() const {
  return m_count->text();
}

void SearchResults::setRows(const QList<Row>& rows) {
  m_model->clear();
  for (const Row& row : rows) {
    auto* item = new QStandardItem(icon(row.icon), row.name);
    item->setData(row.note, CommandDelegate::PathRole);
    item->setToolTip(toolTipText(row.note.isEmpty() ? row.name : row.name + u'\n' + row.note));
    item->setEditable(false);
    m_model->appendRow(item);
  }
  m_count->setText(rows.isEmpty()     ? tr("No match")
                   : rows.size() == 1 ? tr("1 match")
                                      : tr("%L1 matches").arg(rows.size()));
  m_list->setVisible(!rows.isEmpty());
  place();
  setVisible(!m_field->text().isEmpty() && m_field->hasFocus());
  raise();
}

void SearchResults::setCurrent(int row) {
  m_list->setCurrentIndex(m_model->index(row, 0));
  if (row >= 0) {
    m_count->setText(tr("%L1 of %L2").arg(row + 1).arg(m_model->rowCount()));
  }
}

void SearchResults::place() {
  const QWidget& window = *parentWidget();
  const int rows = std::min(m_model->rowCount(), kMostRows);
  const int row = rows == 0 ? 0 : std::max(m_list->sizeHintForRow(0), 1);
  m_list->setFixedHeight(rows * row);
  const int width = std::min(kResultsWidth, window.width() - 16);
  const QPoint corner = m_field->mapTo(&window, QPoint(m_field->width(), m_field->height() + 4));
  setGeometry(std::max(8, corner.x() - width), corner.y(), width, 0);
  layout()->activate();
  resize(width, layout()->sizeHint().height());
}

void SearchResults::step(int by) {
  const int count = m_model->rowCount();
  if (count == 0) return;
  const int now = m_list->currentIndex().row();
  Q_EMIT chosen(now < 0 ? (by > 0 ? 0 : count - 1) : std::clamp(now + by, 0, count - 1));
}

bool SearchResults::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusOut) hide();
  if (event->type() == QEvent::FocusIn && !m_field->text().isEmpty()) {
    place();
    show();
    raise();
  }
  if (event->type() == QEvent::KeyPress && isVisible()) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Down || key == Qt::Key_Up) {
      step(key == Qt::Key_Down ? 1 : -1);
      return true;
    }
  }
  return QFrame::eventFilter(watched, event);
}

void SearchResults::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  paintCard(painter, *this, Theme::of(palette()).surface, kCardRadius);
}

}  // namespace quantscope
