#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QSignalSpy>
#include <QSpinBox>
#include <QtTest>

#include "support/test_main.h"
#include "widgets/configuration/configuration_panel.h"
#include "widgets/precision/tensor_precision_form.h"
#include "widgets/words/configuration_words.h"

using namespace quantscope;

namespace {

// Finds a field by the name that a screen reader reads: "weights Type".
template <class Field>
Field* field(QWidget& panel, const QString& name) {
  for (Field* candidate : panel.findChildren<Field*>()) {
    if (candidate->accessibleName() == name) return candidate;
  }
  qFatal("no field %s", qPrintable(name));
}

bool canBeRead(const PrecisionConfig& config) {
  try {
    return toJson(parseConfiguration(toJson(config), "panel")) == toJson(config);
  } catch (const std::exception& error) {
    qWarning("%s", error.what());
    return false;
  }
}

}  // namespace

class ConfigurationPanelTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void showsWithoutEmitting();
  void presetsAreKnownAgain();
  void stepsHaveNames_data();
  void stepsHaveNames();
  void allChoicesAreAccepted();
  void outputFollowsActivations();
  void outputOfItsOwnStays();
  void floatIsLeftByChoosingAType();
  void fieldsWithoutEffectAreNotThere();
  void fieldsFollowTheType_data();
  void fieldsFollowTheType();
  void allTypesAndObserversAreOffered();
  void choicesExplainThemselves();
  void aTypeWithoutZeroPointIsSymmetric();
  void percentilesStayInOrder();
  void groupsHaveSizeAndAxis();
  void histogramsHaveBins();
  void nodesKeepTheirPrecisions();
  void sharingByHandIsCountedAndKept();

 private:
  void choose(const QString& name, const QString& item) {
    auto* box = field<QComboBox>(*m_panel, name);
    const int index = box->findText(item);
    QVERIFY2(index >= 0, qPrintable(item));
    box->setCurrentIndex(index);
  }

  std::unique_ptr<ConfigurationPanel> m_panel;
};

void ConfigurationPanelTest::init() {
  m_panel = std::make_unique<ConfigurationPanel>();
  m_panel->show();
}

void ConfigurationPanelTest::showsWithoutEmitting() {
  const QSignalSpy changed(m_panel.get(), &ConfigurationPanel::edited);
  PrecisionConfig config;
  config.convention = Convention::PyTorch;
  config.defaults.weight.type = QuantType::Int4;
  config.defaults.activation.observer = parseObserver("percentile:1:99");
  m_panel->setConfig(config);
  QCOMPARE(changed.count(), 0);
  QCOMPARE(field<QComboBox>(*m_panel, QStringLiteral("weights Type"))->currentText(),
           QStringLiteral("INT4"));
  QCOMPARE(field<QDoubleSpinBox>(*m_panel, QStringLiteral("activations Upper end"))->value(), 99.0);
  QCOMPARE(field<QComboBox>(*m_panel, QStringLiteral("Convention"))->currentText(),
           QStringLiteral("PyTorch"));
  QCOMPARE(field<QComboBox>(*m_panel, QStringLiteral("Preset"))->currentIndex(), -1);
  QCOMPARE(toJson(m_panel->config()), toJson(config));
}

void ConfigurationPanelTest::presetsAreKnownAgain() {
  for (std::size_t i = 0; i < configurationPresets().size(); ++i) {
    const ConfigurationPreset& preset = configurationPresets()[i];
    QCOMPARE(presetOf(preset.precision), static_cast<int>(i));
    PrecisionConfig config;
    config.defaults = preset.precision;
    QVERIFY2(canBeRead(config), qPrintable(preset.title));
    m_panel->setConfig(config);
    QCOMPARE(field<QComboBox>(*m_panel, QStringLiteral("Preset"))->currentIndex(),
             static_cast<int>(i));
  }
}

