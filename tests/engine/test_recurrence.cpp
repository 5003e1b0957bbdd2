#include <QtTest>
#include <cmath>
#include <functional>
#include <thread>

#include "engine/operator_runner.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using Numbers = std::vector<double>;

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

/// The node of a test row; its weights are generated.
struct RecurrenceCase {
  const char* name;
  const char* op;
  const char* attributes;
  std::int64_t steps, samples, inputs, hidden;
  bool reversed = false;
  bool bidirectional = false;
  const char* lengths = nullptr;
  bool states = false;
  bool peepholes = false;
  double clip = 1e30;
};

const RecurrenceCase kRecurrences[] = {
    {"rnn", "RNN", "", 4, 1, 3, 5},
    {"rnn, batch", "RNN", "", 4, 3, 3, 5, false, false, nullptr, true},
    {"rnn, reverse", "RNN", "direction=\"reverse\"", 4, 2, 3, 5, true},
    {"rnn, ragged", "RNN", "", 4, 3, 3, 5, false, false, "4,0,2", true},
    {"rnn, ragged, reverse", "RNN", "direction=\"reverse\"", 4, 3, 3, 5, true, false, "4,1,2",
     true},
    {"gru", "GRU", "", 5, 1, 3, 8},
    {"gru, large", "GRU", "", 5, 2, 100, 130},
    {"gru, states", "GRU", "", 5, 3, 3, 8, false, false, nullptr, true},
    {"gru, reset behind", "GRU", "linear_before_reset=1", 5, 1, 3, 8, false, false, nullptr, true},
    {"gru, both ways", "GRU", "direction=\"bidirectional\" linear_before_reset=1", 5, 2, 3, 8,
     false, true, "5,3", true},
    {"lstm", "LSTM", "", 5, 1, 3, 8},
    {"lstm, states", "LSTM", "", 5, 3, 3, 8, false, false, nullptr, true},
    {"lstm, peepholes", "LSTM", "", 5, 2, 3, 8, false, false, nullptr, true, true},
    {"lstm, both ways, ragged", "LSTM", "direction=\"bidirectional\"", 5, 3, 3, 8, false, true,
     "2,5,0", true, true},
    {"lstm, clipped", "LSTM", "clip=0.25", 5, 2, 3, 8, false, false, nullptr, true, true, 0.25},
    {"lstm, coupled", "LSTM", "input_forget=1", 5, 2, 3, 8, false, false, nullptr, true},
};

bool has(const RecurrenceCase& row, const char* word) {
  return std::string(row.attributes).find(word) != std::string::npos;
}

std::int64_t gatesOf(const RecurrenceCase& row) {
  return std::string(row.op) == "RNN" ? 1 : std::string(row.op) == "GRU" ? 3 : 4;
}

struct Inputs {
  Tensor x, w, r, b, lengths, state, cell, peepholes;
};

Inputs makeInputs(const RecurrenceCase& row) {
  const std::int64_t directions = row.bidirectional ? 2 : 1;
  const std::int64_t sums = gatesOf(row) * row.hidden;
  Inputs inputs;
  inputs.x = randomTensor({row.steps, row.samples, row.inputs}, 1);
  inputs.w = randomTensor({directions, sums, row.inputs}, 2);
  inputs.r = randomTensor({directions, sums, row.hidden}, 3);
  inputs.b = randomTensor({directions, 2 * sums}, 4);
  if (row.lengths != nullptr) {
    inputs.lengths = Tensor(ElementType::Int32, {row.samples});
    const auto lengths = numbers(row.lengths);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      inputs.lengths.mutableValues<std::int32_t>()[i] = static_cast<std::int32_t>(lengths[i]);
    }
  }
  const Shape state{directions, row.samples, row.hidden};
  if (row.states) inputs.state = randomTensor(state, 5);
  if (row.states) inputs.cell = randomTensor(state, 6);
  if (row.peepholes) inputs.peepholes = randomTensor({directions, 3 * row.hidden}, 7);
  return inputs;
}

std::vector<Tensor> listOf(const RecurrenceCase& row, const Inputs& inputs) {
  std::vector<Tensor> list{inputs.x, inputs.w, inputs.r, inputs.b, inputs.lengths, inputs.state};
  if (gatesOf(row) == 4) list.insert(list.end(), {inputs.cell, inputs.peepholes});
  return list;
}

