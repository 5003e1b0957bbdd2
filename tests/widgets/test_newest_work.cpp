#include <QtTest>
#include <latch>
#include <memory>
#include <semaphore>

#include "support/test_main.h"
#include "widgets/background/newest_work.h"

using namespace quantscope;

namespace {

using Turn = NewestWork::Turn;
using Answer = NewestWork::Answer;

// Answers with its name.
NewestWork::Work saying(QStringList& heard, const QString& name) {
  return [&heard, name](const Turn&) { return [&heard, name] { heard << name; }; };
}

// The same once `leave` lets it go; tells by `begun` that it is in work.
NewestWork::Work waiting(QStringList& heard, const QString& name, std::binary_semaphore& begun,
                         std::binary_semaphore& leave) {
  return [&heard, name, &begun, &leave](const Turn&) {
    begun.release();
    leave.acquire();
    return [&heard, name] { heard << name; };
  };
}

}  // namespace

class NewestWorkTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theAnswerComesOnThisThread();
  void onlyTheNewestIsHeard();
  void whatWaitsIsNeverBegun();
  void whatIsCancelledIsNotHeard();
  void workSeesThatItIsOutdated();
  void partsAreToldInOrder();
  void partsOfAnOutdatedTurnAreDropped();
  void replacingLeavesWhatIsInWork();
  void theSameNameIsNotBegunTwice();
  void severalThreadsWorkAtATime();
  void theEndWaits();
  void theEndLetsGo();
  void theNextLetsGo();
  void anAnswerMayDestroyIt();
  void manyRequests();
};

void NewestWorkTest::theAnswerComesOnThisThread() {
  NewestWork work;
  QThread* workedOn = nullptr;
  QThread* heardOn = nullptr;
  QVERIFY(!work.busy());
  work.start([&](const Turn&) {
    workedOn = QThread::currentThread();
    return [&] {
      heardOn = QThread::currentThread();
      QVERIFY(!work.busy());
    };
  });
  QVERIFY(work.busy());
  QTRY_VERIFY(heardOn != nullptr);
  QCOMPARE(heardOn, QThread::currentThread());
  QVERIFY(workedOn != heardOn);
}

void NewestWorkTest::onlyTheNewestIsHeard() {
  QStringList heard;
  std::binary_semaphore begun{0};
  std::binary_semaphore leave{0};
  NewestWork work;
  work.start(waiting(heard, QStringLiteral("first"), begun, leave));
  begun.acquire();
  work.start(saying(heard, QStringLiteral("second")));
  leave.release();
  QTRY_VERIFY(!work.busy());
  QCOMPARE(heard, QStringList{QStringLiteral("second")});
}

void NewestWorkTest::whatWaitsIsNeverBegun() {
  QStringList heard;
  std::binary_semaphore begun{0};
  std::binary_semaphore leave{0};
  std::atomic<bool> ran{false};
  NewestWork work;
  work.start(waiting(heard, QStringLiteral("first"), begun, leave));
  begun.acquire();
  work.start([&](const Turn&) -> Answer {
    ran = true;
    return {};
  });
  work.start(saying(heard, QStringLiteral("third")));
  leave.release();
  QTRY_VERIFY(!work.busy());
  QVERIFY(!ran);
  QCOMPARE(heard, QStringList{QStringLiteral("third")});
}

void NewestWorkTest::whatIsCancelledIsNotHeard() {
  QStringList heard;
  std::binary_semaphore begun{0};
  std::binary_semaphore leave{0};
  NewestWork work;
  work.start(waiting(heard, QStringLiteral("first"), begun, leave));
  begun.acquire();
  work.cancel();
  QVERIFY(!work.busy());
  leave.release();
  work.start(saying(heard, QStringLiteral("next")));
  QTRY_VERIFY(!work.busy());
  QCOMPARE(heard, QStringList{QStringLiteral("next")});
}

void NewestWorkTest::workSeesThatItIsOutdated() {
  std::binary_semaphore begun{0};
  std::binary_semaphore left{0};
  NewestWork work;
  work.start([&](const Turn& turn) -> Answer {
    begun.release();
    while (!turn.outdated()) QThread::yieldCurrentThread();
    left.release();
    return {};
  });
  begun.acquire();
  work.cancel();
  left.acquire();  // hangs where it is not told
}

void NewestWorkTest::partsAreToldInOrder() {
  QStringList heard;
  NewestWork work;
  work.start([&](const Turn& turn) {
    for (int part = 0; part < 3; ++part)
      turn.tell([&heard, part] { heard << QString::number(part); });
    return [&heard] { heard << QStringLiteral("end"); };
  });
  QTRY_VERIFY(!work.busy());
  QCOMPARE(heard.join(u' '), QStringLiteral("0 1 2 end"));
}

// They are posted before the newer request, and would be heard after it.
void NewestWorkTest::partsOfAnOutdatedTurnAreDropped() {
  QStringList heard;
  std::binary_semaphore told{0};
  NewestWork work;
  work.start([&](const Turn& turn) {
    turn.tell([&heard] { heard << QStringLiteral("old part"); });
    told.release();
    return [&heard] { heard << QStringLiteral("old end"); };
  });
  told.acquire();
  work.start(saying(heard, QStringLiteral("new")));
  QTRY_VERIFY(!work.busy());
  QCOMPARE(heard, QStringList{QStringLiteral("new")});
}

