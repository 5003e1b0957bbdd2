#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <cstddef>
#include <string>
#include <vector>

#include "base/ids.h"

namespace quantscope {

/// One box of the drawn graph, in scene pixels.
struct DrawnBox {
  enum class Kind {
    Layer,      ///< an operator or fused pattern
    DataMover,  ///< a small pill
    Input,      ///< of the model
    Output,
    Constant,  ///< only where they are asked for
    Scope,     ///< a collapsed scope, or one numbered part of it
    Body,      ///< a closed sub-graph of If, Loop or Scan
  };

  Kind kind = Kind::Layer;
  QRectF rect;
  QString title;     ///< operators: "Conv + BN + ReLU"; of Scope "features / 0 (1 of 3)"; of
                     ///< Constant "weight 32 × 3 × 3 × 3" or its number
  QString subtitle;  ///< name without what frames say; counts of a card: "12 layers"; shape of a
                     ///< value; name of a constant
  std::vector<std::size_t> layers;  ///< what it stands for, in execution order: indices of
                                    ///< AnalysisResult::layers; empty for values
  ValueId value;                    ///< of Input, Output, Constant
  std::string scope;                ///< of Scope: its full name; of others: the scope they stand in
  int part = 0;                     ///< of Scope: 1, 2, … where it is split, else 0
  NodeId owner;                     ///< of Body: the control-flow node
};

/// A connection, drawn as a smooth curve through its points.
struct DrawnEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  std::vector<ValueId> values;  ///< values that flow along it
  /// From the border of the source to the target's, ≥ 2; along the flow, except for constants.
  std::vector<QPointF> points;
};

/// The outline of an expanded scope or an opened body, around its boxes.
struct DrawnFrame {
  QRectF rect;
  QString title;
  std::string scope;  ///< the innermost one that it stands for; empty for a body
  NodeId owner;       ///< of a body
  int depth = 0;      ///< 0 = outermost
};

/// The graph to paint: pure data, made in the background, never changed.
struct GraphDrawing {
  std::vector<DrawnBox> boxes;
  std::vector<DrawnEdge> edges;
  std::vector<DrawnFrame> frames;  ///< outer ones first
  QRectF bounds;
};

}  // namespace quantscope
