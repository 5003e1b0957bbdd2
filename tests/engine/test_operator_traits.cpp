#include <QtTest>
#include <set>

#include "engine/operator_case.h"
#include "engine/operator_registry.h"
#include "engine/operator_runner.h"
#include "graph/operator_traits.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

// The table of operators is checked against the kernels.

namespace {

/// A node whose inputs x, x1, … are data of shape [1, 4, 4, 4], and its other inputs.
struct Row {
  const char* node;
  const char* others = "";
  int opset = 17;
};

constexpr Row kRows[] = {
    {"y = Relu(x)"},
    {"y = LeakyRelu(x) alpha=0.1"},
    {"y = PRelu(x, xs)", "float[4,1,1]{0.1, 0.2, 0.3, -0.4}"},
    {"y = Abs(x)"},
    {"y = Neg(x)"},
    {"y = Add(x, x1)"},
    {"y = Sub(x, x1)"},
    {"y = Sum(x, x1, x2)"},
    {"y = Mean(x, x1)"},
    {"y = Min(x, x1)"},
    {"y = Max(x, x1)"},
    {"y = Concat(x, x1) axis=1"},
    {"y = MaxPool(x) kernel_shape=[2,2]"},
    {"y = GlobalMaxPool(x)"},
    {"y = AveragePool(x) kernel_shape=[2,2]"},
    {"y = GlobalAveragePool(x)"},
    {"y = LpPool(x) kernel_shape=[2,2]"},
    {"y = GlobalLpPool(x)"},
    {"y = ReduceMean(x) axes=[1]"},
    {"y = ReduceSum(x, xs)", "int64[1]{1}"},
    {"y = ReduceMax(x) axes=[1]"},
    {"y = ReduceMin(x) axes=[1]"},
    {"y = ReduceL1(x) axes=[1]"},
    {"y = ReduceL2(x) axes=[1]"},
    {"y = CumSum(x, xs)", "int64[]{1}"},
    {"y = Identity(x)"},
    {"y = Dropout(x)"},
    {"y = Reshape(x, xs)", "int64[2]{4,16}"},
    {"y = Flatten(x)"},
    {"y = Squeeze(x)"},
    {"y = Unsqueeze(x, xs)", "int64[1]{0}"},
    {"y = Transpose(x) perm=[0,2,3,1]"},
    {"y = Slice(x, xs, xe, xa)", "int64[1]{1}; int64[1]{3}; int64[1]{2}"},
    {"y, z = Split(x, xs) axis=1", "int64[2]{1,3}"},
    {"y = Expand(x, xs)", "int64[4]{2,1,1,1}"},
    {"y = Tile(x, xs)", "int64[4]{1,2,1,1}"},
    {"y = Pad(x, xs)", "int64[8]{0,0,1,1,0,0,1,1}"},
    {"y = DepthToSpace(x) blocksize=2"},
    {"y = SpaceToDepth(x) blocksize=2"},
    {"y = Gather(x, xs) axis=1", "int64[2]{2,0}"},
    {"y = GatherElements(x, xs) axis=3", "int64[1,1,1,2]{3,0}"},
    {"y = GatherND(x, xs)", "int64[1,2]{0,3}"},
    {"y = ReverseSequence(x, xs) batch_axis=0 time_axis=1", "int64[1]{3}"},
    {"y = Resize(x, , , xs)", "; ; int64[4]{1,4,8,8}"},
    {"y = Upsample(x, xs)", "float[4]{1,1,2,2}", 9},
    {"y = Resize(x, , , xs) mode=\"linear\"", "; ; int64[4]{1,4,8,8}"},
};

/// Operators whose inputs `factors` are said to scale their output by channel: x is [2, 4, 3, 3],
/// channels along axis 1 or, where `last` is set, [2, 3, 3, 4] along the last.
struct FactorRow {
  const char* node;
  bool last = false;
};

constexpr FactorRow kFactorRows[] = {
    {"y = BatchNormalization(x, xs, xb, xm, xv)"},
    {"y = InstanceNormalization(x, xs, xb)"},
    {"y = GroupNormalization(x, xs, xb) num_groups=2"},
    {"y = LayerNormalization(x, xs, xb)", true},
};

// Of a row of either kind.
std::string operatorOf(const auto& row) {
  const std::string_view text(row.node);
  const std::size_t start = text.find("= ") + 2;
  return std::string(text.substr(start, text.find('(') - start));
}

/// So many of the node's inputs are x, x1 or x2.
std::size_t dataCount(const Row& row) {
  const std::string_view text(row.node);
  return text.find("x2") != text.npos ? 3 : text.find("x1") != text.npos ? 2 : 1;
}

/// The first output with all data multiplied by a factor, then with a number added.
Tensor outputOf(const Row& row, float factor, float shift = 0) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < dataCount(row); ++i) {
    Tensor data = scaled(randomTensor(Shape{1, 4, 4, 4}, static_cast<unsigned>(i)), factor);
    for (float& element : data.mutableValues<float>()) element += shift;
    inputs.push_back(std::move(data));
  }
  if (*row.others != '\0') {
    for (Tensor& tensor : tensorsFromText(row.others)) inputs.push_back(std::move(tensor));
  }
  return OperatorRunner(row.node, row.opset)(std::move(inputs));
}

