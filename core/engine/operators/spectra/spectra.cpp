#include "engine/operators/spectra/spectra.h"

namespace quantscope {

void registerSpectra(OperatorRegistry& registry) {
  registerWindowFunctions(registry);
  registerFourierTransforms(registry);
  registerMelWeights(registry);
}

}  // namespace quantscope
