#pragma once

#include <QDialog>
#include <QStringList>
#include <QTimer>

#include "jobs/load_model.h"
#include "widgets/data/data_reader.h"

class QLabel;
class QPushButton;
class QScrollArea;

namespace quantscope {

class DataForm;
class DataInputs;
class DataPreview;

/// Asks for the samples of a model: every source that the command line knows, checked against the
/// model's inputs in the background and shown before anything runs.
class DataDialog : public QDialog {
  Q_OBJECT

 public:
  /// Starts with the data of `start`, which may be none. `open` is how data is opened.
  DataDialog(const LoadedModel& model, const AnalysisRequest& start, QWidget* parent = nullptr,
             SampleOpener open = openSamples);

  /// `start` with the data that was chosen.
  AnalysisRequest request() const;

  /// Sources to choose from, as AnalysisRequest::data names them, the newest first.
  void setRecentData(const QStringList& sources);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makeLeft();
  QWidget* makeRight();
  QWidget* makeBottom();
  void edited();
  void check();
  void showReport(const DataReport& report);
  void showThumbnail(const SamplePreview& preview);
  void showStatus();
  void fitInputs();

  LoadedModel m_model;
  DataReader m_reader;
  QTimer m_pause;
  AnalysisRequest m_checked;
  DataReport m_report;
  QString m_sampleError;   ///< of the first samples; empty = none
  bool m_current = false;  ///< m_report is about what the form says
  DataForm* m_form;
  DataInputs* m_inputs;
  QScrollArea* m_inputsArea = nullptr;
  QLabel* m_mark;
  QLabel* m_status;
  DataPreview* m_preview;
  QPushButton* m_accept = nullptr;
};

}  // namespace quantscope