OperatorRunner makeRunner(const RecurrenceCase& row) {
  const bool lstm = gatesOf(row) == 4;
  const std::string names = lstm ? "x, w, r, b, x4, x5, x6, p" : "x, w, r, b, x4, x5";
  const std::string outputs = lstm ? "y, h, c" : "y, h";
  return OperatorRunner(outputs + " = " + row.op + "(" + names + ") " + row.attributes);
}

/// One sample in one direction, written out from ONNX's formulas.
class Reference {
 public:
  Reference(const RecurrenceCase& row, const Inputs& inputs, std::size_t direction)
      : m_row(row),
        m_hidden(static_cast<std::size_t>(row.hidden)),
        m_direction(direction),
        m_x(elements(inputs.x)),
        m_w(elements(inputs.w)),
        m_r(elements(inputs.r)),
        m_b(elements(inputs.b)),
        m_p(inputs.peepholes.defined() ? elements(inputs.peepholes) : Numbers()) {}

  Numbers h, c;

  void step(std::size_t t, std::size_t sample) {
    const std::size_t row = (t * static_cast<std::size_t>(m_row.samples) + sample);
    m_input = m_x.data() + row * static_cast<std::size_t>(m_row.inputs);
    const std::string op = m_row.op;
    if (op == "RNN") stepRnn();
    if (op == "GRU") stepGru();
    if (op == "LSTM") stepLstm();
  }

 private:
  double inputSum(std::size_t gate, std::size_t i) const {
    const auto inputs = static_cast<std::size_t>(m_row.inputs);
    const double* row = m_w.data() + (m_direction * sums() + gate * m_hidden + i) * inputs;
    double sum = m_b[m_direction * 2 * sums() + gate * m_hidden + i];
    for (std::size_t k = 0; k < inputs; ++k) sum += row[k] * m_input[k];
    return sum;
  }
  double recurrentSum(std::size_t gate, std::size_t i, const Numbers& state) const {
    const double* row = m_r.data() + (m_direction * sums() + gate * m_hidden + i) * m_hidden;
    double sum = m_b[(m_direction * 2 + 1) * sums() + gate * m_hidden + i];
    for (std::size_t k = 0; k < m_hidden; ++k) sum += row[k] * state[k];
    return sum;
  }
  double peephole(std::size_t which, std::size_t i, const Numbers& cell) const {
    return m_p.empty() ? 0 : m_p[(m_direction * 3 + which) * m_hidden + i] * cell[i];
  }
  double clip(double x) const { return std::clamp(x, -m_row.clip, m_row.clip); }
  std::size_t sums() const { return static_cast<std::size_t>(gatesOf(m_row)) * m_hidden; }

  void stepRnn() {
    const Numbers old = h;
    for (std::size_t i = 0; i < m_hidden; ++i) {
      h[i] = std::tanh(inputSum(0, i) + recurrentSum(0, i, old));
    }
  }

  void stepGru() {
    const Numbers old = h;
    Numbers z(m_hidden), r(m_hidden), passed(m_hidden);
    for (std::size_t i = 0; i < m_hidden; ++i) {
      z[i] = sigmoid(inputSum(0, i) + recurrentSum(0, i, old));
      r[i] = sigmoid(inputSum(1, i) + recurrentSum(1, i, old));
      passed[i] = r[i] * old[i];
    }
    for (std::size_t i = 0; i < m_hidden; ++i) {
      const double through = has(m_row, "linear_before_reset") ? r[i] * recurrentSum(2, i, old)
                                                               : recurrentSum(2, i, passed);
      h[i] = (1 - z[i]) * std::tanh(inputSum(2, i) + through) + z[i] * old[i];
    }
  }

  void stepLstm() {
    const Numbers oldH = h;
    const Numbers oldC = c;
    for (std::size_t i = 0; i < m_hidden; ++i) {
      const double in =
          sigmoid(clip(inputSum(0, i) + recurrentSum(0, i, oldH) + peephole(0, i, oldC)));
      double forget =
          sigmoid(clip(inputSum(2, i) + recurrentSum(2, i, oldH) + peephole(2, i, oldC)));
      if (has(m_row, "input_forget")) forget = 1 - in;
      const double candidate = std::tanh(clip(inputSum(3, i) + recurrentSum(3, i, oldH)));
      c[i] = forget * oldC[i] + in * candidate;
      const double out =
          sigmoid(clip(inputSum(1, i) + recurrentSum(1, i, oldH) + peephole(1, i, c)));
      h[i] = out * std::tanh(c[i]);
    }
  }

