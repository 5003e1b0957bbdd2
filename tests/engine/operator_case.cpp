#include "engine/operator_case.h"

#include <QtTest>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "engine/operator_runner.h"
#include "support/text_literals.h"

namespace quantscope::test {
namespace {

constexpr std::string_view kErrorMark = "error: ";

template <class T>
bool sameElement(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) && std::isnan(b)) return true;
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
std::string elementText(T value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else {
    return "bits " + std::to_string(value.bits);
  }
}

std::string outputsDifference(const std::vector<Tensor>& actual,
                              const std::vector<Tensor>& expected) {
  if (actual.size() < expected.size()) return "outputs are missing";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!expected[i].defined()) continue;
    const std::string difference = exactDifference(actual[i], expected[i]);
    if (!difference.empty()) return "output " + std::to_string(i) + ": " + difference;
  }
  return {};
}

}  // namespace

std::vector<Tensor> tensorsFromText(std::string_view text) {
  std::vector<Tensor> tensors;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    TextCursor cursor{std::string(text.substr(begin, end - begin))};
    // Made-up elements differ from input to input.
    const std::string seed(1, static_cast<char>('a' + tensors.size()));
    tensors.push_back(cursor.atEnd() ? Tensor() : parseTensor(cursor, seed));
    begin = end + 1;
  }
  return tensors;
}

std::string exactDifference(const Tensor& actual, const Tensor& expected) {
  if (!actual.defined()) return "was not computed";
  const auto text = [](const Tensor& tensor) {
    return std::string(name(tensor.type())) + toString(tensor.shape());
  };
  if (actual.type() != expected.type() || actual.shape() != expected.shape()) {
    return "is " + text(actual) + " instead of " + text(expected);
  }
  const Tensor left = toLayout(actual, Layout::Plain);
  const Tensor right = toLayout(expected, Layout::Plain);
  std::string difference;
  visitElementType(left.type(), [&]<class T>() {
    for (std::size_t i = 0; i < left.elementCount() && difference.empty(); ++i) {
      const T value = left.values<T>()[i];
      const T wanted = right.values<T>()[i];
      if (sameElement(value, wanted)) continue;
      difference = "element " + std::to_string(i) + " is " + elementText(value) + " instead of " +
                   elementText(wanted);
    }
  });
  return difference;
}

std::string runCase(const OperatorCase& row) {
  const std::string_view expected = row.expected;
  try {
    const OperatorRunner runner(row.node, row.opset);
    const std::vector<Tensor> outputs = runner.run(tensorsFromText(row.inputs));
    if (expected.starts_with(kErrorMark)) return "no error was thrown";
    return outputsDifference(outputs, tensorsFromText(expected));
  } catch (const Error& error) {
    const std::string text = error.what();
    if (!expected.starts_with(kErrorMark)) return text;
    const bool found = text.find(expected.substr(kErrorMark.size())) != std::string::npos;
    return found ? std::string() : "the error says: " + text;
  }
}

void addCases(std::span<const OperatorCase> cases) {
  QTest::addColumn<int>("row");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    QTest::newRow(cases[i].name) << static_cast<int>(i);
  }
}

}  // namespace quantscope::test
