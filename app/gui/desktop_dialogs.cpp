#include <QApplication>
#include <QDesktopServices>
#include <QFileDialog>
#include <QMessageBox>
#include <QUrl>

#include "dialogs.h"
#include "widgets/look/icons.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

class DesktopDialogs : public Dialogs {
 public:
  QString chooseModel(QWidget* parent, const QString& folder) override {
    return QFileDialog::getOpenFileName(parent, QObject::tr("Open Model"), folder,
                                        QObject::tr("ONNX models (*.onnx);;All files (*)"));
  }

  std::optional<AnalysisRequest> chooseData(QWidget* parent, const LoadedModel& model,
                                            const AnalysisRequest& start) override {
    const QString folder =
        text(start.data.empty() ? model.file.parent_path().string() : start.data);
    const QString data =
        QFileDialog::getOpenFileName(parent, QObject::tr("Choose Data"), folder,
                                     QObject::tr("Samples (*.npz *.npy);;All files (*)"));
    if (data.isEmpty()) return std::nullopt;
    AnalysisRequest request = start;
    request.data = data.toStdString();
    request.calibration.clear();
    request.labels.clear();
    return request;
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