  const RecurrenceCase& m_row;
  std::size_t m_hidden;
  std::size_t m_direction;
  Numbers m_x, m_w, m_r, m_b, m_p;
  const double* m_input = nullptr;
};

struct States {
  Numbers y, h, c;
};

States compute(const RecurrenceCase& row, const Inputs& inputs) {
  const std::size_t directions = row.bidirectional ? 2 : 1;
  const auto hidden = static_cast<std::size_t>(row.hidden);
  const auto samples = static_cast<std::size_t>(row.samples);
  const auto steps = static_cast<std::size_t>(row.steps);
  States expected;
  expected.y.assign(steps * directions * samples * hidden, 0);
  for (std::size_t direction = 0; direction < directions; ++direction) {
    for (std::size_t sample = 0; sample < samples; ++sample) {
      Reference cell(row, inputs, direction);
      const auto initial = [&](const Tensor& given) {
        if (!given.defined()) return Numbers(hidden, 0);
        const Numbers all = elements(given);
        const auto first = static_cast<std::ptrdiff_t>((direction * samples + sample) * hidden);
        return Numbers(all.begin() + first, all.begin() + first + row.hidden);
      };
      cell.h = initial(inputs.state);
      cell.c = initial(inputs.cell);
      const std::size_t length =
          row.lengths == nullptr ? steps : static_cast<std::size_t>(numbers(row.lengths)[sample]);
      for (std::size_t i = 0; i < length; ++i) {
        const std::size_t t = row.reversed || direction == 1 ? length - 1 - i : i;
        cell.step(t, sample);
        std::ranges::copy(
            cell.h,
            expected.y.begin() + static_cast<std::ptrdiff_t>(
                                     ((t * directions + direction) * samples + sample) * hidden));
      }
      expected.h.insert(expected.h.end(), cell.h.begin(), cell.h.end());
      expected.c.insert(expected.c.end(), cell.c.begin(), cell.c.end());
    }
  }
  return expected;
}

/// [a, b, rest…] → [b, a, rest…]
Tensor swapped(const Tensor& tensor, std::size_t first, std::size_t second) {
  Shape shape = tensor.shape();
  std::swap(shape[first], shape[second]);
  Tensor result(tensor.type(), shape);
  const Shape from = rowMajorStrides(tensor.shape());
  Shape strides = rowMajorStrides(shape);
  std::swap(strides[first], strides[second]);
  for (std::int64_t i = 0; i < shape.elementCount(); ++i) {
    std::int64_t target = 0;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      target += i / from[axis] % tensor.shape()[axis] * strides[axis];
    }
    result.mutableValues<float>()[static_cast<std::size_t>(target)] =
        tensor.values<float>()[static_cast<std::size_t>(i)];
  }
  return result;
}

void addRecurrenceCases() {
  QTest::addColumn<int>("index");
  for (int i = 0; i < static_cast<int>(std::size(kRecurrences)); ++i) {
    QTest::newRow(kRecurrences[i].name) << i;
  }
}

}  // namespace

class RecurrenceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void matchesItsFormulas_data() { addRecurrenceCases(); }
  void matchesItsFormulas();
  void samplesDoNotTouchEachOther_data() { addRecurrenceCases(); }
  void samplesDoNotTouchEachOther();
  void batchFirstIsTheSame();
  void activations_data();
  void activations();
  void everyWeightTensorCounts();
  void threadsShareOneKernel();
  void badInputIsAnError();
};

void RecurrenceTest::matchesItsFormulas() {
  QFETCH(int, index);
  const RecurrenceCase& row = kRecurrences[index];
  const Inputs inputs = makeInputs(row);
  const States expected = compute(row, inputs);
  const std::vector<Tensor> actual = makeRunner(row).run(listOf(row, inputs));
  const std::int64_t directions = row.bidirectional ? 2 : 1;
  // Sums of up to 230 products below 1, through functions that do not enlarge errors, a few steps
  // deep; the gates' own functions are off by 10⁻⁶.
  const Numbers bound{2e-5};
  const std::string ofY =
      difference(actual[0], {row.steps, directions, row.samples, row.hidden}, expected.y, bound);
  QVERIFY2(ofY.empty(), ofY.c_str());
  const Shape state{directions, row.samples, row.hidden};
  const std::string ofState = difference(actual[1], state, expected.h, bound);
  QVERIFY2(ofState.empty(), ofState.c_str());
  if (gatesOf(row) < 4) return;
  const std::string ofCell = difference(actual[2], state, expected.c, bound);
  QVERIFY2(ofCell.empty(), ofCell.c_str());
}

