#include "engine/operators/spectra.h"

namespace quantscope {

void registerSpectra(OperatorRegistry& registry) {
  registerWindowFunctions(registry);
  registerFourierTransforms(registry);
  registerMelWeights(registry);
}

}  // namespace quantscope
