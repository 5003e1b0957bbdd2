#include "widgets/shell/message_bar.h"

#include <QEvent>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/shell/message_row.h"

namespace quantscope {
namespace {

constexpr std::size_t kSeenAtOnce = 3;

}  // namespace

MessageBar::MessageBar(QWidget* parent) : QWidget(parent), m_layout(new QVBoxLayout(this)) {
  setAccessibleName(tr("Messages"));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  m_layout->setContentsMargins({});
  m_layout->setSpacing(0);
  hide();
}

void MessageBar::layOver(QWidget* view) {
  m_view = view;
  setParent(view);
  view->installEventFilter(this);
  place();
}

// Words that are cut or wrapped otherwise make it lower or higher.
bool MessageBar::event(QEvent* event) {
  if (event->type() == QEvent::LayoutRequest) place();
  return QWidget::event(event);
}

bool MessageBar::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_view && event->type() == QEvent::Resize) place();
  return QWidget::eventFilter(watched, event);
}

void MessageBar::place() {
  if (m_view == nullptr) return;
  const int width = m_view->width();
  const int wanted = m_layout->hasHeightForWidth() ? m_layout->totalHeightForWidth(width)
                                                   : m_layout->totalSizeHint().height();
  const int height = std::min(wanted, m_view->height());
  setGeometry(0, m_view->height() - height, width, height);
  raise();
}

void MessageBar::tell(const Message& message) {
  if (!message.topic.isEmpty()) dismiss(message.topic);
  auto* row = new Row(message, this);
  m_layout->insertWidget(0, row);
  m_rows.insert(m_rows.begin(), row);
  showFirst();
  Q_EMIT told(message);
}

void MessageBar::dismiss(const QString& topic) {
  const auto found = find(topic);
  if (found != m_rows.end()) remove(*found);
}

void MessageBar::setHint(const QString& topic, const QString& hint) {
  const auto found = find(topic);
  if (found != m_rows.end()) (*found)->setHint(hint);
}

std::vector<MessageBar::Row*>::iterator MessageBar::find(const QString& topic) {
  return std::ranges::find_if(m_rows,
                              [&topic](const Row* row) { return row->message().topic == topic; });
}

void MessageBar::dismissAll() {
  while (!m_rows.empty()) remove(m_rows.front());
}

std::vector<Message> MessageBar::messages() const {
  std::vector<Message> messages;
  for (const Row* row : m_rows) messages.push_back(row->message());
  return messages;
}

void MessageBar::remove(Row* row) {
  const bool focused = row->isAncestorOf(window()->focusWidget());
  std::erase(m_rows, row);
  m_layout->removeWidget(row);
  row->hide();
  row->deleteLater();
  showFirst();
  if (focused) Q_EMIT focusLeft();
}

void MessageBar::showFirst() {
  for (std::size_t i = 0; i < m_rows.size(); ++i) m_rows[i]->setVisible(i < kSeenAtOnce);
  setVisible(!m_rows.empty());
  place();
}

}  // namespace quantscope
