#include <QtTest>
#include <latch>
#include <mutex>
#include <semaphore>
#include <set>
#include <stdexcept>

#include "base/error.h"
#include "jobs/job_queue.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

const JobTag kEdit{"edit"};
const JobTag kOther{"other"};
const JobTag kSweep{"sweep", JobTag::Priority::Sweep};

// Records events in their order.
class Diary {
 public:
  void write(const std::string& line) {
    const std::lock_guard lock(m_mutex);
    m_lines.push_back(line);
  }
  std::string text() const {
    const std::lock_guard lock(m_mutex);
    std::string all;
    for (const std::string& line : m_lines) all += (all.empty() ? "" : ", ") + line;
    return all;
  }

 private:
  mutable std::mutex m_mutex;
  std::vector<std::string> m_lines;
};

std::string wordOf(const std::exception_ptr& failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const Cancelled&) {
    return "cancelled";
  } catch (const std::exception& error) {
    return error.what();
  }
  return "done";
}

// Runs until it is cancelled.
void untilCancelled(const JobContext& context) {
  while (true) context.throwIfCancelled();
}

}  // namespace

class JobQueueTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aJobRunsAndEnds();
  void whatItThrowsIsHandedOn();
  void aNewerJobTakesThePlaceOfTheOlder();
  void theOlderHasEndedBeforeTheNewerBegins();
  void anEditDoesNotWaitForASweep_data();
  void anEditDoesNotWaitForASweep();
  void anEditLeavesTheSweepAlone();
  void cancelledBeforeItBegins();
  void afterStopNothingRuns();
  void jobsAreFreedWithoutTheLock();
  void theEndCancelsAll();
  void theBudgetIsShared();
  void windowsShareTheWorkers();
  void progressIsTold();
  void manyRequestsFromManyThreads();
};

void JobQueueTest::aJobRunsAndEnds() {
  JobQueue queue(2);
  Diary diary;
  std::latch ended(1);
  queue.start(kEdit, {.work = [&](JobContext&) { diary.write("work"); },
                      .ended =
                          [&](const std::exception_ptr& failure) {
                            diary.write(wordOf(failure));
                            ended.count_down();
                          }});
  ended.wait();
  queue.stop(kEdit);
  QCOMPARE(diary.text(), std::string("work, done"));
  QVERIFY(!queue.busy(kEdit));
}

void JobQueueTest::whatItThrowsIsHandedOn() {
  JobQueue queue(1);
  Diary diary;
  for (const char* words : {"first", "second"}) {
    std::latch ended(1);
    queue.start(kEdit, {.work = [&](JobContext&) { throw std::runtime_error(words); },
                        .ended =
                            [&](const std::exception_ptr& failure) {
                              diary.write(wordOf(failure));
                              ended.count_down();
                            }});
    ended.wait();
  }
  QCOMPARE(diary.text(), std::string("first, second"));
}

// Of three requests while one runs, the last one alone is begun.
void JobQueueTest::aNewerJobTakesThePlaceOfTheOlder() {
  JobQueue queue(1);
  Diary diary;
  std::latch begun(1);
  std::latch asked(1);
  std::latch ended(1);
  const auto start = [&](const std::string& name, std::function<void(JobContext&)> work) {
    queue.start(kEdit, {.work = std::move(work), .ended = [&, name](const std::exception_ptr& e) {
                          diary.write(name + " " + wordOf(e));
                          if (name == "last") ended.count_down();
                        }});
  };
  start("first", [&](const JobContext& context) {
    begun.count_down();
    asked.wait();
    untilCancelled(context);
  });
  begun.wait();
  for (const char* name : {"second", "third", "last"}) start(name, [](JobContext&) {});
  asked.count_down();
  ended.wait();
  QCOMPARE(diary.text(), std::string("first cancelled, last done"));
}

void JobQueueTest::theOlderHasEndedBeforeTheNewerBegins() {
  JobQueue queue(1);
  Diary diary;
  std::latch begun(1);
  std::latch ended(1);
  queue.start(kEdit, {.work =
                          [&](const JobContext& context) {
                            begun.count_down();
                            try {
                              untilCancelled(context);
                            } catch (const Cancelled&) {
                              diary.write("older leaves");
                              throw;
                            }
                          },
                      .ended = [&](const std::exception_ptr&) { diary.write("older ended"); }});
  begun.wait();
  queue.start(kEdit, {.work = [&](JobContext&) { diary.write("newer begins"); },
                      .ended = [&](const std::exception_ptr&) { ended.count_down(); }});
  ended.wait();
  QCOMPARE(diary.text(), std::string("older leaves, older ended, newer begins"));
}

