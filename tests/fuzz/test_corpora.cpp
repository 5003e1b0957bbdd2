#include <QDir>
#include <QFile>
#include <QtTest>

#include "fuzz/fuzz_target.h"
#include "support/test_main.h"
#include "support/test_paths.h"

using namespace quantscope::test;

class CorporaTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyTargetHasSeeds();
  void replay_data();
  void replay();
};

namespace {

QDir corpora() {
  return QDir(QUANTSCOPE_SOURCE_DIRECTORY "/tests/fuzz/corpora");
}

}  // namespace

void CorporaTest::everyTargetHasSeeds() {
  QStringList targets;
  for (const FuzzTarget& target : fuzzTargets()) targets << QString::fromStdString(target.name);
  targets.sort();
  QCOMPARE(targets, corpora().entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name));
}

void CorporaTest::replay_data() {
  QTest::addColumn<std::size_t>("target");
  QTest::addColumn<QString>("file");
  for (std::size_t i = 0; i < fuzzTargets().size(); ++i) {
    const QString name = QString::fromStdString(fuzzTargets()[i].name);
    const QDir seeds(corpora().filePath(name));
    for (const QString& seed : seeds.entryList(QDir::Files, QDir::Name)) {
      QTest::newRow(qPrintable(name + "/" + seed)) << i << seeds.filePath(seed);
    }
  }
}

// A reader either reads its input or refuses it with an Error; anything else ends the program or
// throws.
void CorporaTest::replay() {
  QFETCH(std::size_t, target);
  QFETCH(QString, file);
  QFile seed(file);
  QVERIFY(seed.open(QFile::ReadOnly));
  const QByteArray content = seed.readAll();
  // Of exactly the size, so that a sanitizer sees what is read beyond the end.
  const std::vector<char> bytes(content.begin(), content.end());
  fuzzTargets()[target].run({bytes.data(), bytes.size()});
}

QUANTSCOPE_TEST(CorporaTest)
#include "test_corpora.moc"