void NewestWorkTest::replacingLeavesWhatIsInWork() {
  QStringList heard;
  std::binary_semaphore begun{0};
  std::binary_semaphore leave{0};
  NewestWork work;
  work.replaceWaiting({{QStringLiteral("a"), waiting(heard, QStringLiteral("a"), begun, leave)},
                       {QStringLiteral("b"), saying(heard, QStringLiteral("b"))}});
  begun.acquire();
  work.replaceWaiting({{QStringLiteral("c"), saying(heard, QStringLiteral("c"))},
                       {QStringLiteral("d"), saying(heard, QStringLiteral("d"))}});
  leave.release();
  QTRY_VERIFY(!work.busy());
  QCOMPARE(heard.join(u' '), QStringLiteral("a c d"));
}

void NewestWorkTest::theSameNameIsNotBegunTwice() {
  QStringList heard;
  std::binary_semaphore begun{0};
  std::binary_semaphore leave{0};
  NewestWork work;
  const auto item = [&] {
    return NewestWork::Item{QStringLiteral("a"), waiting(heard, QStringLiteral("a"), begun, leave)};
  };
  work.replaceWaiting({item()});
  begun.acquire();
  work.replaceWaiting({item()});
  leave.release();
  QTRY_VERIFY(!work.busy());
  QCOMPARE(heard, QStringList{QStringLiteral("a")});
  // Once it was heard, it can be asked for again.
  work.replaceWaiting({item()});
  begun.acquire();
  leave.release();
  QTRY_VERIFY(!work.busy());
  QCOMPARE(heard.size(), 2);
}

// Each waits for the others to be in work.
void NewestWorkTest::severalThreadsWorkAtATime() {
  constexpr int kThreads = 3;
  std::latch together(kThreads);
  int heard = 0;
  NewestWork work(kThreads);
  std::vector<NewestWork::Item> items;
  for (int i = 0; i < kThreads; ++i) {
    items.push_back({QString::number(i), [&](const Turn&) {
                       together.arrive_and_wait();
                       return [&heard] { ++heard; };
                     }});
  }
  work.replaceWaiting(std::move(items));
  QTRY_COMPARE(heard, kThreads);
}

void NewestWorkTest::theEndWaits() {
  std::atomic<bool> left{false};
  std::binary_semaphore begun{0};
  bool heard = false;
  {
    NewestWork work;
    work.start([&](const Turn& turn) {
      begun.release();
      while (!turn.outdated()) QThread::yieldCurrentThread();
      left = true;
      return [&heard] { heard = true; };
    });
    begun.acquire();
  }
  QVERIFY(left);
  QCoreApplication::processEvents();
  QVERIFY(!heard);
}

void NewestWorkTest::theEndLetsGo() {
  std::binary_semaphore begun{0};
  std::binary_semaphore leave{0};
  bool heard = false;
  {
    NewestWork work(1, NewestWork::Outdated::LetGo);
    work.start([&](const Turn&) {
      begun.release();
      leave.acquire();
      return [&heard] { heard = true; };
    });
    begun.acquire();
  }
  leave.release();  // it is still in work: waiting for it would have hung
  QThreadPool::globalInstance()->waitForDone();
  QCoreApplication::processEvents();
  QVERIFY(!heard);
}

// The next is heard while the first is still in work; the first, once free, takes no other's turn.
void NewestWorkTest::theNextLetsGo() {
  QStringList heard;
  std::binary_semaphore begun{0};
  std::binary_semaphore leave{0};
  NewestWork work(1, NewestWork::Outdated::LetGo);
  work.start(waiting(heard, QStringLiteral("first"), begun, leave));
  begun.acquire();
  work.start(saying(heard, QStringLiteral("second")));
  QTRY_VERIFY(!work.busy());
  leave.release();
  QThreadPool::globalInstance()->waitForDone();
  work.start(saying(heard, QStringLiteral("third")));
  QTRY_VERIFY(!work.busy());
  QCOMPARE(heard.join(u' '), QStringLiteral("second third"));
}

void NewestWorkTest::anAnswerMayDestroyIt() {
  auto work = std::make_unique<NewestWork>();
  work->start([&work](const Turn&) { return [&work] { work.reset(); }; });
  QTRY_VERIFY(!work);
}

void NewestWorkTest::manyRequests() {
  constexpr int kRequests = 500;
  int last = 0;
  int answers = 0;
  NewestWork work;
  for (int request = 1; request <= kRequests; ++request) {
    work.start([&, request](const Turn&) {
      return [&, request] {
        QVERIFY(request > last);
        last = request;
        ++answers;
      };
    });
    if (request % 7 == 0) QCoreApplication::processEvents();
  }
  QTRY_VERIFY(!work.busy());
  QCOMPARE(last, kRequests);
  QVERIFY(answers <= kRequests);
}

QUANTSCOPE_TEST(NewestWorkTest)
#include "test_newest_work.moc"
