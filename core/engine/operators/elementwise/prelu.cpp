#include "engine/operators/elementwise/binary_loops.h"
#include "engine/operators/elementwise/elementwise.h"

namespace quantscope {
namespace {

struct SlopedRelu {
  template <class T>
  T operator()(T x, T slope) const {
    if constexpr (std::is_integral_v<T>) {
      using Wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
      return x < 0 ? static_cast<T>(static_cast<Wide>(x) * static_cast<Wide>(slope)) : x;
    } else {
      return x < 0 ? slope * x : x;
    }
  }
};

// Before version 7 a slope of one axis is per channel; from then on it is broadcast to x.
void alignLegacySlope(const Tensor& x, Tensor& slope) {
  if (slope.elementCount() == 1 || slope.shape().rank() != 1 || x.shape().rank() < 3) return;
  Shape perChannel = slope.shape();
  while (perChannel.rank() + 1 < x.shape().rank()) perChannel.append(1);
  slope = slope.reshaped(perChannel);
}

std::unique_ptr<Kernel> prelu(const Node& node, const Graph& /*graph*/) {
  const bool legacy = node.version < 7;
  return makeElementwiseKernel(
      [legacy](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        Tensor& slope = requiredInput(inputs, 1);
        if (legacy) alignLegacySlope(x, slope);
        visitTypes(NumberTypes{}, x.type(), [&]<class T>() {
          setOutput(outputs, 0, binaryBroadcast<T, T>(inputs.first(2), SlopedRelu{}));
        });
      },
      [legacy](ElementChain& chain, std::span<Tensor> inputs, std::size_t chained) {
        if (chained != 0) return false;
        Tensor slope = requiredInput(inputs, 1);
        if (legacy) alignLegacySlope(chain.carrier(), slope);
        return chain.append(BinaryElement::Slope, slope);
      });
}

}  // namespace

void registerPRelu(OperatorRegistry& registry) {
  registry.add("PRelu", {1, 6, 7, 9, 16}, prelu);
}

}  // namespace quantscope
