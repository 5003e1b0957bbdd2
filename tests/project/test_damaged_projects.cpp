#include <QTemporaryDir>
#include <QtTest>
#include <random>

#include "project/kept_work.h"
#include "project/raw_project.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Files that are damaged, cut off, foreign or newer: they open or say so in a sentence, and are
/// left as they are.
class DamagedProjectsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void cutOff();
  void mutated();
  void foreign_data();
  void foreign();
  void changedBehindOurBack_data();
  void changedBehindOurBack();

 private:
  /// What is wrong with how a file of these bytes is taken; empty where all is well.
  QByteArray faultWith(const std::string& bytes, bool& opens) const;

  QTemporaryDir m_folder;
  std::unique_ptr<AnalysedWork> m_work;
  std::string m_sound;    // the bytes of a whole file
  std::string m_content;  // all that is in it
};

namespace {

constexpr std::size_t kCuts = 200;
constexpr std::size_t kPage = 4096;

// A place in the file: half of them where SQLite keeps what it finds the rest by.
std::size_t anyPlace(const std::string& bytes, std::mt19937& random) {
  if (random() % 2 == 0) return random() % bytes.size();
  const std::size_t pages = bytes.size() / kPage;
  return random() % 3 == 0 ? random() % 100 : random() % pages * kPage + random() % 64;
}

std::string mutant(std::string bytes, std::mt19937& random) {
  const std::size_t at = anyPlace(bytes, random);
  const std::size_t length = std::min<std::size_t>(1 + random() % 64, bytes.size() - at);
  switch (random() % 7) {
    case 0:
      bytes.erase(at, length);
      break;
    case 1:
      bytes.insert(at, std::string(length, static_cast<char>(random())));
      break;
    case 2:
      bytes.replace(at, length, std::string(length, '\0'));
      break;
    case 3: {
      const std::size_t from = random() % (bytes.size() / kPage) * kPage;
      const std::size_t to = random() % (bytes.size() / kPage) * kPage;
      bytes.replace(to, kPage, bytes.substr(from, kPage));
      break;
    }
    case 4:
      for (std::size_t i = 0; i < length; ++i) bytes[at + i] = static_cast<char>(random());
      break;
    default:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      break;
  }
  return bytes;
}

}  // namespace

void DamagedProjectsTest::initTestCase() {
  m_work = std::make_unique<AnalysedWork>(m_folder.path().toStdString(), 1);
  m_work->keep();
  m_sound = bytesIn(m_work->project);
  m_content = readEverything(m_work->project, *m_work->opened.model.graph);
}

QByteArray DamagedProjectsTest::faultWith(const std::string& bytes, bool& opens) const {
  const std::string file = m_folder.filePath("damaged.quantscope").toStdString();
  putBytes(file, bytes);
  opens = false;
  try {
    const std::string content = readEverything(file, *m_work->opened.model.graph);
    opens = true;
    // Damage that nobody notices is one that changes nothing.
    if (content != m_content) return "the content is another one";
  } catch (const Error& error) {
    const QByteArray text = error.what();
    if (!text.contains("damaged.quantscope")) return "no file in: " + text;
    if (error.remedy().empty()) return "no remedy in: " + text;
  } catch (const std::exception& error) {
    return QByteArray("no Error: ") + error.what();
  }
  if (bytesIn(file) != bytes) return "the file was changed";
  const QStringList left = QDir(m_folder.path()).entryList({"damaged.quantscope*"}, QDir::Files);
  return left.size() == 1 ? QByteArray() : "left behind: " + left.join(' ').toUtf8();
}

void DamagedProjectsTest::cutOff() {
  bool opens = false;
  QCOMPARE(faultWith(m_sound, opens), QByteArray());
  QVERIFY(opens);
  std::mt19937 random(1);
  for (std::size_t i = 0; i < kCuts; ++i) {
    const std::size_t length = i < 8 ? i * 16 : random() % m_sound.size();
    const std::size_t cut = i % 5 == 4 ? length / kPage * kPage : length;
    const QByteArray fault = faultWith(m_sound.substr(0, cut), opens);
    QVERIFY2(fault.isEmpty(), fault + " at " + QByteArray::number(qulonglong{cut}));
    QVERIFY2(!opens, QByteArray::number(qulonglong{cut}));
  }
}

