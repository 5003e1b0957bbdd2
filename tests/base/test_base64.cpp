#include <QtTest>

#include "base/base64.h"
#include "support/test_main.h"

using namespace quantscope;

class Base64Test : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void isAsQtHasIt();
  void othersAreRefused_data();
  void othersAreRefused();
};

void Base64Test::isAsQtHasIt() {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    const QByteArray expected =
        QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())).toBase64();
    QCOMPARE(toBase64(bytes), expected.toStdString());
    QVERIFY(fromBase64(toBase64(bytes)) == bytes);
    bytes.push_back(static_cast<char>(i * 151));
  }
}

void Base64Test::othersAreRefused_data() {
  QTest::addColumn<QByteArray>("given");
  for (const char* text : {"A", "AA", "AAA", "A===", "====", "AA=A", "AAA=AAAA", "AA-A",
                           "AB==", "AAB=", "AA==\n", "\xC3\xA4\xC3\xA4"}) {
    QTest::addRow("%s", QByteArray(text).toPercentEncoding().constData()) << QByteArray(text);
  }
}

void Base64Test::othersAreRefused() {
  QFETCH(const QByteArray, given);
  QVERIFY(!fromBase64(given.toStdString()));
}

QUANTSCOPE_TEST(Base64Test)
#include "test_base64.moc"
