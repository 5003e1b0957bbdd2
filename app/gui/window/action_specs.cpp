#include <QCoreApplication>

#include "actions.h"

namespace quantscope {
namespace {

using In = MenuId;

constexpr ActionSpec kSpecs[] = {
    {ActionId::OpenModel, "file.open", In::File, 0, QT_TRANSLATE_NOOP("Actions", "&Open…"), "open",
     "Ctrl+O", QT_TRANSLATE_NOOP("Actions", "Opens an ONNX model or a project.")},
    {ActionId::SaveProject, "file.save", In::File, 1, QT_TRANSLATE_NOOP("Actions", "&Save Project"),
     "", "Ctrl+S",
     QT_TRANSLATE_NOOP("Actions",
                       "Gives the work a file, in which every change is written as it happens; "
                       "where it has one, waits until all is there.")},
    {ActionId::SaveProjectAs, "file.save-as", In::File, 1,
     QT_TRANSLATE_NOOP("Actions", "Save Project &As…"), "", "Ctrl+Shift+S",
     QT_TRANSLATE_NOOP("Actions", "Saves the work to another file, and goes on there.")},
    {ActionId::Export, "file.export", In::File, 1, QT_TRANSLATE_NOOP("Actions", "&Export…"),
     "export", "Ctrl+E",
     QT_TRANSLATE_NOOP("Actions",
                       "Writes the quantized model or its configuration for another tool, and says "
                       "what does not fit.")},
    {ActionId::Import, "file.import", In::File, 1, QT_TRANSLATE_NOOP("Actions", "&Import…"), "",
     "Ctrl+I",
     QT_TRANSLATE_NOOP("Actions",
                       "Takes over what another tool has made for this model: AIMET encodings, a "
                       "TensorRT cache, the types and scales of a quantized ONNX model, or a "
                       "configuration file.")},
    {ActionId::CompareWithModel, "file.compare-model", In::File, 1,
     QT_TRANSLATE_NOOP("Actions", "Compare with &Model…"), "compare", "Ctrl+M",
     QT_TRANSLATE_NOOP("Actions",
                       "Matches the model with another version of it, such as what a tool chain "
                       "has made of it, and names the layers that are wrong.")},
    {ActionId::CompareWithDumps, "file.compare-dumps", In::File, 1,
     QT_TRANSLATE_NOOP("Actions", "Compare with &Dumps…"), "", "",
     QT_TRANSLATE_NOOP("Actions",
                       "Compares what a device has computed with the simulation, and names the "
                       "first value that leaves it.")},
    {ActionId::NewWindow, "file.new-window", In::File, 2,
     QT_TRANSLATE_NOOP("Actions", "&New Window"), "new-window", "Ctrl+N",
     QT_TRANSLATE_NOOP("Actions", "Opens another window, for a second model beside this one.")},
    {ActionId::CloseModel, "file.close-model", In::File, 3,
     QT_TRANSLATE_NOOP("Actions", "&Close Model"), "", "Ctrl+Shift+W",
     QT_TRANSLATE_NOOP("Actions", "Closes the model and goes back to the start page.")},
    {ActionId::CloseWindow, "file.close-window", In::File, 3,
     QT_TRANSLATE_NOOP("Actions", "Close &Window"), "close", "Ctrl+W",
     QT_TRANSLATE_NOOP("Actions", "Closes this window.")},
    {ActionId::Quit, "file.quit", In::File, 3, QT_TRANSLATE_NOOP("Actions", "&Quit"), "quit",
     "Ctrl+Q", QT_TRANSLATE_NOOP("Actions", "Closes all windows.")},

    {ActionId::Undo, "edit.undo", In::Edit, 0, QT_TRANSLATE_NOOP("Actions", "&Undo"), "undo",
     "Ctrl+Z", QT_TRANSLATE_NOOP("Actions", "Takes the last change of the configuration back.")},
    {ActionId::Redo, "edit.redo", In::Edit, 0, QT_TRANSLATE_NOOP("Actions", "&Redo"), "redo",
     "Ctrl+Shift+Z; Ctrl+Y",
     QT_TRANSLATE_NOOP("Actions", "Makes the change again that was taken back.")},
    {ActionId::CopySummary, "edit.copy-summary", In::Edit, 1,
     QT_TRANSLATE_NOOP("Actions", "&Copy Summary"), "copy", "Ctrl+Shift+C",
     QT_TRANSLATE_NOOP("Actions", "Copies the figures of the whole model as text.")},
    {ActionId::Find, "edit.find", In::Edit, 1, QT_TRANSLATE_NOOP("Actions", "&Find…"), "search",
     "Ctrl+F",
     QT_TRANSLATE_NOOP("Actions",
                       "Searches layers by name, operator and scope, and findings by their "
                       "words; Enter goes on to the next one.")},
    {ActionId::SetType1, "edit.set-type-1", In::Edit, 2,
     QT_TRANSLATE_NOOP("Actions", "Set to INT&8"), "", "1",
     QT_TRANSLATE_NOOP("Actions", "Sets the selected layers to 8-bit integers.")},
    {ActionId::SetType2, "edit.set-type-2", In::Edit, 2,
     QT_TRANSLATE_NOOP("Actions", "Set to INT1&6"), "", "2",
     QT_TRANSLATE_NOOP("Actions", "Sets the selected layers to 16-bit integers.")},
    {ActionId::SetType3, "edit.set-type-3", In::Edit, 2,
     QT_TRANSLATE_NOOP("Actions", "Set to &FP16"), "", "3",
     QT_TRANSLATE_NOOP("Actions", "Sets the selected layers to half floats.")},
    {ActionId::SetType4, "edit.set-type-4", In::Edit, 2,
     QT_TRANSLATE_NOOP("Actions", "Set to FP&32"), "", "4",
     QT_TRANSLATE_NOOP("Actions", "Leaves the selected layers in float.")},
    {ActionId::ResetPrecision, "edit.reset-precision", In::Edit, 2,
     QT_TRANSLATE_NOOP("Actions", "R&eset Precision"), "", "0",
     QT_TRANSLATE_NOOP("Actions",
                       "Removes what is set for the selected layers alone, so that the rules and "
                       "the default hold.")},
    {ActionId::CopyPrecision, "edit.copy-precision", In::Edit, 2,
     QT_TRANSLATE_NOOP("Actions", "Copy &Precision"), "", "Ctrl+Alt+C",
     QT_TRANSLATE_NOOP("Actions", "Copies the precision of the selected layer.")},
    {ActionId::PastePrecision, "edit.paste-precision", In::Edit, 2,
     QT_TRANSLATE_NOOP("Actions", "P&aste Precision"), "", "Ctrl+Alt+V",
     QT_TRANSLATE_NOOP("Actions", "Gives the selected layers the precision that was copied.")},

    {ActionId::KindLocal, "view.local", In::View, 0, QT_TRANSLATE_NOOP("Actions", "&Local Error"),
     "local", "Ctrl+L",
     QT_TRANSLATE_NOOP("Actions", "Shows the error that each layer makes by itself."), true},
    {ActionId::KindAccumulated, "view.accumulated", In::View, 0,
     QT_TRANSLATE_NOOP("Actions", "&Accumulated Error"), "accumulated", "Ctrl+Shift+L",
     QT_TRANSLATE_NOOP("Actions",
                       "Shows how far each value is from its float twin when the whole "
                       "network is quantized."),
     true},
    {ActionId::KindContribution, "view.contribution", In::View, 0,
     QT_TRANSLATE_NOOP("Actions", "&Contribution"), "", "Ctrl+Alt+O",
     QT_TRANSLATE_NOOP("Actions",
                       "Shows the error that each layer alone brings to the outputs of the "
                       "network; it is measured in the background."),
     true},
    {ActionId::Delta, "view.delta", In::View, 0, QT_TRANSLATE_NOOP("Actions", "&Difference to B"),
     "", "Ctrl+Shift+D",
     QT_TRANSLATE_NOOP("Actions",
                       "Shows how much the chosen error differs from that under B, the "
                       "configuration that is compared with."),
     true},
    {ActionId::Stretch, "view.stretch", In::View, 0,
     QT_TRANSLATE_NOOP("Actions", "&Stretch Colours to This Model"), "stretch", "Ctrl+Shift+E",
     QT_TRANSLATE_NOOP("Actions",
                       "Spreads the colours from the best to the worst layer of this model. "
                       "Otherwise a colour means the same error in every model."),
     true},
    {ActionId::FullScreen, "view.full-screen", In::View, 2,
     QT_TRANSLATE_NOOP("Actions", "&Full Screen"), "full-screen", "F11",
     QT_TRANSLATE_NOOP("Actions", "Lets the window fill the screen."), true},
    {ActionId::ResetLayout, "view.reset-layout", In::View, 2,
     QT_TRANSLATE_NOOP("Actions", "&Reset Layout"), "layout", "",
     QT_TRANSLATE_NOOP("Actions", "Puts all panels back to where they were at first.")},

    {ActionId::ChooseData, "analysis.data", In::Analysis, 0,
     QT_TRANSLATE_NOOP("Actions", "Choose &Data…"), "data", "Ctrl+D",
     QT_TRANSLATE_NOOP("Actions",
                       "Chooses the samples that the model is calibrated and measured "
                       "with.")},
    {ActionId::Run, "analysis.run", In::Analysis, 1, QT_TRANSLATE_NOOP("Actions", "&Run Again"),
     "run", "F5; Ctrl+R",
     QT_TRANSLATE_NOOP("Actions", "Reads the model and its data again and analyses them.")},
    {ActionId::Cancel, "analysis.cancel", In::Analysis, 1, QT_TRANSLATE_NOOP("Actions", "&Cancel"),
     "stop", "Shift+F5",
     QT_TRANSLATE_NOOP("Actions", "Stops the analysis; what is known so far stays.")},
    {ActionId::AcceptNext, "analysis.accept-next", In::Analysis, 2,
     QT_TRANSLATE_NOOP("Actions", "Apply &Best Next Change"), "", "Ctrl+Shift+N",
     QT_TRANSLATE_NOOP("Actions",
                       "Makes the one change of the configuration that improves the worst output "
                       "most; it was measured.")},
    {ActionId::AcceptAll, "analysis.accept-all", In::Analysis, 2,
     QT_TRANSLATE_NOOP("Actions", "&Apply What Helps"), "check", "Ctrl+Shift+A",
     QT_TRANSLATE_NOOP("Actions",
                       "Makes the changes that improve the outputs together: suggestions, wider "
                       "types and float, chosen by runs of the network.")},
    {ActionId::MeasureSensitivity, "analysis.sensitivity", In::Analysis, 3,
     QT_TRANSLATE_NOOP("Actions", "Start or Pause Se&nsitivity"), "", "",
     QT_TRANSLATE_NOOP("Actions",
                       "Measures what each layer does to the outputs, or pauses that; what was "
                       "measured stays.")},
    {ActionId::ApplySensitive, "analysis.apply-sensitive", In::Analysis, 3,
     QT_TRANSLATE_NOOP("Actions", "Apply the k &Most Sensitive"), "", "",
     QT_TRANSLATE_NOOP("Actions",
                       "Makes as many of the most sensitive layers wider as are chosen in the "
                       "sensitivity view.")},
    {ActionId::Search, "analysis.search", In::Analysis, 3,
     QT_TRANSLATE_NOOP("Actions", "Start or Stop Searc&h"), "", "",
     QT_TRANSLATE_NOOP("Actions",
                       "Searches the configurations that no other one beats within the budget of "
                       "the Search pane, or stops that.")},
    {ActionId::Adopt, "analysis.adopt", In::Analysis, 3,
     QT_TRANSLATE_NOOP("Actions", "Adop&t What the Search Found"), "", "",
     QT_TRANSLATE_NOOP("Actions",
                       "Makes the configuration that is chosen in the Search pane that of the "
                       "window, in one step.")},
    {ActionId::Repair, "analysis.repair", In::Analysis, 4, QT_TRANSLATE_NOOP("Actions", "&Repair…"),
     "", "Ctrl+Alt+R",
     QT_TRANSLATE_NOOP("Actions",
                       "Wins back what quantization loses, without labels and wider types: "
                       "equalization, ranges, rounding and biases, each kept only where unseen "
                       "samples confirm it.")},
    {ActionId::RepairSelected, "analysis.repair-selected", In::Analysis, 4,
     QT_TRANSLATE_NOOP("Actions", "Repair Se&lected Layers…"), "", "Ctrl+Alt+Shift+R",
     QT_TRANSLATE_NOOP("Actions",
                       "The same for the selected layers alone, where they have quantized "
                       "weights.")},
    {ActionId::KeepConfiguration, "analysis.keep", In::Analysis, 5,
     QT_TRANSLATE_NOOP("Actions", "&Keep Configuration"), "", "Ctrl+Shift+K",
     QT_TRANSLATE_NOOP("Actions",
                       "Keeps the configuration under a name, and compares with it from now on.")},
    {ActionId::SwapConfigurations, "analysis.swap", In::Analysis, 5,
     QT_TRANSLATE_NOOP("Actions", "&Swap A and B"), "", "Ctrl+Shift+B",
     QT_TRANSLATE_NOOP("Actions",
                       "Shows the configuration that is compared with, and compares with the one "
                       "that was shown.")},

    {ActionId::Back, "go.back", In::Go, 0, QT_TRANSLATE_NOOP("Actions", "&Back"), "back",
     "Alt+Left", QT_TRANSLATE_NOOP("Actions", "Goes back to what was selected before.")},
    {ActionId::Forward, "go.forward", In::Go, 0, QT_TRANSLATE_NOOP("Actions", "&Forward"),
     "forward", "Alt+Right", QT_TRANSLATE_NOOP("Actions", "Goes forward again.")},
    {ActionId::WorstLayer, "go.worst", In::Go, 1, QT_TRANSLATE_NOOP("Actions", "&Worst Layer"),
     "worst", "Ctrl+B",
     QT_TRANSLATE_NOOP("Actions",
                       "Selects the layer with the largest error by the chosen "
                       "metric.")},
    {ActionId::NextWorse, "go.worse", In::Go, 1, QT_TRANSLATE_NOOP("Actions", "Next W&orse Layer"),
     "previous", "Alt+Up",
     QT_TRANSLATE_NOOP("Actions",
                       "Selects the layer that comes before the selected one when all "
                       "are sorted from worst to best.")},
    {ActionId::NextBetter, "go.better", In::Go, 1,
     QT_TRANSLATE_NOOP("Actions", "Next B&etter Layer"), "next", "Alt+Down",
     QT_TRANSLATE_NOOP("Actions",
                       "Selects the layer that comes after the selected one when all "
                       "are sorted from worst to best.")},
    {ActionId::NextFinding, "go.next-finding", In::Go, 2,
     QT_TRANSLATE_NOOP("Actions", "Next &Finding"), "next", "F8",
     QT_TRANSLATE_NOOP("Actions", "Goes to the next finding of the list and to its layer.")},
    {ActionId::PreviousFinding, "go.previous-finding", In::Go, 2,
     QT_TRANSLATE_NOOP("Actions", "Pre&vious Finding"), "previous", "Shift+F8",
     QT_TRANSLATE_NOOP("Actions", "Goes to the finding before it and to its layer.")},
    {ActionId::Centre, "go.centre", In::Go, 3, QT_TRANSLATE_NOOP("Actions", "&Show in Graph"),
     "centre", "Ctrl+G",
     QT_TRANSLATE_NOOP("Actions", "Brings what is selected to the middle of the graph.")},
    {ActionId::ClearSelection, "go.clear", In::Go, 3,
     QT_TRANSLATE_NOOP("Actions", "&Clear Selection"), "close", "Esc",
     QT_TRANSLATE_NOOP("Actions", "Selects nothing.")},
    {ActionId::ShowGraph, "go.graph", In::Go, 4, QT_TRANSLATE_NOOP("Actions", "&Graph"), "graph",
     "Ctrl+1", QT_TRANSLATE_NOOP("Actions", "Shows the network as a drawing."), true},
    {ActionId::ShowHeatmap, "go.heatmap", In::Go, 4, QT_TRANSLATE_NOOP("Actions", "&Heatmap"),
     "heatmap", "Ctrl+2",
     QT_TRANSLATE_NOOP("Actions", "Shows the errors of all layers as a heatmap."), true},
    {ActionId::ShowSensitivity, "go.sensitivity", In::Go, 4,
     QT_TRANSLATE_NOOP("Actions", "&Sensitivity"), "sensitivity", "Ctrl+3",
     QT_TRANSLATE_NOOP("Actions",
                       "Shows which layers matter, and searches a better configuration."),
     true},
    {ActionId::ShowLayers, "go.layers", In::Go, 4, QT_TRANSLATE_NOOP("Actions", "&Layers"),
     "layers", "Ctrl+4",
     QT_TRANSLATE_NOOP("Actions", "Shows all layers as a table with every metric."), true},
    {ActionId::ShowRanges, "go.ranges", In::Go, 4, QT_TRANSLATE_NOOP("Actions", "&Ranges"),
     "ranges", "Ctrl+5", QT_TRANSLATE_NOOP("Actions", "Shows the observed ranges of all values."),
     true},

    {ActionId::ShowCompare, "go.compare", In::Go, 4, QT_TRANSLATE_NOOP("Actions", "&Compare"), "",
     "Ctrl+6", QT_TRANSLATE_NOOP("Actions", "Shows the layers and samples under A and B."), true},
    {ActionId::ShowRepair, "go.repair", In::Go, 4, QT_TRANSLATE_NOOP("Actions", "Re&pair"),
     "repair", "Ctrl+7",
     QT_TRANSLATE_NOOP("Actions", "Shows the steps that win back what quantization loses."), true},

    {ActionId::Guide, "help.guide", In::Help, 0, QT_TRANSLATE_NOOP("Actions", "&Guide"), "",
     "Ctrl+F1",
     QT_TRANSLATE_NOOP("Actions",
                       "Walks from the float network to a verified export, step by step, with the "
                       "model's own figures.")},
    {ActionId::Commands, "help.commands", In::Help, 0, QT_TRANSLATE_NOOP("Actions", "&Commands…"),
     "command", "Ctrl+K; F1",
     QT_TRANSLATE_NOOP("Actions",
                       "Finds any command by a few letters of its name and shows its "
                       "shortcut.")},
    {ActionId::About, "help.about", In::Help, 1, QT_TRANSLATE_NOOP("Actions", "&About Quantscope"),
     "info", "", QT_TRANSLATE_NOOP("Actions", "Shows the version and the licence.")},
};

}  // namespace

std::span<const ActionSpec> actionSpecs() {
  return kSpecs;
}

QString menuTitle(MenuId menu, bool mnemonic) {
  static constexpr const char* kTitles[] = {
      QT_TRANSLATE_NOOP("Actions", "&File"), QT_TRANSLATE_NOOP("Actions", "&Edit"),
      QT_TRANSLATE_NOOP("Actions", "&View"), QT_TRANSLATE_NOOP("Actions", "&Analysis"),
      QT_TRANSLATE_NOOP("Actions", "&Go"),   QT_TRANSLATE_NOOP("Actions", "&Window"),
      QT_TRANSLATE_NOOP("Actions", "&Help")};
  QString title = QCoreApplication::translate("Actions", kTitles[static_cast<int>(menu)]);
  return mnemonic ? title : title.remove(u'&');
}

}  // namespace quantscope
