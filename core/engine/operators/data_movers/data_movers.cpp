#include "engine/operators/data_movers/data_movers.h"

namespace quantscope {

void registerDataMovers(OperatorRegistry& registry) {
  registerReshaping(registry);
  registerTranspose(registry);
  registerConcatAndSplit(registry);
  registerSlice(registry);
  registerPad(registry);
  registerRepetition(registry);
  registerDepthAndSpace(registry);
  registerReverseSequence(registry);
  registerTriangles(registry);
  registerCompress(registry);
}

}  // namespace quantscope