void ConfigurationPanelTest::stepsHaveNames_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("item");
  QTest::addColumn<QString>("what");
  const auto row = [](const char* name, const char* item, const char* what) {
    QTest::newRow(what) << QString::fromLatin1(name) << QString::fromLatin1(item)
                        << QString::fromLatin1(what);
  };
  row("weights Granularity", "Per tensor", "Set weights to per tensor");
  row("weights Granularity", "Per group", "Set weights to per group of 32 along axis 0");
  row("weights Type", "INT4", "Set weights to INT4");
  row("weights Symmetry", "Asymmetric", "Set weights to asymmetric");
  row("activations Ranges", "Dynamic", "Set activations to dynamic ranges");
  row("activations Observer", "Moving average",
      "Set the observer of activations to moving average 0.01");
  row("weights Type", "FP8 E4M3", "Set weights to FP8 E4M3");
  row("activations Type", "Ternary", "Set activations to Ternary");
  row("weights Observer", "KL divergence", "Set the observer of weights to KL divergence");
  row("weights Observer", "Least squared error",
      "Set the observer of weights to least squared error");
  row("activations Observer", "Max code entropy",
      "Set the observer of activations to max code entropy");
  row("Convention", "PyTorch", "Set the convention to PyTorch");
  row("Preset", "INT8 per tensor", "Use INT8 per tensor");
  row("Preset", "FP8 (E4M3)", "Use FP8 (E4M3)");
  row("Backend", "fbgemm", "Set the backend to fbgemm");
}

void ConfigurationPanelTest::stepsHaveNames() {
  QFETCH(QString, name);
  QFETCH(QString, item);
  QFETCH(QString, what);
  const PrecisionConfig before = m_panel->config();
  QSignalSpy changed(m_panel.get(), &ConfigurationPanel::edited);
  choose(name, item);
  QCOMPARE(changed.count(), 1);
  const auto edit = changed[0][0].value<ConfigEdit>();
  QCOMPARE(QString::fromStdString(edit.sentence), what);
  QVERIFY(edit.apply(before) != Configuration(before));
  QVERIFY(edit.apply(before) == Configuration(m_panel->config()));
}

void ConfigurationPanelTest::allChoicesAreAccepted() {
  const QStringList fields{QStringLiteral("Type"), QStringLiteral("Symmetry"),
                           QStringLiteral("Granularity"), QStringLiteral("Ranges"),
                           QStringLiteral("Observer")};
  for (const char* group : {"weights ", "activations "}) {
    auto* types = field<QComboBox>(*m_panel, QLatin1String(group) + fields[0]);
    for (int type = 0; type < types->count(); ++type) {
      for (QComboBox* box : m_panel->findChildren<QComboBox*>()) {
        const bool mine = box->accessibleName().startsWith(QLatin1String(group));
        if (!mine || box == types) continue;
        for (int item = 0; item < box->count(); ++item) {
          m_panel->setConfig({});
          types->setCurrentIndex(type);
          if (!box->isHidden()) box->setCurrentIndex(item);
          QVERIFY2(canBeRead(m_panel->config()), qPrintable(types->currentText()));
        }
      }
    }
  }
}

void ConfigurationPanelTest::outputFollowsActivations() {
  choose(QStringLiteral("activations Type"), QStringLiteral("INT16"));
  QVERIFY(m_panel->config().defaults.activation.type == QuantType::Int16);
  QVERIFY(m_panel->config().defaults.output == m_panel->config().defaults.activation);
}

void ConfigurationPanelTest::outputOfItsOwnStays() {
  PrecisionConfig config;
  config.defaults.output.type = QuantType::UInt16;
  m_panel->setConfig(config);
  choose(QStringLiteral("activations Type"), QStringLiteral("INT8"));
  QVERIFY(m_panel->config().defaults.output.type == QuantType::UInt16);
}

