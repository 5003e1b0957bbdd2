// A model of one operator whose inputs, shapes and attributes the bytes choose, so that a fuzzer
// comes past the format of ONNX to kernels and shape inference.

#include <array>
#include <cstring>
#include <limits>

#include "fuzz/exercise_model.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/operator_table.h"
#include "support/onnx_bytes.h"

using namespace quantscope;
using test::ProtoMessage;

namespace {

/// Takes choices from the bytes; zeros after their end.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : m_left(bytes) {}

  unsigned byte() {
    if (m_left.empty()) return 0;
    const auto byte = static_cast<unsigned char>(m_left.front());
    m_left.remove_prefix(1);
    return byte;
  }
  std::size_t below(std::size_t count) { return byte() % count; }
  template <class T, std::size_t Size>
  const T& of(const std::array<T, Size>& choices) {
    return choices[below(Size)];
  }

  // Small ones mostly, and those at the ends.
  std::int64_t integer() {
    constexpr std::array<std::int64_t, 8> kEnds{std::numeric_limits<std::int64_t>::min(),
                                                std::numeric_limits<std::int64_t>::max(),
                                                std::numeric_limits<std::int32_t>::min(),
                                                std::numeric_limits<std::int32_t>::max(),
                                                std::int64_t{1} << 32,
                                                std::int64_t{1} << 62,
                                                -1000,
                                                1000};
    const auto number = static_cast<std::int8_t>(byte());
    if (number < -120) return kEnds[static_cast<std::size_t>(number + 128)];
    return number / 8;
  }
  float real() {
    constexpr std::array<float, 8> kEnds{0,
                                         -0.0F,
                                         std::numeric_limits<float>::infinity(),
                                         -std::numeric_limits<float>::infinity(),
                                         std::numeric_limits<float>::quiet_NaN(),
                                         std::numeric_limits<float>::max(),
                                         std::numeric_limits<float>::denorm_min(),
                                         1e9F};
    const auto number = static_cast<std::int8_t>(byte());
    if (number < -120) return kEnds[static_cast<std::size_t>(number + 128)];
    return static_cast<float>(number) / 16;
  }

 private:
  std::string_view m_left;
};

// ONNX's numbers of element types, the common ones more often.
constexpr std::array kTypes{1, 1, 1, 1, 7, 7, 3, 2, 6, 9, 10, 11, 16, 4, 5, 12, 13, 17, 21, 22, 8};
constexpr std::array kOpsets{13, 17, 21, 7, 9, 10, 11, 18, 19, 24, 1};
constexpr std::array kTexts{"NOTSET",
                            "SAME_UPPER",
                            "SAME_LOWER",
                            "VALID",
                            "nearest",
                            "linear",
                            "cubic",
                            "bilinear",
                            "bicubic",
                            "constant",
                            "reflect",
                            "edge",
                            "wrap",
                            "reverse",
                            "forward",
                            "bidirectional",
                            "half_pixel",
                            "align_corners",
                            "asymmetric",
                            "pytorch_half_pixel",
                            "tf_crop_and_resize",
                            "half_pixel_symmetric",
                            "floor",
                            "ceil",
                            "round_prefer_floor",
                            "round_prefer_ceil",
                            "zeros",
                            "border",
                            "reflection",
                            "add",
                            "mul",
                            "max",
                            "min",
                            "none",
                            "sum",
                            "mean",
                            "avg",
                            "DCR",
                            "CRD",
                            "LEFT",
                            "RIGHT",
                            "tanh",
                            "TF",
                            "IDF",
                            "TFIDF",
                            "not_larger",
                            "not_smaller",
                            "ij,jk->ik",
                            "...ii->i",
                            "bij,bjk->bik",
                            "ij->",
                            "Tanh",
                            "Relu",
                            "Sigmoid",
                            "Affine",
                            ""};

std::vector<std::int64_t> chosenShape(Choices& choices) {
  std::vector<std::int64_t> shape(choices.below(6));
  for (std::int64_t& extent : shape) extent = static_cast<std::int64_t>(choices.below(7));
  return shape;
}

