#pragma once

#include <QWidget>

#include "widgets/data/data_reader.h"

class QGridLayout;

namespace quantscope {

/// The model's inputs against the contents of the data: a row per input with a mark and, if the
/// data do not fit, the sentence and the remedy.
class DataInputs : public QWidget {
  Q_OBJECT

 public:
  explicit DataInputs(QWidget* parent = nullptr);

  /// Nothing is known of the data yet.
  void showWanted(const Graph& graph);
  void showReport(const DataReport& report);

 private:
  void clear();
  void place(QWidget* widget, int row, int column, int columns = 1);
  void addRow(const InputCheck& check, const std::string& source);

  QGridLayout* m_grid;
  int m_rows = 0;
};

/// "What happened (where). What to do." The place is named if it is a file other than `data`, like
/// one image of a folder.
QString sentences(const Error& error, const std::string& data);

}  // namespace quantscope
