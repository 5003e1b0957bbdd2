#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/convolutions/special_convolutions.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"
#include "engine/operators/window_walker.h"

namespace quantscope {
namespace {

// columns [N, C, taps, positions] → image [N, C, spatial]
template <class T>
void addColumns(const Tensor& columns, const Window& window, Tensor& image) {
  const auto positions = static_cast<std::size_t>(window.positions());
  const auto taps = static_cast<std::size_t>(window.taps());
  const Shape& shape = image.shape();
  const auto planes = static_cast<std::size_t>(shape[0] * shape[1]);
  const auto spatial = static_cast<std::size_t>(shape.elementCount(2, shape.rank()));
  const T* from = columns.values<T>().data();
  T* to = image.mutableValues<T>().data();
  WindowWalker walker(window);
  for (std::size_t position = 0; position < positions; ++position) {
    for (const WindowWalker::Tap& tap : walker.at(static_cast<std::int64_t>(position))) {
      for (std::size_t plane = 0; plane < planes; ++plane) {
        const std::size_t row = plane * taps + static_cast<std::size_t>(tap.tap);
        T& place = to[plane * spatial + static_cast<std::size_t>(tap.source)];
        place = static_cast<T>(place + from[row * positions + position]);
      }
    }
  }
}

Tensor columnsToImage(const WindowAttributes& attributes, const Tensor& columns,
                      const std::vector<std::int64_t>& extents,
                      const std::vector<std::int64_t>& block) {
  const Shape blockShape{std::span<const std::int64_t>(block)};
  const std::int64_t taps = blockShape.elementCount();
  const Shape& shape = columns.shape();
  if (shape.rank() != 3 || taps <= 0 || shape[1] % taps != 0) {
    throw Error(ErrorCode::InvalidParameters, "columns of shape " + toString(shape) +
                                                  " do not fit blocks of shape " +
                                                  toString(blockShape));
  }
  Shape imageShape{shape[0], shape[1] / taps};
  for (const std::int64_t extent : extents) imageShape.append(extent);
  const Window window = attributes.resolve(imageShape, block);
  if (window.positions() != shape[2]) {
    throw Error(ErrorCode::InvalidParameters,
                std::to_string(shape[2]) + " columns do not fit the " +
                    std::to_string(window.positions()) + " positions of the block in the image");
  }
  Tensor image = Tensor::zeros(columns.type(), imageShape);
  visitTypes(NumberTypes{}, columns.type(),
             [&]<class T>() { addColumns<T>(columns, window, image); });
  return image;
}

std::unique_ptr<Kernel> columnsToImageKernel(const Node& node, const Graph& /*graph*/) {
  return makeKernel([attributes = WindowAttributes(node)](std::span<Tensor> inputs,
                                                          std::span<Tensor> outputs) {
    setOutput(
        outputs, 0,
        columnsToImage(attributes, requiredInput(inputs, 0), toIntegers(requiredInput(inputs, 1)),
                       toIntegers(requiredInput(inputs, 2))));
  });
}

}  // namespace

void registerColumnsToImage(OperatorRegistry& registry) {
  registry.add("Col2Im", {18}, columnsToImageKernel);
}

}  // namespace quantscope
