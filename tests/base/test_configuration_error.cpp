#include <QtTest>

#include "base/configuration_error.h"
#include "support/test_main.h"

using quantscope::ConfigurationError;
using quantscope::Error;
using quantscope::ErrorCode;

class ConfigurationErrorTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theKeyStandsApart();
};

void ConfigurationErrorTest::theKeyStandsApart() {
  try {
    throw ConfigurationError("groups.join[0]", "is not a list", "write […]", "c.json");
  } catch (const Error& error) {
    QCOMPARE(error.code(), ErrorCode::InvalidConfiguration);
    QCOMPARE(std::string(error.what()),
             std::string("'groups.join[0]' is not a list (c.json): write […]"));
    QCOMPARE(error.sentence(), std::string("'groups.join[0]' is not a list"));
    QCOMPARE(error.place().file, std::string("c.json"));
    const auto* entry = dynamic_cast<const ConfigurationError*>(&error);
    QVERIFY(entry != nullptr);
    QCOMPARE(entry->key(), std::string("groups.join[0]"));
    QCOMPARE(entry->problem(), std::string("is not a list"));
  }
}

QUANTSCOPE_TEST(ConfigurationErrorTest)
#include "test_configuration_error.moc"
