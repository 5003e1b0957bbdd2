#include <QtTest>
#include <cmath>

#include "base/workers.h"
#include "gradients/operator_rows.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// Small enough that no element crosses a bend: elements keep 0.05 and more from it, and three steps
// move them by 0.024. The error of the differences is h⁶·f⁽⁷⁾/140, some 10⁻¹⁴.
constexpr double kStep = 1.0 / 128;
// In float the rounding of the differences themselves is 10⁻⁷/h; the error of the order h⁶ is below
// that.
constexpr double kFloatStep = 1.0 / 32;

std::shared_ptr<const Graph> graphOf(const GradientRow& row, const char* real) {
  QString text = row.text;
  return graphFromText(text.replace("real", real).toStdString(), row.opset);
}

std::vector<Tensor> tensorsOf(const Feeds& feeds) {
  std::vector<Tensor> tensors;
  for (const auto& [value, tensor] : feeds) tensors.push_back(tensor);
  return tensors;
}

// The difference of two numbers that should be equal, relative to the terms that they are sums of.
double mismatch(double a, double b, const std::vector<Tensor>& v, const std::vector<Tensor>& g) {
  return std::abs(a - b) / (std::sqrt(dot(v, v) * dot(g, g)) + 1e-300);
}

const GradientRow& rowOf(int index) {
  std::size_t i = static_cast<std::size_t>(index);
  for (const std::span<const GradientRow> rows :
       {elementwiseRows(), structureRows(), layerRows()}) {
    if (i < rows.size()) return rows[i];
    i -= rows.size();
  }
  throw std::out_of_range("no such row");
}

void addRows() {
  QTest::addColumn<int>("row");
  int index = 0;
  for (const std::span<const GradientRow> rows :
       {elementwiseRows(), structureRows(), layerRows()}) {
    for (const GradientRow& row : rows) QTest::newRow(row.name) << index++;
  }
}

}  // namespace

class OperatorGradientsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void dotProducts_data() { addRows(); }
  void dotProducts();
  void floatEqualsDouble_data() { addRows(); }
  void floatEqualsDouble();
  void aWrongGradientIsFound();

 private:
  Workers m_workers{1};
};

// ⟨dy, J·v⟩ = ⟨Jᵀ·dy, v⟩
void OperatorGradientsTest::dotProducts() {
  QFETCH(int, row);
  const GradientRow& each = rowOf(row);
  const Engine engine(graphOf(each, each.floatOnly ? "float" : "double"), m_workers);
  for (const unsigned seed : {1U, 2U}) {
    const Feeds feeds = makeFeeds(engine.graph(), each.numbers, seed);
    const std::vector<Tensor> dy = randomLike(outputsOf(engine, feeds), seed + 10);
    const std::vector<Tensor> v = randomLike(tensorsOf(feeds), seed + 20);
    const std::vector<Tensor> g = cotangentsOfInputs(engine, feeds, dy);
    const double forwards =
        directionalDerivative(engine, feeds, v, dy, each.floatOnly ? kFloatStep : kStep);
    const double error = mismatch(forwards, dot(g, v), v, g);
    QVERIFY2(error <= (each.floatOnly ? 1e-4 : 1e-10),
             qPrintable(QString("%1 forwards, %2 backwards: %3")
                            .arg(forwards, 0, 'g', 12)
                            .arg(dot(g, v), 0, 'g', 12)
                            .arg(error)));
  }
}

void OperatorGradientsTest::floatEqualsDouble() {
  QFETCH(int, row);
  const GradientRow& each = rowOf(row);
  if (each.floatOnly) QSKIP("has no double form");
  const Engine single(graphOf(each, "float"), m_workers);
  const Engine twice(graphOf(each, "double"), m_workers);
  const Feeds feeds = makeFeeds(single.graph(), each.numbers, 3);
  const Feeds wide = makeFeeds(twice.graph(), each.numbers, 3);
  const std::vector<Tensor> dy = randomLike(outputsOf(single, feeds), 4);
  const std::vector<Tensor> dyWide = randomLike(outputsOf(twice, wide), 4);
  const double error =
      relativeError(cotangentsOfInputs(single, feeds, dy), cotangentsOfInputs(twice, wide, dyWide));
  QVERIFY2(error <= 1e-5, qPrintable(QString::number(error)));
}

// The measure itself: a hundred-millionth more in one element shows.
void OperatorGradientsTest::aWrongGradientIsFound() {
  const Engine engine(graphFromText("input x:double[2,3,5]\ny = Tanh(x)\noutput y"), m_workers);
  const Feeds feeds = makeFeeds(engine.graph(), Numbers::Signed, 1);
  const std::vector<Tensor> dy = randomLike(outputsOf(engine, feeds), 11);
  const std::vector<Tensor> v = randomLike(tensorsOf(feeds), 21);
  std::vector<Tensor> g = cotangentsOfInputs(engine, feeds, dy);
  const double forwards = directionalDerivative(engine, feeds, v, dy, kStep);
  QVERIFY(mismatch(forwards, dot(g, v), v, g) <= 1e-10);
  g[0] = Tensor::of<double>(g[0].shape(), g[0].values<double>());
  double& first = g[0].mutableValues<double>()[0];
  first += 1e-8;
  QVERIFY(mismatch(forwards, dot(g, v), v, g) > 1e-10);
}

QUANTSCOPE_TEST(OperatorGradientsTest)
#include "test_operator_gradients.moc"
