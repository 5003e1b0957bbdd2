#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "widgets/tables/layer_columns.h"

namespace quantscope {

/// Which layers to show, as typed by the user: words that must all occur in the name, the
/// operators or the precision types, and comparisons such as "sqnr<20" or "params>=1000". A layer
/// without the figure that is compared is left out.
class LayerFilter {
 public:
  LayerFilter() = default;
  /// A metric without "local." or "accumulated." before it is that of `kind`.
  LayerFilter(const QString& text, ErrorKind kind);

  bool accepts(const LayerResult& layer, std::size_t position) const;
  bool acceptsAll() const { return m_words.isEmpty() && m_comparisons.empty(); }
  /// What could not be understood, as a sentence; empty where all is well.
  const QString& problem() const { return m_problem; }

  /// A few lines for the tooltip of a filter field.
  static QString help();

 private:
  struct Comparison {
    const LayerColumn* column;
    QString operation;
    double number;
    bool holds(double value) const;
  };
  void addTerm(const QString& term, ErrorKind kind);

  QStringList m_words;
  std::vector<Comparison> m_comparisons;
  QString m_problem;
};

}  // namespace quantscope