bool isFactOfData(const OperatorTraits& traits) {
  return traits.positivelyHomogeneous != nullptr || traits.keepsShifts ||
         traits.movesData != nullptr;
}

/// The output with channel c of the inputs that are factors divided by by[c].
std::vector<double> outputOf(const FactorRow& row, const std::vector<float>& by) {
  const std::vector<std::size_t>& factors = operatorTraits(operatorOf(row)).outputFactors;
  std::vector<Tensor> inputs{randomTensor(row.last ? Shape{2, 3, 3, 4} : Shape{2, 4, 3, 3}, 3)};
  for (const char* text : {"float[4]{0.5, 1.25, -0.75, 2}", "float[4]{0.25, -0.5, 1.5, 0}",
                           "float[4]{0.1, 0.2, 0.3, 0.4}", "float[4]{1, 2, 0.5, 0.25}"}) {
    if (inputs.size() == std::ranges::count(std::string_view(row.node), ',') + std::size_t{1})
      break;
    Tensor vector = tensorsFromText(text).front();
    if (std::ranges::find(factors, inputs.size()) != factors.end()) {
      for (std::size_t c = 0; c < by.size(); ++c) vector.mutableValues<float>()[c] /= by[c];
    }
    inputs.push_back(std::move(vector));
  }
  return elements(OperatorRunner(row.node, 21)(std::move(inputs)));
}

}  // namespace

class OperatorTraitsOfKernelsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theEngineKnowsThemAll();
  void allAreTried();
  void factorsPassThrough_data();
  void factorsPassThrough();
  void dataMoversMakeNothingNew_data();
  void dataMoversMakeNothingNew();
  void shiftsPassThrough_data();
  void shiftsPassThrough();
  void outputFactorsScaleTheirChannel_data();
  void outputFactorsScaleTheirChannel();
  void whatMultipliesIsTheProduct();
  void linearInputsScaleTheResult();
  void reductionsKeepOtherAxesApart();
};

void OperatorTraitsOfKernelsTest::theEngineKnowsThemAll() {
  for (const NamedTraits& entry : operatorTable()) {
    const bool known = operatorRegistry().knows(entry.op) ||
                       operatorRegistry().knows(entry.op, "com.microsoft") ||
                       entry.traits.controlFlow != ControlFlow::None;
    QVERIFY2(known, std::string(entry.op).c_str());
  }
}

void OperatorTraitsOfKernelsTest::allAreTried() {
  std::set<std::string, std::less<>> tried;
  for (const Row& row : kRows) tried.insert(operatorOf(row));
  for (const NamedTraits& entry : operatorTable()) {
    if (isFactOfData(entry.traits)) {
      QVERIFY2(tried.contains(entry.op), std::string(entry.op).c_str());
    }
  }
}

void OperatorTraitsOfKernelsTest::factorsPassThrough_data() {
  QTest::addColumn<int>("row");
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (isFactOfData(operatorTraits(operatorOf(kRows[i])))) {
      QTest::newRow(kRows[i].node) << static_cast<int>(i);
    }
  }
}

void OperatorTraitsOfKernelsTest::factorsPassThrough() {
  QFETCH(int, row);
  // A power of two: but for roots no rounding differs.
  constexpr double kFactor = 4;
  const std::vector<double> once = elements(outputOf(kRows[row], 1));
  const std::vector<double> scaledData = elements(outputOf(kRows[row], kFactor));
  QCOMPARE(scaledData.size(), once.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    const double bound = std::ldexp(std::abs(scaledData[i]), -22);
    QVERIFY(std::abs(scaledData[i] - kFactor * once[i]) <= bound);
  }
}

void OperatorTraitsOfKernelsTest::dataMoversMakeNothingNew_data() {
  QTest::addColumn<int>("row");
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    const bool weighs = std::string_view(kRows[i].node).find("linear") != std::string_view::npos;
    if (operatorTraits(operatorOf(kRows[i])).movesData != nullptr && !weighs) {
      QTest::newRow(kRows[i].node) << static_cast<int>(i);
    }
  }
}

void OperatorTraitsOfKernelsTest::dataMoversMakeNothingNew() {
  QFETCH(int, row);
  const std::vector<double> given = elements(randomTensor(Shape{1, 4, 4, 4}, 0));
  std::set<double> allowed(given.begin(), given.end());
  allowed.insert(0);  // Pad
  const std::vector<double> made = elements(outputOf(kRows[row], 1));
  for (const double element : made) QVERIFY(allowed.contains(element));
  if (operatorTraits(operatorOf(kRows[row])).reshapes) QVERIFY(made == given);
}

