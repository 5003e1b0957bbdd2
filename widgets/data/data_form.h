#pragma once

#include <QWidget>

#include "widgets/data/data_reader.h"

class QComboBox;
class QLabel;
class QSpinBox;
class QLineEdit;
class QToolButton;
class QVBoxLayout;

namespace quantscope {

class DataSourceField;
class PreprocessingForm;

/// The choices of a request's samples: what to run, what to calibrate with, labels, how many, and
/// how images become inputs.
class DataForm : public QWidget {
  Q_OBJECT

 public:
  /// Starts with what `start` says.
  DataForm(const Graph& graph, const AnalysisRequest& start, QWidget* parent = nullptr);

  /// `start` with the choices; preprocessing is in it whether or not images are chosen.
  AnalysisRequest request() const;
  /// Why request() cannot be checked yet, as a sentence; empty where it can.
  QString problem() const;

  void setRecentData(const QStringList& sources);
  /// Takes a dropped file or folder for the field that fits it.
  void take(const QString& path);
  /// Shows the parts that such data needs.
  void showReport(const DataReport& report);

 Q_SIGNALS:
  void changed();

 private:
  void addSamples(QVBoxLayout& layout);
  void addCalibration(QVBoxLayout& layout);
  void addPreprocessing(QVBoxLayout& layout, const Graph& graph);
  void addAdvanced(QVBoxLayout& layout);
  void fill(const AnalysisRequest& start);
  void sourceEdited();
  void countEdited(int count);
  void followLabels();
  bool synthetic() const;
  bool ownCalibration() const;

  AnalysisRequest m_start;
  DataSourceField* m_data;
  QLabel* m_synthetic;
  QSpinBox* m_count;
  int m_limit = 0;  ///< 0 = all
  DataSourceField* m_labels;
  QString m_foundLabels;  ///< beside the samples
  QComboBox* m_calibrationChoice;
  DataSourceField* m_calibration;
  QWidget* m_preprocessingPart;
  PreprocessingForm* m_preprocessing;
  QToolButton* m_advanced;
  QLineEdit* m_seed;
  QSpinBox* m_batch;
};

}  // namespace quantscope