void RecurrenceTest::samplesDoNotTouchEachOther() {
  QFETCH(int, index);
  RecurrenceCase row = kRecurrences[index];
  row.lengths = nullptr;
  row.states = false;
  const Inputs all = makeInputs(row);
  const OperatorRunner runner = makeRunner(row);
  const Tensor together = runner(listOf(row, all));
  const Tensor bySample = swapped(together, 0, 2);  // [B, D, T, H]
  const Tensor xBySample = swapped(all.x, 0, 1);    // [B, T, I]
  const auto perSample = static_cast<std::size_t>(row.steps * row.inputs);
  const std::size_t results = together.elementCount() / static_cast<std::size_t>(row.samples);
  for (std::size_t sample = 0; sample < static_cast<std::size_t>(row.samples); ++sample) {
    Inputs one = all;
    one.x = Tensor::of<float>({row.steps, 1, row.inputs},
                              xBySample.values<float>().subspan(sample * perSample, perSample));
    const Tensor alone = swapped(runner(listOf(row, one)), 0, 2);
    const Tensor expected = Tensor::of<float>(
        alone.shape(), bySample.values<float>().subspan(sample * results, results));
    QVERIFY(identical(alone, expected));
  }
}

void RecurrenceTest::batchFirstIsTheSame() {
  for (const RecurrenceCase& row : kRecurrences) {
    const Inputs inputs = makeInputs(row);
    RecurrenceCase other = row;
    const std::string attributes = std::string(row.attributes) + " layout=1";
    other.attributes = attributes.c_str();
    Inputs turned = inputs;
    turned.x = swapped(inputs.x, 0, 1);
    if (row.states) turned.state = swapped(inputs.state, 0, 1);
    if (row.states) turned.cell = swapped(inputs.cell, 0, 1);
    const auto expected = makeRunner(row).run(listOf(row, inputs));
    const auto actual = makeRunner(other).run(listOf(other, turned));
    // [T, D, B, H] against [B, T, D, H].
    QVERIFY2(identical(swapped(swapped(expected[0], 0, 2), 1, 2), actual[0]), row.name);
    for (std::size_t i = 1; i < actual.size(); ++i) {
      QVERIFY2(identical(swapped(expected[i], 0, 1), actual[i]), row.name);
    }
  }
}

void RecurrenceTest::activations_data() {
  QTest::addColumn<QString>("attributes");
  QTest::addColumn<QVector<float>>("expected");
  using Floats = QVector<float>;
  // Of −2, −0.25, 0.5 and 3.
  QTest::newRow("Relu") << "\"Relu\"" << Floats{0, 0, 0.5F, 3};
  QTest::newRow("any case") << "\"rELU\"" << Floats{0, 0, 0.5F, 3};
  QTest::newRow("Affine") << "\"Affine\"] activation_alpha=[2.0] activation_beta=[1.0"
                          << Floats{-3, 0.5F, 2, 7};
  QTest::newRow("LeakyRelu") << "\"LeakyRelu\"] activation_alpha=[0.5"
                             << Floats{-1, -0.125F, 0.5F, 3};
  QTest::newRow("LeakyRelu, default") << "\"LeakyRelu\"" << Floats{-0.02F, -0.0025F, 0.5F, 3};
  QTest::newRow("ThresholdedRelu") << "\"ThresholdedRelu\"" << Floats{0, 0, 0, 3};
  QTest::newRow("HardSigmoid") << "\"HardSigmoid\"] activation_alpha=[0.5] activation_beta=[0.5"
                               << Floats{0, 0.375F, 0.75F, 1};
  QTest::newRow("Softsign") << "\"Softsign\"" << Floats{-2 / 3.0F, -0.2F, 1 / 3.0F, 0.75F};
  QTest::newRow("Elu") << "\"Elu\"" << Floats{-0.864664717F, -0.221199217F, 0.5F, 3};
  QTest::newRow("Softplus") << "\"Softplus\""
                            << Floats{0.126928011F, 0.575939283F, 0.974076984F, 3.04858735F};
  QTest::newRow("Sigmoid") << "\"Sigmoid\""
                           << Floats{0.119202922F, 0.437823499F, 0.622459331F, 0.952574127F};
  QTest::newRow("ScaledTanh") << "\"ScaledTanh\"] activation_alpha=[2.0] activation_beta=[0.5"
                              << Floats{-1.52318831F, -0.248705966F, 0.489837404F, 1.81029651F};
}

