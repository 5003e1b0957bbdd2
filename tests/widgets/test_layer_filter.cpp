#include <QtTest>
#include <limits>

#include "support/test_main.h"
#include "widgets/tables/layer_filter.h"

using namespace quantscope;

namespace {

LayerResult layer(const char* name, const char* op, std::optional<double> localDb,
                  std::optional<double> accumulatedDb, std::int64_t parameters) {
  LayerResult result;
  result.name = name;
  result.op = op;
  result.fusedOps = op;
  result.parameters = parameters;
  if (localDb) {
    result.local = LayerError{};
    result.local->total.sqnrDb = localDb;
    result.weight = AppliedType{QuantType::Int8, {}, true, false};
  }
  if (accumulatedDb) {
    result.accumulated = LayerError{};
    result.accumulated->total.sqnrDb = accumulatedDb;
  }
  return result;
}

QString acceptedLayers(const LayerFilter& filter) {
  const double infinity = std::numeric_limits<double>::infinity();
  const LayerResult layers[] = {
      layer("/stem/conv", "Conv+Relu", 42, 40, 100),
      layer("/block/conv", "Conv", 18, 12, 2000),
      layer("/block/flatten", "Flatten", {}, 12, 0),
      layer("/head", "Gemm", infinity, 30, 640),
  };
  QString result;
  for (std::size_t i = 0; i < std::size(layers); ++i) {
    if (filter.accepts(layers[i], i)) result += QString::number(i);
  }
  return result;
}

}  // namespace

class LayerFilterTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void accepts_data();
  void accepts();
  void saysWhatItDoesNotUnderstand_data();
  void saysWhatItDoesNotUnderstand();
  void followsTheKindOfError();
};

void LayerFilterTest::accepts_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("layers");
  QTest::newRow("nothing") << ""
                           << "0123";
  QTest::newRow("name") << "block"
                        << "12";
  QTest::newRow("any case") << "CONV"
                            << "01";
  QTest::newRow("operators as they are called") << "ReLU"
                                                << "0";
  QTest::newRow("type") << "int8"
                        << "013";
  QTest::newRow("all words") << "conv block"
                             << "1";
  QTest::newRow("figure; absent is left out") << "sqnr<20"
                                              << "1";
  QTest::newRow("spaces") << "sqnr < 20"
                          << "1";
  QTest::newRow("infinite") << "sqnr>=42"
                            << "03";
  QTest::newRow("the other kind") << "accumulated.sqnr<=12"
                                  << "12";
  QTest::newRow("the other kind, short") << "acc.sqnr=30"
                                         << "3";
  QTest::newRow("count") << "params>1e2"
                         << "13";
  QTest::newRow("word and figure") << "conv params>100"
                                   << "1";
  QTest::newRow("nothing fits") << "conv params>1e9"
                                << "";
}

void LayerFilterTest::accepts() {
  QFETCH(QString, text);
  const LayerFilter filter(text, ErrorKind::Local);
  QTEST(acceptedLayers(filter), "layers");
  QCOMPARE(filter.problem(), QString());
}

void LayerFilterTest::saysWhatItDoesNotUnderstand_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("problem");
  QTest::newRow("figure") << "colour<3"
                          << "There is no figure called “colour”.";
  QTest::newRow("half typed") << "sqnr<"
                              << "“sqnr<” needs a number, as in sqnr< 20.";
  QTest::newRow("no number") << "sqnr>=a"
                             << "“sqnr>=a” needs a number, as in sqnr>= 20.";
}

void LayerFilterTest::saysWhatItDoesNotUnderstand() {
  QFETCH(QString, text);
  const LayerFilter filter(text, ErrorKind::Local);
  QTEST(filter.problem(), "problem");
  QCOMPARE(acceptedLayers(filter), QStringLiteral("0123"));
}

void LayerFilterTest::followsTheKindOfError() {
  QCOMPARE(acceptedLayers(LayerFilter(QStringLiteral("sqnr<20"), ErrorKind::Accumulated)),
           QStringLiteral("12"));
}

QUANTSCOPE_TEST(LayerFilterTest)
#include "test_layer_filter.moc"
