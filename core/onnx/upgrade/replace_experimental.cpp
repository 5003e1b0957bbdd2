#include "onnx/upgrade/replace_experimental.h"

#include <limits>

namespace quantscope {
namespace {

std::vector<std::int64_t> takeIntegers(NodeUpgrade& upgrade, std::string_view attribute,
                                       std::vector<std::int64_t> fallback) {
  const auto data = upgrade.take(attribute);
  return data ? std::get<std::vector<std::int64_t>>(*data) : std::move(fallback);
}

float takeReal(NodeUpgrade& upgrade, std::string_view attribute, float fallback) {
  const auto data = upgrade.take(attribute);
  return data ? std::get<float>(*data) : fallback;
}

// y = factor · x + summand
void scaleAndAdd(NodeUpgrade& upgrade, float factor, Tensor summand) {
  const ElementType element = upgrade.element(0);
  upgrade.setInput(1, fromFloat32(Tensor::scalar(factor), element), "factor");
  upgrade.setOperator("Mul");
  upgrade.splitOff("Add", 7, fromFloat32(summand, element), "summand");
}

void affine(NodeUpgrade& upgrade) {
  const float alpha = takeReal(upgrade, "alpha", 1);
  scaleAndAdd(upgrade, alpha, Tensor::scalar(takeReal(upgrade, "beta", 0)));
}

void imageScaler(NodeUpgrade& upgrade) {
  const float scale = takeReal(upgrade, "scale", 1);
  const auto data = upgrade.take("bias");
  const std::vector<float> bias =
      data ? std::get<std::vector<float>>(*data) : std::vector<float>{0};
  const Shape shape{static_cast<std::int64_t>(bias.size()), 1, 1};
  scaleAndAdd(upgrade, scale, Tensor::of(shape, std::span<const float>(bias)));
}

void crop(NodeUpgrade& upgrade) {
  // Left, top, right, bottom; height and width.
  const auto border = takeIntegers(upgrade, "border", {0, 0, 0, 0});
  const auto extent = takeIntegers(upgrade, "scale", {});
  if (border.size() != 4 || (!extent.empty() && extent.size() != 2)) {
    upgrade.refuse(kNoExperiments, "it has neither 4 borders nor 2 extents");
  }
  constexpr std::int64_t kToTheEnd = std::numeric_limits<std::int32_t>::max();
  const auto end = [&](std::size_t axis) {
    if (!extent.empty()) return border[1 - axis] + extent[axis];
    return border[3 - axis] == 0 ? kToTheEnd : -border[3 - axis];
  };
  upgrade.setOperator("Slice");
  upgrade.setInput(1, Tensor::of<std::int64_t>(Shape{2}, {border[1], border[0]}), "starts");
  upgrade.setInput(2, Tensor::of<std::int64_t>(Shape{2}, {end(0), end(1)}), "ends");
  upgrade.setInput(3, Tensor::of<std::int64_t>(Shape{2}, {2, 3}), "axes");
}

}  // namespace

bool replaceExperimental(NodeUpgrade& upgrade) {
  const std::string& op = upgrade.node().op;
  if (op == "Affine") {
    affine(upgrade);
  } else if (op == "ImageScaler") {
    imageScaler(upgrade);
  } else if (op == "Crop") {
    crop(upgrade);
    upgrade.setVersion(10);
    return true;
  } else {
    return false;
  }
  upgrade.setVersion(7);
  return true;
}

}  // namespace quantscope
