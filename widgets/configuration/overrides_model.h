#pragma once

#include <QAbstractTableModel>
#include <functional>
#include <string>
#include <vector>

#include "jobs/analysis/config_gains.h"
#include "precision/edits/edit_precision.h"

namespace quantscope {

/// The rules of a configuration, the entries of single layers and the layers that are equalized,
/// with the gain of each.
class OverridesModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kName, kPrecision, kGain, kRemove, kColumns };
  /// The raw value: the number in dB of kGain, the whole name of kName.
  static constexpr int kRawRole = Qt::UserRole + 1;

  using QAbstractTableModel::QAbstractTableModel;

  /// The node that an entry of a node goes along with; empty where it has a row of its own.
  using Followed = std::function<std::string(const std::string& node)>;

  /// Without `followed` each entry has a row.
  void setConfig(const PrecisionConfig& config, const Followed& followed = {},
                 const Repairs& repairs = {});
  /// By row: the network's gain without this entry.
  void setLosses(const ConfigGains& losses);
  /// The edit that removes a row's entry.
  ConfigEdit removal(int row) const;
  /// Whose precision a row is.
  PrecisionTarget target(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    ConfigStep::Entry place = ConfigStep::Entry::Node;
    std::string name;
    NodePrecision precision;
    std::vector<std::string> fused = {};  // nodes whose entries go along with it

    friend bool operator==(const Row&, const Row&) = default;
  };

  static QString namesOf(const Row& row);
  QVariant precisionOf(const Row& row, int role) const;
  QString gainText(std::size_t row) const;

  NodePrecision m_defaults;
  std::vector<Row> m_rows;
  ConfigGains m_losses;
};

}  // namespace quantscope
