#pragma once

#include <QString>
#include <QVariant>
#include <functional>
#include <optional>
#include <span>

#include "precision/config/precision_words.h"
#include "widgets/view/display_options.h"

namespace quantscope {

/// One column of the table of layers: its title, its definition and its source.
struct LayerColumn {
  enum class Kind {
    Position,  ///< in execution order, from 1
    Name,      ///< the layer's full name
    Text,      ///< QString
    Count,     ///< qlonglong
    Number,    ///< double
    Error,     ///< double: `metric` of the error `error`
  };

  Kind kind = Kind::Text;
  QString group;  ///< heading over neighbouring columns; may be empty
  QString title;
  QString unit;                      ///< "" = none
  QString definition;                ///< one sentence
  QString groupDefinition;           ///< likewise; may be empty
  QString filterName;                ///< "clipped" as in "clipped>1"; "" = cannot be filtered by
  bool editable = false;             ///< a click opens what it can be set to
  std::optional<TensorRole> tensor;  ///< whose precision that is; none: the layer's as a whole
  bool common = false;               ///< shown until the user chooses otherwise
  int width = 84;                    ///< in logical pixels, until the user chooses otherwise
  Qt::SortOrder firstOrder = Qt::AscendingOrder;  ///< brings up what is most interesting
  /// Raw value of layer number `position`; invalid where there is none.
  std::function<QVariant(const LayerResult& layer, std::size_t position)> value;
  const MetricDescription* metric = nullptr;
  ErrorKind error = ErrorKind::Local;

  /// "Local error: SQNR (dB)", as in a file's header.
  QString heading() const;
  bool isNumber() const { return kind != Kind::Name && kind != Kind::Text; }
  /// The value as a number; none where it is text or absent.
  std::optional<double> number(const LayerResult& layer, std::size_t position) const;
};

/// All columns, in the order that they first come in.
std::span<const LayerColumn> layerColumns();

/// "sqnr", "rmse/scale": a metric's title as it is typed into a filter.
QString filterName(const MetricDescription& metric);

}  // namespace quantscope