void DamagedProjectsTest::mutated() {
  const int rounds = qEnvironmentVariableIntValue("QUANTSCOPE_MUTATIONS");
  std::mt19937 random(2);
  int opened = 0;
  const int count = rounds > 0 ? rounds : 60;
  for (int i = 0; i < count; ++i) {
    bool opens = false;
    const QByteArray fault = faultWith(mutant(m_sound, random), opens);
    QVERIFY2(fault.isEmpty(), fault + " in round " + QByteArray::number(i));
    opened += opens ? 1 : 0;
  }
  qInfo("%d of %d opened all the same", opened, count);
}

void DamagedProjectsTest::foreign_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QByteArray>("sql");
  QTest::addColumn<QByteArray>("told");
  const auto made = [](const char* name, const QByteArray& bytes, const char* told) {
    QTest::newRow(name) << bytes << QByteArray() << QByteArray(told);
  };
  made("empty", "", "is no project of Quantscope");
  made("text", "hello", "is no project of Quantscope");
  made("zeros", QByteArray(20'000, '\0'), "is no project of Quantscope");
  made("the beginning alone", "SQLite format 3", "is no project of Quantscope");
  const auto changed = [&](const char* name, const char* sql, const char* told) {
    QTest::newRow(name) << QByteArray::fromStdString(m_sound) << QByteArray(sql)
                        << QByteArray(told);
  };
  changed("newer", "PRAGMA user_version = 5",
          "the project was written by a newer version of Quantscope");
  changed("another program's", "PRAGMA application_id = 7", "a database of another program");
  changed("no version", "PRAGMA user_version = 0", "is damaged");
  changed("an older version's number", "PRAGMA user_version = 1", "is damaged");
  changed("the number of the version before", "PRAGMA user_version = 2", "is damaged");
  changed("a write-ahead log", "PRAGMA journal_mode = WAL", "is damaged");
}

void DamagedProjectsTest::foreign() {
  QFETCH(QByteArray, bytes);
  QFETCH(QByteArray, sql);
  QFETCH(QByteArray, told);
  const std::string file = m_folder.filePath("foreign.quantscope").toStdString();
  putBytes(file, bytes.toStdString());
  if (!sql.isEmpty()) runSql(file, sql.toStdString());
  const std::string before = bytesIn(file);
  for (const auto access : {ProjectFile::Access::Write, ProjectFile::Access::Read}) {
    VERIFY_ERROR(ProjectFile(file, access), told.toStdString());
  }
  QVERIFY(bytesIn(file) == before);
}

void DamagedProjectsTest::changedBehindOurBack_data() {
  QTest::addColumn<QByteArray>("sql");
  const auto row = [](const char* name, const char* sql) {
    QTest::newRow(name) << QByteArray(sql);
  };
  row("an edit", "UPDATE journal SET edit = replace(edit, 'conv', 'gemm')");
  row("an edit without its checksum", "UPDATE journal SET checksum = checksum + 1");
  row("an edit less", "DELETE FROM journal");
  row("a position", "UPDATE document SET content = '0' WHERE name = 'position'");
  row("a name", "UPDATE configurations SET name = 'other'");
  row("a path", "UPDATE files SET absolute_path = '/etc/passwd'");
  row("a table more", "CREATE TABLE more (a)");
  row("a table less", "DROP TABLE errors");
  row("another column", "ALTER TABLE errors ADD COLUMN more");
  row("a trigger", "CREATE TRIGGER t AFTER INSERT ON journal BEGIN DELETE FROM journal; END");
  row("a view", "CREATE VIEW v AS SELECT * FROM journal");
  row("a result", "UPDATE analysis SET content = 'x' WHERE part = 'result'");
  row("a part less", "DELETE FROM analysis WHERE part = 'findings'");
  row("the state before", "UPDATE analysis SET content = 'x' WHERE part = 'before: result'");
  row("observations", "UPDATE observations SET content = 'x'");
  row("observations less", "DELETE FROM observations");
  row("an error", "UPDATE errors SET record = x'00' WHERE rowid = 3");
}

void DamagedProjectsTest::changedBehindOurBack() {
  QFETCH(QByteArray, sql);
  const std::string file = m_folder.filePath("changed.quantscope").toStdString();
  putBytes(file, m_sound);
  runSql(file, sql.toStdString());
  VERIFY_ERROR(readEverything(file, *m_work->opened.model.graph), "is damaged");
}

QUANTSCOPE_TEST(DamagedProjectsTest)
#include "test_damaged_projects.moc"
