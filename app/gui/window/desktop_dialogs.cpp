#include <QApplication>
#include <QDesktopServices>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QUrl>

#include "app/gui/files/data_of_model.h"
#include "dialogs.h"
#include "widgets/data/data_dialog.h"
#include "widgets/look/icons.h"

namespace quantscope {
namespace {

class DesktopDialogs : public Dialogs {
 public:
  QString chooseModel(QWidget* parent, const QString& folder) override {
    return QFileDialog::getOpenFileName(
        parent, QObject::tr("Open Model or Project"), folder,
        QObject::tr("Models and projects (*.onnx *.quantscope);;All files (*)"));
  }

  QString chooseProject(QWidget* parent, const QString& proposed) override {
    QFileDialog dialog(parent, QObject::tr("Save Project As"), proposed,
                       QObject::tr("Projects (*.quantscope)"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QStringLiteral("quantscope"));
    return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().constFirst() : QString();
  }

  QString chooseReplacement(QWidget* parent, FileRole role, const QString& gone) override {
    const QString title = QObject::tr("Where Is %1 Now?").arg(QFileInfo(gone).fileName());
    const bool images = role != FileRole::Model && QFileInfo(gone).suffix().isEmpty();
    return images ? QFileDialog::getExistingDirectory(parent, title, gone)
                  : QFileDialog::getOpenFileName(parent, title, gone);
  }

  QString chooseTwin(QWidget* parent, const QString& folder, TwinKind kind) override {
    return kind == TwinKind::Dumps
               ? QFileDialog::getExistingDirectory(parent, QObject::tr("Compare with Dumps"),
                                                   folder)
               : QFileDialog::getOpenFileName(parent, QObject::tr("Compare with Model"), folder,
                                              QObject::tr("Models (*.onnx);;All files (*)"));
  }

  QString chooseImport(QWidget* parent, const QString& folder) override {
    return QFileDialog::getOpenFileName(
        parent, QObject::tr("Import"), folder,
        QObject::tr("Encodings, caches, quantized models and configurations (*.encodings *.cache "
                    "*.onnx *.json);;All files (*)"));
  }

  QString chooseCosts(QWidget* parent, const QString& folder) override {
    return QFileDialog::getOpenFileName(parent, QObject::tr("Times of Layers"), folder,
                                        QObject::tr("Cost tables (*.json);;All files (*)"));
  }

  QString chooseComparison(QWidget* parent, const QString& proposed) override {
    return QFileDialog::getSaveFileName(parent, QObject::tr("Save Comparison"), proposed,
                                        QObject::tr("Comparisons (*.json)"));
  }

  // A dialog for folders cannot name one that is not there yet: the folder around the proposed one
  // stands for that.
  QString chooseRepaired(QWidget* parent, const QString& proposed) override {
    const QFileInfo folder(proposed);
    const QString chosen = QFileDialog::getExistingDirectory(
        parent, QObject::tr("Folder for the Repaired Model"), folder.path());
    return !chosen.isEmpty() && QDir(chosen) == folder.dir() ? proposed : chosen;
  }

  QString chooseName(QWidget* parent, const QString& name) override {
    return QInputDialog::getText(parent, QObject::tr("Rename"),
                                 QObject::tr("New name of %1:").arg(name), QLineEdit::Normal, name);
  }

  bool mayLose(QWidget* parent, const QString& question, const QString& consent) override {
    QMessageBox box(QMessageBox::Warning, QApplication::applicationDisplayName(), question,
                    QMessageBox::Cancel, parent);
    const QPushButton* yes = box.addButton(consent, QMessageBox::DestructiveRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == yes;
  }

  std::optional<AnalysisRequest> chooseData(QWidget* parent, const LoadedModel& model,
                                            const AnalysisRequest& start) override {
    DataDialog dialog(model, start, parent);
    dialog.setRecentData(recentData());
    if (dialog.exec() != QDialog::Accepted) return std::nullopt;
    return dialog.request();
  }

  void showAbout(QWidget* parent) override {
    QMessageBox box(parent);
    box.setWindowTitle(QObject::tr("About Quantscope"));
    box.setIconPixmap(programIcon().pixmap(QSize(64, 64), box.devicePixelRatioF()));
    box.setText(QStringLiteral("<h3>Quantscope %1</h3>").arg(QApplication::applicationVersion()));
    box.setInformativeText(
        QObject::tr("Shows where quantization hurts a neural network, and why.\n\n"
                    "Free software under the GNU General Public License, version 3 or later. "
                    "It comes without any warranty.\n\nBuilt with Qt %1.")
            .arg(QString::fromLatin1(qVersion())));
    box.exec();
  }

  void openFolder(const QString& folder) override {
    QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
  }
};

}  // namespace

std::shared_ptr<Dialogs> desktopDialogs() {
  return std::make_shared<DesktopDialogs>();
}

}  // namespace quantscope