void RecurrenceTest::activations() {
  QFETCH(QString, attributes);
  QFETCH(QVector<float>, expected);
  const OperatorRunner runner("y = RNN(x, w, r) activations=[" + attributes.toStdString() + "]");
  // One step from a zero state with the weight 1: just the function.
  const Tensor x = Tensor::of<float>({1, 4, 1}, {-2, -0.25F, 0.5F, 3});
  const Tensor one = Tensor::of<float>({1, 1, 1}, {1});
  const Numbers wanted(expected.begin(), expected.end());
  const std::string found = difference(runner({x, one, one}), {1, 1, 4, 1}, wanted, {1e-6});
  QVERIFY2(found.empty(), found.c_str());
}

void RecurrenceTest::everyWeightTensorCounts() {
  const OperatorRunner runner("y, h = GRU(x, w, r, b)");
  const Tensor x = randomTensor({3, 1, 4}, 1);
  const Tensor b = randomTensor({1, 36}, 2);
  for (unsigned i = 0; i < 14; ++i) {
    const Tensor w = randomTensor({1, 18, 4}, 10 + i % 5);
    const Tensor r = randomTensor({1, 18, 6}, 20 + i % 3);
    QVERIFY(
        identical(runner({x, w, r, b}), OperatorRunner("y, h = GRU(x, w, r, b)")({x, w, r, b})));
  }
}

void RecurrenceTest::threadsShareOneKernel() {
  const RecurrenceCase& row = kRecurrences[std::size(kRecurrences) - 3];
  const Inputs inputs = makeInputs(row);
  const OperatorRunner runner = makeRunner(row);
  const Tensor expected = runner(listOf(row, inputs));
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (int& count : wrong) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        if (!identical(runner(listOf(row, inputs)), expected)) ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  QCOMPARE(wrong, std::vector<int>(4, 0));
}

void RecurrenceTest::badInputIsAnError() {
  const Tensor x = randomTensor({3, 2, 4}, 1);
  const Tensor w = randomTensor({1, 18, 4}, 2);
  const Tensor r = randomTensor({1, 18, 6}, 3);
  const OperatorRunner runner("y, h = GRU(x, w, r, b, x4, x5)");
  VERIFY_ERROR(runner({x, w}), "input 2 is missing");
  VERIFY_ERROR(runner({randomTensor({3, 4}, 1), w, r}), "no sequence");
  VERIFY_ERROR(runner({x, randomTensor({1, 18, 5}, 2), r}), "a weight tensor");
  VERIFY_ERROR(runner({x, w, randomTensor({1, 17, 6}, 2)}), "a recurrent weight tensor");
  VERIFY_ERROR(runner({x, w, r, randomTensor({1, 18}, 2)}), "a bias");
  const Tensor tooLong = Tensor::of<std::int32_t>({2}, {1, 4});
  VERIFY_ERROR(runner({x, w, r, Tensor(), tooLong}), "length 4 does not fit 3 steps");
  VERIFY_ERROR(runner({x, w, r, Tensor(), Tensor(), randomTensor({1, 1, 6}, 2)}),
               "an initial state");
  VERIFY_ERROR(OperatorRunner("y = GRU(x, w, r) hidden_size=7")({x, w, r}), "hidden size 7");
  VERIFY_ERROR(OperatorRunner("y = GRU(x, w, r) direction=\"sideways\""), "sideways");
  VERIFY_ERROR(OperatorRunner("y = GRU(x, w, r) activations=[\"Relu\"]"), "needs 2 activations");
  VERIFY_ERROR(OperatorRunner("y = RNN(x, w, r) activations=[\"Sinus\"]"), "Sinus");
}

QUANTSCOPE_TEST(RecurrenceTest)
#include "test_recurrence.moc"
