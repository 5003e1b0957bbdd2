#pragma once

#include <optional>
#include <vector>

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "compare/compared_model.h"
#include "compare/matching/axis_order.h"

namespace quantscope {

/// Elements of a value with its axes in another order: those at places that do not depend on the
/// order in which the model has them.
struct ArrangedPrint {
  AxisIndexes axes;  ///< one of ascendingOrders(); of the shape without axes of extent 1
  std::vector<float> elements;
};

/// Elements of a value over some samples, always those at the same places.
struct ValuePrint {
  Shape shape;  ///< of the first feed
  std::size_t elementCount = 0;
  std::vector<float> elements;  ///< empty where the value was not computed
  /// Where more than one axis is longer than 1.
  std::vector<ArrangedPrint> arranged;
  double power = 0;  ///< Σx² of all elements
};

/// Runs a model on feeds of its own inputs and takes the print of every compared value.
/// Throws Cancelled.
std::vector<ValuePrint> takePrints(const ComparedModel& model, const std::vector<Feed>& feeds,
                                   const JobContext& job);

/// How alike two prints are, 0 … 1: the mean of their correlation (0 where negative) and of
/// 1 − Σ(x−y)² / max(Σx², Σy²). None where they cannot be compared: other numbers of elements, or
/// nothing computed.
std::optional<double> likeness(const ValuePrint& a, const ValuePrint& b);

/// The same with the axes in another order where that one is clearly more alike: slightly less than
/// its likeness.
std::optional<double> likenessInAnyOrder(const ValuePrint& a, const ValuePrint& b);

/// True where elements show that axes are in another order, of likeness `other`, than in one of
/// likeness `kept`. Where something speaks for that one, such as equal shapes, elements have to
/// differ by no more than rounding in the other: images have much in common with their mirrors.
bool isClearlyMoreAlike(double other, double kept, bool keptHasReason);

/// True where the shapes have the same extents in some order, but for those of 1.
bool haveSameExtents(const ValuePrint& a, const ValuePrint& b);

/// A way in which the axes of one value can be those of another, as in AxisOrder.
struct OrderLikeness {
  AxisIndexes order;
  double likeness = 0;  ///< 0 where all elements are equal, as they are in every order then
};

/// Every order that the shapes allow; none where they are not the same extents in some order.
std::vector<OrderLikeness> ordersBetween(const ValuePrint& a, const ValuePrint& b);

/// The likeness of the elements as they lie, beside those of orders: 0 where they cannot be
/// compared or show no order.
double likenessAsTheyLie(const ValuePrint& a, const ValuePrint& b);

}  // namespace quantscope
