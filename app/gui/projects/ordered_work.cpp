#include "app/gui/projects/ordered_work.h"

#include <QCoreApplication>
#include <utility>

namespace quantscope {

OrderedWork::OrderedWork() {
  m_pool.setMaxThreadCount(1);
  qAddPostRoutine([] { instance().finish(); });
}

OrderedWork& OrderedWork::instance() {
  static OrderedWork work;
  return work;
}

void OrderedWork::start(QObject* receiver, std::function<Answer()> work) {
  m_pool.start([this, guard = QPointer<QObject>(receiver), work = std::move(work)] {
    if (Answer answer = work()) tell(guard, std::move(answer));
  });
}

void OrderedWork::tell(const QPointer<QObject>& receiver, Answer action) {
  QMetaObject::invokeMethod(
      this,
      [receiver, action = std::move(action)] {
        if (receiver) action();
      },
      Qt::QueuedConnection);
}

}  // namespace quantscope
