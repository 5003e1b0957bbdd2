#include "engine/operator_registry.h"

#include "engine/operators/convolutions/special_convolutions.h"
#include "engine/operators/indexing/n_grams.h"
#include "engine/operators/quantized/microsoft_quantized.h"
#include "engine/operators/reductions/losses.h"
#include "engine/operators/resampling/regions.h"
#include "engine/operators/spectra/spectra.h"

namespace quantscope {

void OperatorRegistry::add(std::string_view op, std::initializer_list<int> versions,
                           KernelFactory factory, std::string_view domain) {
  auto& byVersion = m_factories[{std::string(domain), std::string(op)}];
  for (const int version : versions) byVersion[version] = factory;
}

KernelFactory OperatorRegistry::find(const Node& node) const {
  const auto versions = m_factories.find({node.domain, node.op});
  if (versions == m_factories.end()) return nullptr;
  const auto factory = versions->second.find(node.version);
  return factory == versions->second.end() ? nullptr : factory->second;
}

bool OperatorRegistry::knows(std::string_view op, std::string_view domain) const {
  return m_factories.contains({std::string(domain), std::string(op)});
}

const OperatorRegistry& operatorRegistry() {
  static const OperatorRegistry registry = [] {
    OperatorRegistry all;
    registerElementwise(all);
    registerReductions(all);
    registerDataMovers(all);
    registerIndexing(all);
    registerShapes(all);
    registerConvolutions(all);
    registerMatrixProducts(all);
    registerPooling(all);
    registerNormalization(all);
    registerRecurrence(all);
    registerResampling(all);
    registerQuantized(all);
    registerSpectra(all);
    registerRegions(all);
    registerLosses(all);
    registerDeformableConvolution(all);
    registerColumnsToImage(all);
    registerNGrams(all);
    registerMicrosoftQuantized(all);
    return all;
  }();
  return registry;
}

}  // namespace quantscope
