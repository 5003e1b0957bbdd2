#include <QtTest>
#include <thread>

#include "base/error.h"
#include "base/run_program.h"
#include "base/workers.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace std::chrono_literals;

class RunProgramTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatItSays();
  void argumentsAreNoShell();
  void missingProgram();
  void timeLimit();
  void cancelled();

 private:
  Workers m_workers{1};
};

void RunProgramTest::whatItSays() {
  JobContext job(m_workers);
  const ProgramResult result =
      runProgram({"sh", "-c", "echo \"$GREETING\"; echo oh >&2; cat; exit 3"},
                 {{"GREETING", "hello = you"}}, 60s, job);
  QVERIFY(result.started);
  QCOMPARE(result.status, 3);
  QCOMPARE(result.output, std::string("hello = you\n"));
  QCOMPARE(result.errors, std::string("oh\n"));
}

void RunProgramTest::argumentsAreNoShell() {
  JobContext job(m_workers);
  const std::string name = "a 'b' \"c\" $(exit 1) ; d\n";
  QCOMPARE(runProgram({"printf", "%s", name}, {}, 60s, job).output, name);
  // More than a pipe holds.
  const ProgramResult much = runProgram({"head", "-c", "300000", "/dev/zero"}, {}, 60s, job);
  QCOMPARE(much.output.size(), std::size_t{300000});
  QCOMPARE(much.status, 0);
}

void RunProgramTest::missingProgram() {
  JobContext job(m_workers);
  const ProgramResult result = runProgram({"/nowhere/program"}, {}, 60s, job);
  QVERIFY(!result.started || result.status == 127);
}

void RunProgramTest::timeLimit() {
  JobContext job(m_workers);
  const auto start = std::chrono::steady_clock::now();
  const ProgramResult result = runProgram({"sleep", "60"}, {}, 1s, job);
  QVERIFY(result.started);
  QCOMPARE(result.status, -1);
  QVERIFY(std::chrono::steady_clock::now() - start < 30s);
}

void RunProgramTest::cancelled() {
  JobContext job(m_workers);
  std::thread other([&job] {
    std::this_thread::sleep_for(100ms);
    job.requestCancel();
  });
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::string> sleeping{"sleep", "60"};
  QVERIFY_EXCEPTION_THROWN(runProgram(sleeping, {}, 60s, job), Cancelled);
  QVERIFY(std::chrono::steady_clock::now() - start < 30s);
  other.join();
}

QUANTSCOPE_TEST(RunProgramTest)
#include "test_run_program.moc"