void JobQueueTest::anEditDoesNotWaitForASweep_data() {
  QTest::addColumn<int>("threads");
  for (const int threads : {1, 2, 7}) QTest::addRow("%d threads", threads) << threads;
}

// The sweep fills all workers and ends only when the edits have: whoever waits for it hangs.
void JobQueueTest::anEditDoesNotWaitForASweep() {
  QFETCH(int, threads);
  JobQueue queue(threads);
  std::atomic<bool> editsEnded{false};
  std::atomic<int> items{0};
  std::latch begun(1);
  std::latch sweepEnded(1);
  std::string sweepWords;
  queue.start(kSweep, {.work =
                           [&](const JobContext& context) {
                             begun.count_down();
                             while (!editsEnded) {
                               context.workers().forEach(64, [&](std::size_t) {
                                 context.throwIfCancelled();
                                 ++items;
                               });
                             }
                           },
                       .ended =
                           [&](const std::exception_ptr& failure) {
                             sweepWords = wordOf(failure);
                             sweepEnded.count_down();
                           }});
  begun.wait();
  for (int edit = 0; edit < 20; ++edit) {
    std::atomic<int> sum{0};
    std::latch ended(1);
    queue.start(kEdit, {.work =
                            [&](const JobContext& context) {
                              context.workers().forEach(
                                  100, [&](std::size_t i) { sum += static_cast<int>(i); });
                            },
                        .ended = [&](const std::exception_ptr&) { ended.count_down(); }});
    ended.wait();
    QCOMPARE(sum.load(), 4950);
  }
  editsEnded = true;
  sweepEnded.wait();
  QCOMPARE(sweepWords, std::string("done"));
  QVERIFY(items > 0);
}

void JobQueueTest::anEditLeavesTheSweepAlone() {
  JobQueue queue(2);
  std::latch begun(1);
  queue.start(kSweep, {.work = [&](const JobContext& context) {
                begun.count_down();
                untilCancelled(context);
              }});
  begun.wait();
  std::latch ended(1);
  queue.start(kEdit, {.work = [](JobContext&) {},
                      .ended = [&](const std::exception_ptr&) { ended.count_down(); }});
  ended.wait();
  QVERIFY(queue.busy(kSweep));
  queue.stop(kSweep);
  QVERIFY(!queue.busy(kSweep));
}

// Its end is told, so that nobody waits for it.
void JobQueueTest::cancelledBeforeItBegins() {
  JobQueue queue(1);
  Diary diary;
  std::latch begun(1);
  std::latch cancelled(1);
  std::latch ended(1);
  queue.start(kEdit, {.work = [&](JobContext&) {
                begun.count_down();
                cancelled.wait();
              }});
  begun.wait();
  queue.start(kEdit, {.work = [&](JobContext&) { diary.write("work"); },
                      .ended =
                          [&](const std::exception_ptr& failure) {
                            diary.write(wordOf(failure));
                            ended.count_down();
                          }});
  queue.cancel(kEdit);
  cancelled.count_down();
  ended.wait();
  QCOMPARE(diary.text(), std::string("cancelled"));
}

void JobQueueTest::afterStopNothingRuns() {
  JobQueue queue(1);
  queue.stop(kEdit);  // nothing to stop
  for (int round = 0; round < 50; ++round) {
    auto given = std::make_unique<std::atomic<int>>(0);
    for (int i = 0; i < 3; ++i) {
      queue.start(kEdit, {.work = [&](const JobContext& context) {
                    while (true) {
                      ++*given;
                      context.throwIfCancelled();
                    }
                  }});
    }
    queue.stop(kEdit);
    given.reset();  // a job that still ran would be seen by the sanitizers
    QVERIFY(!queue.busy(kEdit));
  }
}

