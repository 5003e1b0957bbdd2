#include <QtTest>

#include "precision/config/configuration.h"
#include "precision/edits/edit_groups.h"
#include "support/test_main.h"

using namespace quantscope;

/// Changes of what is merged and split by hand, one at a time.
class EditGroupsTest : public QObject {
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

// "merge a b; merge c d>e; split f", read from left to right.
Configuration edited(const QString& edits) {
  Configuration config;
  for (const QString& edit : edits.split("; ", Qt::SkipEmptyParts)) {
    const QStringList words = edit.split(' ');
    const PointName first = point(words[1]);
    const HandSharing& groups = config.precision->groups;
    ConfigEdit change;
    if (words[0] == "merge") change = mergePoints(groups, first, point(words[2]));
    if (words[0] == "unmerge") change = leaveMerge(groups, {first});
    if (words[0] == "split") change = splitPoint(groups, {first}, true);
    if (words[0] == "unsplit") change = leaveSplit(groups, {first});
    const Configuration after = change.apply(config);
    if (change.inverse(config).apply(after) != config) qFatal("an edit has no inverse");
    config = after;
  }
  return config;
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

void EditGroupsTest::edits_data() {
  QTest::addColumn<QString>("edits");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, const char* edits, const char* expected) {
    QTest::newRow(name) << QString(edits) << QString(expected);
  };
  row("two points", "merge a b", "join(a b)");
  row("the same again", "merge a b; merge b a", "join(a b)");
  row("a third one", "merge a b; merge c>d b", "join(a b c>d)");
  row("others", "merge a b; merge c d", "join(a b) join(c d)");
  row("two lists into one", "merge a b; merge c d; merge e f; merge d a",
      "join(a b c d) join(e f)");
  row("out of three", "merge a b; merge b c; unmerge b", "join(a c)");
  row("out of two", "merge a b; unmerge b", "");
  row("who was in none", "merge a b; unmerge c", "join(a b)");
  row("parted", "split a; split b>c; split a", "part(a b>c)");
  row("and back", "split a; split b>c; unsplit a", "part(b>c)");
  row("merging what was split ends the split", "split a>b; merge a>b a", "");
  row("of the producer too", "split a; merge a>b a", "");
  row("not with another value", "split a>b; merge a>b c", "join(a>b c) part(a>b)");
  row("edges of one producer that were not parted", "merge a>b a>c", "join(a>b a>c)");
}

void EditGroupsTest::edits() {
  QFETCH(QString, edits);
  QFETCH(QString, expected);
  const Configuration config = edited(edits);
  QCOMPARE(sharingText(config.precision->groups), expected);
  // Whatever comes out can be written and read again.
  QVERIFY(parseConfiguration(toJson(config), "again") == config);
}

QUANTSCOPE_TEST(EditGroupsTest)
#include "test_edit_groups.moc"
