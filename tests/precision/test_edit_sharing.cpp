#include <QtTest>

#include "precision/config/precision_config.h"
#include "precision/sharing/edit_sharing.h"
#include "support/test_main.h"

using namespace quantscope;

/// Changes of what is joined and parted by hand, one at a time.
class EditSharingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void edits_data();
  void edits();
};

namespace {

// "c1" or "c1>add"
PointName point(const QString& text) {
  const QStringList names = text.split('>');
  return {names[0].toStdString(), names.size() > 1 ? names[1].toStdString() : std::string()};
}

// "join a b; join c d>e; part f", read from left to right.
HandSharing edited(const QString& edits) {
  HandSharing sharing;
  for (const QString& edit : edits.split("; ", Qt::SkipEmptyParts)) {
    const QStringList words = edit.split(' ');
    if (words[0] == "join") sharing = joined(sharing, point(words[1]), point(words[2]));
    if (words[0] == "unjoin") sharing = withoutJoining(sharing, point(words[1]));
    if (words[0] == "part") sharing = parted(sharing, point(words[1]));
    if (words[0] == "unpart") sharing = withoutParting(sharing, point(words[1]));
  }
  return sharing;
}

QString pointsText(const std::vector<PointName>& points) {
  QStringList words;
  for (const PointName& name : points) {
    words << QString::fromStdString(name.producer + (name.isOutput() ? "" : ">" + name.consumer));
  }
  return words.join(' ');
}

QString sharingText(const HandSharing& sharing) {
  QStringList parts;
  for (const std::vector<PointName>& points : sharing.join) {
    parts << "join(" + pointsText(points) + ")";
  }
  if (!sharing.part.empty()) parts << "part(" + pointsText(sharing.part) + ")";
  return parts.join(' ');
}

}  // namespace

void EditSharingTest::edits_data() {
  QTest::addColumn<QString>("edits");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, const char* edits, const char* expected) {
    QTest::newRow(name) << QString(edits) << QString(expected);
  };
  row("two points", "join a b", "join(a b)");
  row("the same again", "join a b; join b a", "join(a b)");
  row("a third one", "join a b; join c>d b", "join(a b c>d)");
  row("others", "join a b; join c d", "join(a b) join(c d)");
  row("two lists into one", "join a b; join c d; join e f; join d a", "join(a b c d) join(e f)");
  row("out of three", "join a b; join b c; unjoin b", "join(a c)");
  row("out of two", "join a b; unjoin b", "");
  row("who was in none", "join a b; unjoin c", "join(a b)");
  row("parted", "part a; part b>c; part a", "part(a b>c)");
  row("and back", "part a; part b>c; unpart a", "part(b>c)");
  row("joining what was parted ends the parting", "part a>b; join a>b a", "");
  row("of the producer too", "part a; join a>b a", "");
  row("not with another value", "part a>b; join a>b c", "join(a>b c) part(a>b)");
  row("edges of one producer that were not parted", "join a>b a>c", "join(a>b a>c)");
}

void EditSharingTest::edits() {
  QFETCH(QString, edits);
  QFETCH(QString, expected);
  const HandSharing sharing = edited(edits);
  QCOMPARE(sharingText(sharing), expected);
  // Whatever comes out can be written and read again.
  PrecisionConfig config;
  config.groups = sharing;
  QVERIFY(parsePrecisionConfig(toJson(config), "again").groups == sharing);
}

QUANTSCOPE_TEST(EditSharingTest)
#include "test_edit_sharing.moc"