std::size_t countOf(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

template <class T>
std::string raw(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string chosenElement(Choices& choices, int type) {
  switch (type) {
    case 1:
      return raw(choices.real());
    case 11:
      return raw(static_cast<double>(choices.real()));
    case 6:
    case 12:
      return raw(static_cast<std::int32_t>(choices.integer()));
    case 7:
    case 13:
      return raw(choices.integer());
    case 4:
    case 5:
    case 10:
    case 16:
      return raw(static_cast<std::uint16_t>(choices.byte() * 257));
    default:
      return raw(static_cast<std::uint8_t>(choices.byte()));
  }
}

ProtoMessage chosenTensor(Choices& choices, const std::string& name) {
  const int type = choices.of(kTypes);
  const std::vector<std::int64_t> shape = chosenShape(choices);
  // A few elements are chosen, and repeated for the rest.
  std::array<std::string, 6> elements;
  for (std::string& element : elements) element = chosenElement(choices, type);
  std::string bytes;
  for (std::size_t i = 0; i < countOf(shape); ++i) bytes += elements[i % elements.size()];
  if (type >= 21) bytes.resize((countOf(shape) + 1) / 2);
  return test::onnxTensor(name, type, shape).bytes(9, bytes);
}

ProtoMessage chosenInput(Choices& choices, const std::string& name) {
  ProtoMessage shape;
  const int type = choices.of(kTypes);
  for (const std::int64_t extent : chosenShape(choices)) {
    shape.message(1, ProtoMessage().integer(1, extent));
  }
  const ProtoMessage tensor = ProtoMessage().integer(1, type).message(2, shape);
  return ProtoMessage().bytes(1, name).message(2, ProtoMessage().message(1, tensor));
}

ProtoMessage chosenAttribute(Choices& choices, char kind, const std::string& name) {
  ProtoMessage attribute = ProtoMessage().bytes(1, name);
  const std::size_t count = kind == 'I' || kind == 'F' || kind == 'S' ? choices.below(9) : 1;
  for (std::size_t i = 0; i < count; ++i) {
    switch (kind) {
      case 'i':
        attribute.integer(3, choices.integer()).integer(20, 2);
        break;
      case 'I':
        attribute.integer(8, choices.integer());
        break;
      case 'f':
        attribute.real(2, choices.real()).integer(20, 1);
        break;
      case 'F':
        attribute.real(7, choices.real());
        break;
      case 's':
        attribute.bytes(4, choices.of(kTexts)).integer(20, 3);
        break;
      case 'S':
        attribute.bytes(9, choices.of(kTexts));
        break;
      default:
        attribute.message(5, chosenTensor(choices, "")).integer(20, 4);
    }
  }
  if (kind == 'I') attribute.integer(20, 7);
  if (kind == 'F') attribute.integer(20, 6);
  if (kind == 'S') attribute.integer(20, 8);
  return attribute;
}

/// A graph of one node, its inputs x0, x1, … and its outputs y0, y1, …
std::string chosenModel(Choices choices) {
  const test::OperatorForm& form =
      test::operatorForms()[choices.below(test::operatorForms().size())];
  const int opset = choices.of(kOpsets);
  const std::size_t dot = form.op.rfind('.');
  ProtoMessage graph;
  test::OnnxNode node{.op = dot == std::string::npos ? form.op : form.op.substr(dot + 1),
                      .inputs = {},
                      .outputs = {},
                      .name = "node",
                      .attributes = {},
                      .domain = dot == std::string::npos ? "" : form.op.substr(0, dot)};
  // One that is only called the same.
  if (choices.below(8) == 7) node.domain = "example.org";
  const std::size_t inputs = choices.below(10);
  for (std::size_t i = 0; i < inputs; ++i) {
    std::string name("x" + std::to_string(i));
    switch (choices.below(4)) {
      case 0:
        name.clear();
        break;
      case 1:
        graph.message(5, chosenTensor(choices, name));
        break;
      default:
        graph.message(11, chosenInput(choices, name));
    }
    node.inputs.push_back(name);
  }
  for (const auto& [kind, name] : form.attributes) {
    if (choices.below(2) == 1) node.attributes.push_back(chosenAttribute(choices, kind, name));
  }
  const std::size_t outputs = 1 + choices.below(3);
  for (std::size_t i = 0; i < outputs; ++i) {
    node.outputs.push_back("y" + std::to_string(i));
    graph.message(12, ProtoMessage().bytes(1, node.outputs.back()));
  }
  graph.message(1, test::onnxNode(node)).bytes(2, "graph");
  // Messages that stand one after the other are one.
  const ProtoMessage microsoft = ProtoMessage().bytes(1, "com.microsoft").integer(2, 1);
  return test::onnxModel(graph, opset) + ProtoMessage().message(8, microsoft).text();
}

}  // namespace

QUANTSCOPE_FUZZ_TARGET(one_operator) {
  test::exerciseModel(chosenModel(Choices(bytes)));
}