void OperatorTraitsOfKernelsTest::shiftsPassThrough_data() {
  QTest::addColumn<int>("row");
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (operatorTraits(operatorOf(kRows[i])).keepsShifts) {
      QTest::newRow(kRows[i].node) << static_cast<int>(i);
    }
  }
}

void OperatorTraitsOfKernelsTest::shiftsPassThrough() {
  QFETCH(int, row);
  constexpr float kShift = 3;
  const std::vector<double> once = elements(outputOf(kRows[row], 1));
  const std::vector<double> shifted = elements(outputOf(kRows[row], 1, kShift));
  QCOMPARE(shifted.size(), once.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    QVERIFY(std::abs(shifted[i] - once[i] - kShift) <= 1e-6);
  }
}

void OperatorTraitsOfKernelsTest::outputFactorsScaleTheirChannel_data() {
  QTest::addColumn<int>("row");
  std::set<std::string, std::less<>> tried;
  for (std::size_t i = 0; i < std::size(kFactorRows); ++i) {
    QTest::newRow(kFactorRows[i].node) << static_cast<int>(i);
    tried.insert(operatorOf(kFactorRows[i]));
  }
  for (const NamedTraits& entry : operatorTable()) {
    if (entry.traits.outputFactors.empty()) continue;
    QVERIFY2(tried.contains(entry.op), std::string(entry.op).c_str());
  }
}

void OperatorTraitsOfKernelsTest::outputFactorsScaleTheirChannel() {
  QFETCH(int, row);
  const FactorRow& factors = kFactorRows[row];
  const std::vector<float> by{2, 0.5F, 4, 0.125F};
  const std::vector<double> before = outputOf(factors, {1, 1, 1, 1});
  const std::vector<double> after = outputOf(factors, by);
  QCOMPARE(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::size_t channel = factors.last ? i % 4 : i / 9 % 4;
    // Powers of two: nothing rounds differently.
    QCOMPARE(after[i], before[i] / by[channel]);
  }
}

void OperatorTraitsOfKernelsTest::whatMultipliesIsTheProduct() {
  std::size_t tried = 0;
  for (const NamedTraits& entry : operatorTable()) {
    if (!entry.traits.multiplies) continue;
    ++tried;
    const Tensor x = randomTensor(Shape{1, 4, 4, 4}, 0);
    const Tensor factor = randomTensor(Shape{1, 4, 4, 4}, 1);
    const std::vector<double> made =
        elements(OperatorRunner("y = " + std::string(entry.op) + "(x, x1)", 17)({x, factor}));
    for (std::size_t i = 0; i < made.size(); ++i) {
      QCOMPARE(made[i], double{x.values<float>()[i] * factor.values<float>()[i]});
    }
  }
  QVERIFY(tried > 0);
}

void OperatorTraitsOfKernelsTest::linearInputsScaleTheResult() {
  std::size_t tried = 0;
  for (const NamedTraits& entry : operatorTable()) {
    for (const std::size_t linear : entry.traits.linearInputs) {
      ++tried;
      const auto outputWith = [&](float factor) {
        std::vector<Tensor> inputs;
        for (std::size_t i = 0; i < 2; ++i) {
          inputs.push_back(scaled(randomTensor(Shape{1, 4, 4, 4}, static_cast<unsigned>(i)),
                                  i == linear ? factor : 1));
        }
        const std::string text = "y = " + std::string(entry.op) + "(x, x1)";
        return elements(OperatorRunner(text.c_str(), 17)(std::move(inputs)));
      };
      const std::vector<double> once = outputWith(1);
      const std::vector<double> negated = outputWith(-4);
      for (std::size_t i = 0; i < once.size(); ++i) QCOMPARE(negated[i], -4 * once[i]);
    }
  }
  QVERIFY(tried > 0);
}

// A change of the first row along axis 2 reaches no other one where axis 1 is reduced.
void OperatorTraitsOfKernelsTest::reductionsKeepOtherAxesApart() {
  std::size_t tried = 0;
  for (const Row& row : kRows) {
    if (!operatorTraits(operatorOf(row)).reduces) continue;
    ++tried;
    const auto outputWith = [&](float factor) {
      Tensor data = randomTensor(Shape{1, 4, 4, 4}, 0);
      for (std::size_t i = 0; i < data.elementCount(); ++i) {
        if (i / 4 % 4 == 0) data.mutableValues<float>()[i] *= factor;
      }
      std::vector<Tensor> inputs{std::move(data)};
      for (Tensor& tensor : tensorsFromText(row.others)) inputs.push_back(std::move(tensor));
      return elements(OperatorRunner(row.node, row.opset)(std::move(inputs)));
    };
    const std::vector<double> once = outputWith(1);
    const std::vector<double> scaledRow = outputWith(4);
    for (std::size_t i = 0; i < once.size(); ++i) {
      QCOMPARE(scaledRow[i], (i / 4 % 4 == 0 ? 4 : 1) * once[i]);
    }
  }
  QVERIFY(tried > 0);
}

QUANTSCOPE_TEST(OperatorTraitsOfKernelsTest)
#include "test_operator_traits.moc"
