#pragma once

#include <functional>

#include "jobs/analysis/run_analysis.h"
#include "project/project_file.h"

namespace quantscope {

/// The files of a request with their content, as a document names them. `model`: the one that was
/// loaded, whose content it is even where the file has changed since. Files whose stamps are those
/// of `known` are not read again. Throws Error(Io).
DocumentFiles filesOf(const AnalysisRequest& request, const LoadedModel& model,
                      const DocumentFiles& known);
/// The same for what was analysed. Samples and labels that have changed since they were read are
/// referred to by a content that no file has.
DocumentFiles filesOf(const AnalysisSnapshot& analysis, const DocumentFiles& known);
AnalysisSettings settingsOf(const AnalysisRequest& request);
ChosenData chosenData(const AnalysisRequest& request);
/// The analysis that a document asks for.
AnalysisRequest requestOf(const Document& document);

/// Keeps a complete analysis in a project, with the errors that were measured for it. `files`: the
/// analysed files.
void keepAnalysis(const AnalysisSnapshot& analysis, const DocumentFiles& files,
                  const AnalysisMemory& memory, ProjectFile& project);

/// Keeps a complete result alone, in another slot than that of what is shown, say. Where its labels
/// or its backend's file have changed since, it is not restored.
void keepResult(const AnalysisSnapshot& analysis, AnalysisSlot slot, const DocumentFiles& files,
                ProjectFile& project);

/// An analysis that a project keeps as a complete snapshot, without running a sample: its request
/// has the configuration that it was of, which may be older than the document's. `files`: what is
/// at hand now; `opened`: the same opened. Null where nothing is kept, or what is kept is of other
/// files or settings, or of an origin whose figures are not those of this program and machine.
/// Throws InvalidData for what is damaged.
SnapshotPtr restoreAnalysis(const ProjectFile& project, const DocumentFiles& files,
                            const OpenedAnalysis& opened, JobContext& job,
                            AnalysisSlot slot = AnalysisSlot::Shown);

/// The same for the files that a project's document names, which are loaded and opened: the first
/// result of a window. ProjectFile::loadErrors() can follow behind. Null also where there is no
/// model or no data. Throws what openAnalysis() throws.
SnapshotPtr reopenAnalysis(const ProjectFile& project, JobContext& job);

/// What a project keeps beside the analysis that is shown; null where there is nothing.
struct KeptBeside {
  SnapshotPtr before;
  SnapshotPtr compared;
};
using BesideSink = std::function<void(const KeptBeside&)>;

/// What a window does with a project that it opens: publishes what is kept of the request, tells
/// once what is kept beside it (`publishBeside`, optional; nothing beside nothing), and goes on as
/// analyzeInSteps() does where that is of another configuration, without the gains of its
/// suggestions, or nothing. The errors that the project keeps join `memory`. A result that is
/// damaged counts as none. Throws what analyzeInSteps() throws.
void resumeAnalysis(const AnalysisRequest& request, const ProjectFile& project,
                    AnalysisMemory& memory, JobContext& job, const SnapshotSink& publish,
                    const BesideSink& publishBeside = {});

}  // namespace quantscope
