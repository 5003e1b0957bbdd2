#include <QtTest>

#include "support/test_main.h"
#include "widgets/words/layer_names.h"

using namespace quantscope;

namespace {

AnalysisResult layersCalled(const std::vector<std::pair<std::string, std::string>>& layers) {
  AnalysisResult result;
  for (const auto& [name, op] : layers) {
    LayerResult layer;
    layer.name = name;
    layer.op = op;
    result.layers.push_back(layer);
  }
  return result;
}

LayerNames someNames() {
  return LayerNames(layersCalled({{"/stem/conv/Conv", "Conv"},
                                  {"/features/features.1/depthwise/conv/Conv", "Conv"},
                                  {"/features/features.1/pointwise/conv/Conv", "Conv"},
                                  {"/features/features.2/pointwise/conv/Conv", "Conv"},
                                  {"/a/x/y/Conv", "Conv"},
                                  {"/b/x/y/Conv", "Conv"},
                                  {"/head/fc_2", "Gemm"},
                                  {"plain", "Relu"}}));
}

}  // namespace

class LayerNamesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void endsThatTellThemApart_data();
  void endsThatTellThemApart();
  void sentencesAreShort();
};

void LayerNamesTest::endsThatTellThemApart_data() {
  QTest::addColumn<QString>("whole");
  QTest::addColumn<QString>("expected");
  QTest::newRow("named after its operator") << "/stem/conv/Conv"
                                            << "stem";
  QTest::newRow("two parts at least") << "/features/features.1/depthwise/conv/Conv"
                                      << "features.1/depthwise";
  QTest::newRow("others end alike") << "/features/features.2/pointwise/conv/Conv"
                                    << "features.2/pointwise";
  QTest::newRow("as many parts as it takes") << "/b/x/y/Conv"
                                             << "b/x/y";
  QTest::newRow("a name of its own") << "/head/fc_2"
                                     << "head/fc_2";
  QTest::newRow("no path") << "plain"
                           << "plain";
  QTest::newRow("no layer") << "/somewhere/else"
                            << "/somewhere/else";
}

void LayerNamesTest::endsThatTellThemApart() {
  QFETCH(QString, whole);
  QFETCH(QString, expected);
  QCOMPARE(someNames().shortOf(whole), expected);
}

void LayerNamesTest::sentencesAreShort() {
  const LayerNames names = someNames();
  QCOMPARE(
      names.shortened("Channel 12 of the layer's input '/features/features.1/depthwise/conv/"
                      "Conv' and '/stem/conv/Conv' differ from '/no/layer'."),
      QStringLiteral("Channel 12 of the layer's input 'features.1/depthwise' and 'stem' differ "
                     "from '/no/layer'."));
  QCOMPARE(LayerNames().shortened("'/stem/conv/Conv' is fine"),
           QStringLiteral("'/stem/conv/Conv' is fine"));
}

QUANTSCOPE_TEST(LayerNamesTest)
#include "test_layer_names.moc"
