#include "onnx/upgrade/replace_experimental.h"

#include <algorithm>
#include <limits>

namespace quantscope {
namespace {

using Integers = std::vector<std::int64_t>;

// y = factor · x + summand
void scaleAndAdd(NodeUpgrade& upgrade, float factor, Tensor summand) {
  const ElementType element = upgrade.element(0);
  upgrade.setInput(1, fromFloat32(Tensor::scalar(factor), element), "factor");
  upgrade.setOperator("Mul");
  upgrade.splitOff("Add", 7, fromFloat32(summand, element), "summand");
}

void affine(NodeUpgrade& upgrade) {
  const float alpha = upgrade.takeAs<float>("alpha").value_or(1.0F);
  scaleAndAdd(upgrade, alpha, Tensor::scalar(upgrade.takeAs<float>("beta").value_or(0.0F)));
}

void imageScaler(NodeUpgrade& upgrade) {
  const float scale = upgrade.takeAs<float>("scale").value_or(1.0F);
  const auto bias = upgrade.takeAs<std::vector<float>>("bias").value_or(std::vector<float>{0});
  const Shape shape{static_cast<std::int64_t>(bias.size()), 1, 1};
  scaleAndAdd(upgrade, scale, Tensor::of(shape, std::span<const float>(bias)));
}

void crop(NodeUpgrade& upgrade) {
  // Left, top, right, bottom; height and width.
  const auto border = upgrade.takeAs<Integers>("border").value_or(Integers{0, 0, 0, 0});
  const auto extent = upgrade.takeAs<Integers>("scale").value_or(Integers());
  constexpr std::int64_t kToTheEnd = std::numeric_limits<std::int32_t>::max();
  const auto isExtent = [](std::int64_t number) { return number >= 0 && number <= kToTheEnd; };
  if (border.size() != 4 || (!extent.empty() && extent.size() != 2) ||
      !std::ranges::all_of(border, isExtent) || !std::ranges::all_of(extent, isExtent)) {
    upgrade.refuse(kNoExperiments, "it has neither 4 borders nor 2 extents");
  }
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
