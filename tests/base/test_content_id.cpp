#include "base/content_id.h"

#include <QtTest>
#include <set>
#include <string>
#include <vector>

#include "support/test_main.h"

using namespace quantscope;

namespace {

ContentId idOf(const std::vector<std::string>& parts) {
  ContentHasher hasher;
  for (const std::string& part : parts) hasher.add(part);
  return hasher.id();
}

}  // namespace

class ContentIdTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyByteCounts();
  void partsKeepTheirBorders();
  void idsCombineInOrder();
  void textAndBack();
  void refusesOtherTexts_data();
  void refusesOtherTexts();
};

void ContentIdTest::everyByteCounts() {
  std::string bytes(1000, 'a');
  const ContentId before = idOf({bytes});
  QVERIFY(before.valid());
  QVERIFY(idOf({bytes}) == before);
  std::set<ContentId> ids{before};
  for (char& byte : bytes) {
    byte = 'b';
    ids.insert(idOf({bytes}));
    byte = 'a';
  }
  QCOMPARE(ids.size(), bytes.size() + 1);
}

void ContentIdTest::partsKeepTheirBorders() {
  QVERIFY(idOf({"ab", "c"}) != idOf({"a", "bc"}));
  QVERIFY(idOf({"ab"}) != idOf({"ab", ""}));
  QVERIFY(idOf({}).valid());
  QVERIFY(ContentHasher().add("a").add(1).id() != ContentHasher().add(1).add("a").id());
}

void ContentIdTest::idsCombineInOrder() {
  const ContentId a = idOf({"a"});
  const ContentId b = idOf({"b"});
  QVERIFY(combined({a, b}) == combined({a, b}));
  QVERIFY(combined({a, b}) != combined({b, a}));
  QVERIFY(combined({a}) != a);
}

void ContentIdTest::textAndBack() {
  QCOMPARE(toString({0x0123456789abcdef, 0xf}), std::string("0123456789abcdef000000000000000f"));
  for (const char* text : {"", "a", "another"}) {
    const ContentId id = idOf({text});
    QVERIFY(parseContentId(toString(id)) == id);
  }
}

void ContentIdTest::refusesOtherTexts_data() {
  QTest::addColumn<QString>("text");
  QTest::newRow("nothing") << "";
  QTest::newRow("too short") << QString(31, '0');
  QTest::newRow("too long") << QString(33, '0');
  QTest::newRow("no digit") << QString(31, '0') + "g";
  QTest::newRow("upper case") << QString(31, '0') + "A";
  QTest::newRow("a sign") << "-" + QString(31, '0');
}

void ContentIdTest::refusesOtherTexts() {
  QFETCH(QString, text);
  QVERIFY(!parseContentId(text.toStdString()));
}

QUANTSCOPE_TEST(ContentIdTest)
#include "test_content_id.moc"
