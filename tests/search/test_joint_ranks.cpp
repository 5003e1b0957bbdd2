#include <QtTest>

#include "base/error.h"
#include "base/workers.h"
#include "jobs/sample_network.h"
#include "jobs/sensitivity/run_search.h"
#include "search/joint_ranks.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using test::errorText;

namespace {

/// A rank whose results, or those of another rank before it, are the results of all.
class OneRank : public Ranks {
 public:
  explicit OneRank(const OneRank* doneBy = nullptr) : m_doneBy(doneBy) {}

  std::size_t rank() const override { return m_doneBy == nullptr ? 0 : 1; }
  std::size_t count() const override { return m_doneBy == nullptr ? 1 : 2; }
  std::size_t countHere() const override { return count(); }
  std::vector<std::string> share(const std::vector<std::size_t>& items, const Run& run,
                                 const Arrived& /*arrived*/,
                                 const std::function<bool()>& /*cancelled*/) override {
    m_results = m_doneBy == nullptr ? run(items) : m_doneBy->m_results;
    return m_results;
  }

 private:
  const OneRank* m_doneBy;
  std::vector<std::string> m_results;
};

ContentId idOf(const char* text) {
  return ContentHasher().add(text).id();
}

constexpr const char* kSearchedTogether = R"(
  input x:float[1,24]
  a:float[24,22]
  b:float[22,20]
  v = MatMul(x, a) @one
  y = MatMul(v, b) @two
  output y
)";

}  // namespace

/// Ranks that search together: that they agree, and that they end together.
class JointRanksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { m_asked = 0; }
  void requiresThatAllDoTheSame_data();
  void requiresThatAllDoTheSame();
  void allEndTogether();
  void aSearchThatIsStopped_data();
  void aSearchThatIsStopped();

 private:
  int m_asked = 0;  // whether to stop
};

void JointRanksTest::requiresThatAllDoTheSame_data() {
  QTest::addColumn<QByteArray>("inputs");
  QTest::addColumn<QByteArray>("origin");
  QTest::addColumn<QByteArray>("what");
  QTest::addColumn<int>("count");
  QTest::addColumn<QByteArray>("error");
  const auto row = [](const char* name, const char* inputs, const char* origin, const char* what,
                      int count, const char* error) {
    QTest::newRow(name) << QByteArray(inputs) << QByteArray(origin) << QByteArray(what) << count
                        << QByteArray(error);
  };
  const char* apart = "the ranks do not search the same";
  row("the same", "model", "avx2", "changes", 2, "");
  row("another model", "other", "avx2", "changes", 2, apart);
  row("other changes", "model", "avx2", "others", 2, apart);
  row("more changes", "model", "avx2", "changes", 3, apart);
  row("another processor", "model", "avx512", "changes", 2,
      "a rank runs another program or has another processor: 'avx2', not 'avx512'");
}

void JointRanksTest::requiresThatAllDoTheSame() {
  QFETCH(const QByteArray, inputs);
  QFETCH(const QByteArray, origin);
  QFETCH(const QByteArray, what);
  QFETCH(const int, count);
  QFETCH(const QByteArray, error);
  const Workers workers(1);
  const JobContext job(workers);
  const auto run = [](std::span<const std::size_t> items) {
    std::vector<std::string> results;
    for (const std::size_t item : items) results.push_back("result " + std::to_string(item));
    return results;
  };
  OneRank first;
  OneRank second(&first);
  JointRanks one(first, idOf("model"), "avx2", {});
  JointRanks other(second, idOf(inputs.constData()), origin.toStdString(), {});
  const std::vector<std::string> results = one.share(2, idOf("changes"), run, job);
  QVERIFY((results == std::vector<std::string>{"result 0", "result 1"}));
  const std::string found = errorText([&] {
    QVERIFY(other.share(static_cast<std::size_t>(count), idOf(what.constData()), run, job) ==
            results);
  });
  QVERIFY2(error.isEmpty() ? found.empty() : test::contains(found, error.constData()),
           found.c_str());
}

// The rank that is stopped and the one that is not.
void JointRanksTest::allEndTogether() {
  const Workers workers(1);
  const JobContext job(workers);
  OneRank first;
  OneRank second(&first);
  JointRanks one(first, idOf("model"), "", [] { return true; });
  JointRanks other(second, idOf("model"), "", {});
  QVERIFY_THROWS_EXCEPTION(Cancelled, one.meet(idOf("here"), job));
  QVERIFY_THROWS_EXCEPTION(Cancelled, other.meet(idOf("here"), job));
}

void JointRanksTest::aSearchThatIsStopped_data() {
  QTest::addColumn<int>("after");
  QTest::newRow("while each layer is measured") << 1;
  QTest::newRow("while the front is") << 4;
}

// The start is measured first, so that it is there to be returned.
void JointRanksTest::aSearchThatIsStopped() {
  QFETCH(const int, after);
  test::TextNetwork network(kSearchedTogether, 8);
  PrecisionConfig precision;
  precision.backend = "generic";
  const Configuration start{std::move(precision)};
  OneRank rank;
  const SearchRequest request{.goal = {SearchGoal::Kind::Bits, 8},
                              .types = {QuantType::Int8, QuantType::Int16, QuantType::Float32},
                              .ranks = &rank,
                              .stop = [&] { return m_asked++ >= after; }};
  const OptimizedConfig found = runSearch(network.model, start, *network.data, *network.data, {},
                                          request, 1, network.memory, network.job);
  QVERIFY(found.config == start && found.chosen.sqnrDb == found.start.sqnrDb);
  QVERIFY(!found.pareto.empty());
  QVERIFY(test::contains(found.notices.back(), "stopped before its end"));
  QCOMPARE(found.why.empty(), after == 1);
}

QUANTSCOPE_TEST(JointRanksTest)
#include "test_joint_ranks.moc"