// What a job owns may ask the queue as it goes, and takes its time.
void JobQueueTest::jobsAreFreedWithoutTheLock() {
  JobQueue queue(1);
  std::atomic<int> freed{0};
  const auto asking = [&] {
    return std::shared_ptr<int>(new int(0), [&](const int* owned) {
      queue.busy(kEdit);
      ++freed;
      delete owned;
    });
  };
  std::latch begun(1);
  queue.start(kEdit, {.work = [&, owned = asking()](const JobContext& context) {
                begun.count_down();
                untilCancelled(context);
              }});
  begun.wait();
  // One that waits is replaced, another one dropped, and the first one has ended.
  for (int i = 0; i < 2; ++i) {
    queue.start(kEdit, {.work = [owned = asking()](const JobContext&) {}});
  }
  queue.stop(kEdit);
  QCOMPARE(freed.load(), 3);
}

void JobQueueTest::theEndCancelsAll() {
  std::atomic<int> ends{0};
  {
    JobQueue queue(2);
    std::latch begun(2);
    for (const JobTag& tag : {kEdit, kSweep}) {
      queue.start(tag, {.work =
                            [&](const JobContext& context) {
                              begun.count_down();
                              untilCancelled(context);
                            },
                        .ended = [&](const std::exception_ptr&) { ++ends; }});
    }
    begun.wait();
  }
  QCOMPARE(ends.load(), 2);
}

void JobQueueTest::theBudgetIsShared() {
  JobQueue queue(1);
  queue.setMemoryBudget(1000);
  std::latch begun(2);
  std::latch leave(1);
  std::latch ended(1);
  std::size_t shared = 0;
  std::size_t alone = 0;
  queue.start(kEdit, {.work =
                          [&](const JobContext& context) {
                            begun.arrive_and_wait();
                            shared = context.memoryBudget();
                            leave.count_down();
                          },
                      .ended = [&](const std::exception_ptr&) { ended.count_down(); }});
  std::latch done(1);
  queue.start(kOther, {.work =
                           [&](const JobContext& context) {
                             begun.arrive_and_wait();
                             leave.wait();
                             ended.wait();
                             // The other one is taken off the list just behind its end.
                             while (queue.busy(kEdit)) std::this_thread::yield();
                             alone = context.memoryBudget();
                           },
                       .ended = [&](const std::exception_ptr&) { done.count_down(); }});
  done.wait();
  QCOMPARE(shared, std::size_t{500});
  QCOMPARE(alone, std::size_t{1000});
  QCOMPARE(queue.memoryBudget(), std::size_t{1000});
}

void JobQueueTest::windowsShareTheWorkers() {
  JobQueue queue(2);
  std::latch ended(2);
  std::mutex mutex;
  std::set<const Workers*> seen;
  for (const JobTag& tag : {kEdit, kOther}) {
    queue.start(tag, {.work =
                          [&](const JobContext& context) {
                            const std::lock_guard lock(mutex);
                            seen.insert(&context.workers());
                          },
                      .ended = [&](const std::exception_ptr&) { ended.count_down(); }});
  }
  ended.wait();
  QCOMPARE(seen.size(), std::size_t{1});
  QVERIFY(seen.contains(&queue.workers(JobTag::Priority::Edit)));
  QVERIFY(!seen.contains(&queue.workers(JobTag::Priority::Sweep)));
}

void JobQueueTest::progressIsTold() {
  JobQueue queue(1);
  Diary diary;
  std::latch ended(1);
  queue.start(kEdit, {.work =
                          [](JobContext& context) {
                            context.beginStage("calibrate", 2);
                            context.advance(1);
                            context.advance(2);
                          },
                      .progress =
                          [&](const Progress& progress) {
                            diary.write(progress.stage + " " + std::to_string(progress.done) + "/" +
                                        std::to_string(progress.total));
                          },
                      .ended = [&](const std::exception_ptr&) { ended.count_down(); }});
  ended.wait();
  QCOMPARE(diary.text(), std::string("calibrate 0/2, calibrate 1/2, calibrate 2/2"));
}

// Whatever the order, the last request of each tag comes to its end.
void JobQueueTest::manyRequestsFromManyThreads() {
  constexpr int kRequests = 200;
  JobQueue queue(2);
  std::latch lastEnded(3);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, thread] {
      const JobTag tag{"window " + std::to_string(thread)};
      for (int request = 1; request <= kRequests; ++request) {
        queue.start(tag, {.work = [](JobContext& context) { context.throwIfCancelled(); },
                          .ended =
                              [&, request](const std::exception_ptr&) {
                                if (request == kRequests) lastEnded.count_down();
                              }});
      }
    });
  }
  lastEnded.wait();
  threads.clear();
  QVERIFY(true);
}

QUANTSCOPE_TEST(JobQueueTest)
#include "test_job_queue.moc"
