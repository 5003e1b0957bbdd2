#include "analysis/cost/model_cost.h"

#include "analysis/cost/weight_cost.h"

namespace quantscope {

ModelCost modelCost(const Engine& engine, const QuantizedModel& model,
                    const Observations& observations) {
  ModelCost cost;
  const double macs = observations.productsPerSample();
  if (macs > 0) cost.macs = macs;
  const WeightCost weights = allWeightsCost(engine, model);
  if (weights.elements > 0) cost.meanBits = weights.meanBits();
  return cost;
}

}  // namespace quantscope
