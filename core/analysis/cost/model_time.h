#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/cost/cost_table.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The type that a layer computes in: that of its weights, integers by the signed one, or without
/// weights of its activations; float32 where its activations stay float.
QuantType computedType(const LayerQuantization& layer);

/// Microseconds for one layer in a type: a layer or type that the table lacks takes nothing, or as
/// long as in float32.
double layerTime(const CostTable& table, const std::string& node, QuantType type);
/// Microseconds to convert a value to another type: codes are dequantized first, then quantized.
double conversionTime(const CostTable& table, const std::string& value, QuantType from,
                      QuantType to);

/// Microseconds for one sample: all layers in their types and, wherever a value is read in another
/// type than it is made in, a conversion, one for all readers of a type. The network's inputs and
/// outputs are float32; data movers keep the type of their input.
double modelTime(const CostTable& table, const Graph& graph, const QuantizedModel& model);
/// The same with every layer in float32.
double floatTime(const CostTable& table, const Graph& graph, const QuantizedModel& model);

/// The same with each layer in a type of its own, by QuantizedModel::layers; data movers keep the
/// type of their input here, too.
double timeInTypes(const CostTable& table, const Graph& graph, const QuantizedModel& model,
                   std::span<const QuantType> types);

/// Throws InvalidConfiguration where the table lacks a layer, which it names, or where no layer
/// takes any time in float32, so that nothing can be faster.
void requireAllLayers(const CostTable& table, const Graph& graph, const QuantizedModel& model,
                      const std::string& source);

/// Sentences on how many of the table's times for these layers, by their nodes, and types are
/// estimates, and on types that it has no times of; empty where all are measured.
std::vector<std::string> timeNotices(const CostTable& table,
                                     const std::set<std::pair<std::string, QuantType>>& used);

/// Sentences on entries of the table that name nothing in the model, on conversions that it lacks
/// altogether, and on a backend that it is for where that is not `backend`.
std::vector<std::string> costNotices(const CostTable& table, const Graph& graph,
                                     const std::string& backend);

}  // namespace quantscope