void ConfigurationPanelTest::floatIsLeftByChoosingAType() {
  choose(QStringLiteral("Preset"), QStringLiteral("Float"));
  QVERIFY(m_panel->config().defaults.float32);
  QCOMPARE(field<QComboBox>(*m_panel, QStringLiteral("weights Type"))->currentText(),
           QStringLiteral("FP32"));
  choose(QStringLiteral("weights Type"), QStringLiteral("INT8"));
  const NodePrecision& defaults = m_panel->config().defaults;
  QVERIFY(!defaults.float32);
  QVERIFY(defaults.weight.type == QuantType::Int8);
  QVERIFY(defaults.activation.type == QuantType::Float32);
  choose(QStringLiteral("weights Type"), QStringLiteral("FP32"));
  QVERIFY(m_panel->config().defaults.float32);
}

void ConfigurationPanelTest::fieldsWithoutEffectAreNotThere() {
  const auto hidden = [&](const char* name) {
    return field<QWidget>(*m_panel, QString::fromLatin1(name))->isHidden();
  };
  QVERIFY(!hidden("weights Granularity"));
  QVERIFY(hidden("activations Lower end"));
  choose(QStringLiteral("weights Type"), QStringLiteral("FP16"));
  QVERIFY(hidden("weights Granularity"));
  QVERIFY(hidden("weights Symmetry"));
  QVERIFY(hidden("weights Observer"));
  choose(QStringLiteral("activations Observer"), QStringLiteral("Percentile"));
  QVERIFY(!hidden("activations Lower end"));
  choose(QStringLiteral("activations Ranges"), QStringLiteral("Dynamic"));
  QVERIFY(hidden("activations Observer"));
  QVERIFY(hidden("activations Lower end"));
}

void ConfigurationPanelTest::fieldsFollowTheType_data() {
  QTest::addColumn<bool>("symmetry");
  QTest::addColumn<bool>("observer");
  QTest::newRow("FP32") << false << false;
  QTest::newRow("BF16") << false << false;
  QTest::newRow("FP8 E4M3") << false << true;
  QTest::newRow("FP8 E5M2") << false << true;
  QTest::newRow("INT16") << true << true;
  QTest::newRow("UINT2") << true << true;
  QTest::newRow("Ternary") << false << false;
  QTest::newRow("Binary") << false << false;
}

void ConfigurationPanelTest::fieldsFollowTheType() {
  QFETCH(bool, symmetry);
  QFETCH(bool, observer);
  for (const char* group : {"weights ", "activations "}) {
    const QString prefix = QString::fromLatin1(group);
    choose(prefix + QStringLiteral("Type"), QString::fromLatin1(QTest::currentDataTag()));
    QCOMPARE(!field<QWidget>(*m_panel, prefix + QStringLiteral("Symmetry"))->isHidden(), symmetry);
    QCOMPARE(!field<QWidget>(*m_panel, prefix + QStringLiteral("Observer"))->isHidden(), observer);
  }
}

void ConfigurationPanelTest::allTypesAndObserversAreOffered() {
  for (const char* group : {"weights ", "activations "}) {
    const auto* types = field<QComboBox>(*m_panel, QLatin1String(group) + QStringLiteral("Type"));
    for (int type = 0; type <= static_cast<int>(QuantType::Binary); ++type) {
      QVERIFY2(types->findData(type) >= 0, qPrintable(typeTitle(static_cast<QuantType>(type))));
    }
  }
  const auto count = [&](const char* name) {
    return field<QComboBox>(*m_panel, QString::fromLatin1(name))->count();
  };
  QCOMPARE(count("activations Observer"), 7);
  QCOMPARE(count("weights Observer"), 6);  // batches are averaged, and a weight has none
}

void ConfigurationPanelTest::choicesExplainThemselves() {
  for (const QComboBox* box : m_panel->findChildren<QComboBox*>()) {
    const QString name = box->accessibleName();
    if (!name.endsWith(QStringLiteral("Type")) && !name.endsWith(QStringLiteral("Observer")))
      continue;
    QStringList tips;
    for (int item = 0; item < box->count(); ++item) {
      tips << box->itemData(item, Qt::ToolTipRole).toString();
      QVERIFY2(tips.constLast().endsWith(u'.'), qPrintable(box->itemText(item)));
    }
    QCOMPARE(tips.removeDuplicates(), 0);
  }
  QVERIFY(observerDefinition(ObserverSpec::Kind::MaxCodeEntropy).contains(u"clips hard"));
}

