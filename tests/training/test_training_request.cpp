#include <QtTest>

#include "support/test_main.h"
#include "training/training_request.h"

using namespace quantscope;

class TrainingRequestTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void stepsFollowTheSize();
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

QUANTSCOPE_TEST(TrainingRequestTest)
#include "test_training_request.moc"
