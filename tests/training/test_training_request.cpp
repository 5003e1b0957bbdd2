#include <QtTest>

#include "base/error.h"
#include "precision/config/json_reader.h"
#include "support/test_main.h"
#include "training/training_choices.h"
#include "training/training_request.h"

using namespace quantscope;

class TrainingRequestTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void stepsFollowTheSize();
  void choicesAreKept();
};

void TrainingRequestTest::stepsFollowTheSize() {
  const auto stepsOf = [](double productsOfASample, std::optional<std::size_t> given = {}) {
    TrainingSettings settings;
    settings.steps = given;
    constexpr std::size_t kSamples = 8;
    const double half = kSamples * productsOfASample / 2;
    return trainingSteps(settings, Observations(kSamples, {}, {half, 0, half}));
  };
  QCOMPARE(stepsOf(0), 3000);
  QCOMPARE(stepsOf(1e7), 3000);
  QCOMPARE(stepsOf(2e7), 2000);
  QCOMPARE(stepsOf(3e8), 600);
  QCOMPARE(stepsOf(3e8, 7), 7);
}

// As text, and by a training.
void TrainingRequestTest::choicesAreKept() {
  QVERIFY(jsonOf(TrainingChoices()).empty());
  TrainingChoices choices;
  choices.steps = 20;
  choices.batch = 4;
  choices.scales = ScaleForm::Tqt;
  choices.keepsWeights = true;
  choices.stochastic = 0.5F;
  choices.freezeObserversAfter = 0;
  choices.frozen = {"a", "b"};
  choices.unquantized = {"c"};
  choices.unobserved = {"d"};
  const std::string here = "here";
  const std::string what = "the training";
  const auto read = [&](const nlohmann::ordered_json& json) {
    return readTrainingChoices(JsonReader(json, here, what));
  };
  QVERIFY(read(jsonOf(choices)) == choices);
  const TrainingSettings settings = withChoices({}, choices);
  QVERIFY(settings.steps == 20 && settings.batch == 4 && settings.scales == ScaleForm::Tqt);
  QVERIFY(settings.rates.weight == 0 && settings.stochastic && settings.temperature == 0.5F);
  QVERIFY(settings.freezeObserversAfter == 0 && settings.frozen == choices.frozen);
  QVERIFY(settings.unquantized == choices.unquantized);
  QVERIFY(settings.unobserved == choices.unobserved);
  for (const char* text :
       {R"({"scales": "cubes"})", R"({"steps": 0})", R"({"stochastic": 0})", R"({"rate": 1})"}) {
    QVERIFY_EXCEPTION_THROWN(read(nlohmann::ordered_json::parse(text)), Error);
  }
}

QUANTSCOPE_TEST(TrainingRequestTest)
#include "test_training_request.moc"