void ConfigurationPanelTest::aTypeWithoutZeroPointIsSymmetric() {
  QVERIFY(!m_panel->config().defaults.activation.symmetric);
  choose(QStringLiteral("activations Type"), QStringLiteral("FP8 E4M3"));
  QVERIFY(m_panel->config().defaults.activation.symmetric);
}

void ConfigurationPanelTest::percentilesStayInOrder() {
  choose(QStringLiteral("activations Observer"), QStringLiteral("Percentile"));
  QSignalSpy changed(m_panel.get(), &ConfigurationPanel::edited);
  field<QDoubleSpinBox>(*m_panel, QStringLiteral("activations Upper end"))->setValue(0);
  QCOMPARE(changed.count(), 1);
  const ObserverSpec& observer = m_panel->config().defaults.activation.observer;
  QVERIFY(observer.lowPercent < observer.highPercent);
  QVERIFY(canBeRead(m_panel->config()));
}

void ConfigurationPanelTest::groupsHaveSizeAndAxis() {
  const auto number = [&](const char* name) {
    return field<QSpinBox>(*m_panel, QString::fromLatin1(name));
  };
  const auto granularity = [&] { return toString(m_panel->config().defaults.weight.granularity); };
  QVERIFY(number("weights Group size")->isHidden() && !number("weights Axis")->isHidden());
  QCOMPARE(number("weights Axis")->text(), QStringLiteral("Output channels"));
  number("weights Axis")->setValue(1);
  QCOMPARE(granularity(), std::string("per-channel:1"));
  choose(QStringLiteral("weights Granularity"), QStringLiteral("Per group"));
  QCOMPARE(granularity(), std::string("per-group:1:32"));
  number("weights Group size")->setValue(64);
  number("weights Axis")->setValue(-1);
  QCOMPARE(granularity(), std::string("per-group:-1:64"));
  QVERIFY(canBeRead(m_panel->config()));
  choose(QStringLiteral("weights Granularity"), QStringLiteral("Per channel"));
  QCOMPARE(granularity(), std::string("per-channel"));
  choose(QStringLiteral("weights Granularity"), QStringLiteral("Per tensor"));
  QVERIFY(number("weights Axis")->isHidden());
}

void ConfigurationPanelTest::histogramsHaveBins() {
  auto* bins = field<QSpinBox>(*m_panel, QStringLiteral("activations Bins"));
  QVERIFY(bins->isHidden());
  choose(QStringLiteral("activations Observer"), QStringLiteral("Histogram"));
  QVERIFY(!bins->isHidden());
  bins->setValue(512);
  QCOMPARE(toString(m_panel->config().defaults.activation.observer), std::string("histogram:512"));
}

void ConfigurationPanelTest::nodesKeepTheirPrecisions() {
  PrecisionConfig config;
  config.nodes.emplace_back("/conv", defaultPrecision());
  config.nodes.front().second.float32 = true;
  m_panel->setConfig(config);
  choose(QStringLiteral("weights Type"), QStringLiteral("INT4"));
  QCOMPARE(m_panel->config().nodes.size(), std::size_t{1});
  QVERIFY(m_panel->config().nodes.front().second.float32);
}

void ConfigurationPanelTest::sharingByHandIsCountedAndKept() {
  PrecisionConfig config;
  config.groups.join = {{{"a", {}}, {"b", {}}}, {{"c", {}}, {"d", {}}}};
  config.groups.part = {{"a", "e"}};
  m_panel->setConfig(config);
  QString words;
  for (const QLabel* label : m_panel->findChildren<QLabel*>()) words += label->text() + u' ';
  QVERIFY2(words.contains("2 manual merges of observer groups."), qPrintable(words));
  QVERIFY(words.contains("One place is split from its observer group."));
  choose(QStringLiteral("weights Type"), QStringLiteral("INT4"));
  QVERIFY(m_panel->config().groups == config.groups);
}

QUANTSCOPE_TEST(ConfigurationPanelTest)
#include "test_configuration_panel.moc"
