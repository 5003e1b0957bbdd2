#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "widgets/data/preprocessing_presets.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace quantscope {

/// How pictures become inputs, to fill in: presets, every key of the JSON, loading and saving it.
class PreprocessingForm : public QWidget {
  Q_OBJECT

 public:
  /// Starts with the first preset.
  explicit PreprocessingForm(std::vector<PreprocessingPreset> presets, QWidget* parent = nullptr);

  /// nullopt while a field holds no number; problem() says which.
  std::optional<Preprocessing> preprocessing() const;
  QString problem() const;
  void setPreprocessing(const Preprocessing& preprocessing);

  /// Loads and saves the chosen file for the buttons; its errors are shown in the form.
  void load(const QString& file);
  void save(const QString& file);

 Q_SIGNALS:
  void changed();

 private:
  struct SizeFields {
    QCheckBox* given;
    QSpinBox* height;
    QSpinBox* width;
  };
  QWidget* makePresets();
  QWidget* makeButtons();
  QWidget* makeSize(SizeFields& fields, const QString& name, const QString& explanation);
  QLineEdit* makeNumbers(const QString& name, const QString& explanation);
  QComboBox* makeChoice(const QString& name, const QStringList& choices,
                        const QString& explanation);
  void edited();
  void showProblem(const QString& problem);
  void showPreset();

  std::vector<PreprocessingPreset> m_presets;
  QComboBox* m_preset;
  QLabel* m_explanation;
  SizeFields m_size;
  QComboBox* m_resize;
  SizeFields m_crop;
  QComboBox* m_color;
  QLineEdit* m_scale;
  QLineEdit* m_mean;
  QLineEdit* m_std;
  QComboBox* m_layout;
  QLabel* m_problem;
  bool m_filling = false;
};

}  // namespace quantscope
