#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "compare/comparison.h"

namespace quantscope {

/// The layers of two compared models as rows: matched ones first, in execution order, then values
/// of either model without a twin.
class PairsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    kFirst,
    kSecond,
    kValue,
    kSqnr,
    kOwnSqnr,
    kExcess,
    kFindings,
    kHow,
    kConfidence,
    kFirstRange,
    kSecondRange,
    kWeights,
    kOutput,
    kColumns
  };

  using QAbstractTableModel::QAbstractTableModel;

  void setComparison(const ModelComparison& comparison);
  /// The pair of a row, an index into ModelComparison::layers; −1 for a value without a twin.
  int pairOf(int row) const;
  /// The values of a row; one of them is empty where it has no twin.
  QString firstValue(int row) const;
  QString secondValue(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant exact(const ComparedLayer& layer, int column) const;
  QVariant words(int row, int column) const;

  ModelComparison m_comparison;
  std::vector<QString> m_reasons;  // by layer; empty where it is no suspect
};

}  // namespace quantscope
