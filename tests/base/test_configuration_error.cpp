#include <QtTest>

#include "base/configuration_error.h"
#include "support/test_main.h"

using quantscope::configurationError;
using quantscope::Error;
using quantscope::ErrorCode;

class ConfigurationErrorTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theKeyStandsApart();
};

void ConfigurationErrorTest::theKeyStandsApart() {
  try {
    throw configurationError("groups.join[0]", "is not a list", "write […]", "c.json");
  } catch (const Error& error) {
    QCOMPARE(error.code(), ErrorCode::InvalidConfiguration);
    QCOMPARE(std::string(error.what()),
             std::string("'groups.join[0]' is not a list (c.json): write […]"));
    QCOMPARE(error.sentence(), std::string("'groups.join[0]' is not a list"));
    QCOMPARE(error.place().file, std::string("c.json"));
    QCOMPARE(error.place().key, std::string("groups.join[0]"));
    QCOMPARE(error.problem(), std::string("is not a list"));
    // A caller that knows more does not lose the key.
    const Error outer = error.at({.file = "other.json", .node = "conv", .value = {}});
    QCOMPARE(outer.place().key, std::string("groups.join[0]"));
    QCOMPARE(outer.statement(), std::string("'groups.join[0]' is not a list (c.json, node conv)"));
  }
}

QUANTSCOPE_TEST(ConfigurationErrorTest)
#include "test_configuration_error.moc"
