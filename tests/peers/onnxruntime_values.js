'use strict';
// node onnxruntime_values.js MODEL DATA.npz SAMPLES DIRECTORY
//
// Runs ONNX Runtime without graph optimizations on the first SAMPLES samples and writes every input
// and every output of the model (expose_values.py makes every value one), a file per sample, with
// DIRECTORY/manifest.json: {"inputs":[{"name","files","shape","dtype"}],"values":[the same]};
// `shape` is the first sample's.

const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');
const {writeNpy} = require('./arrays');
const {Feeds} = require('./feeds');

function keep(directory, entry, stem, {type, dims, data}) {
  const file = `${stem}_${entry.files.length}.npy`;
  writeNpy(path.join(directory, file), {type, dims, data});
  entry.files.push(file);
  entry.shape = entry.shape || dims;
  entry.dtype = type;
}

async function main([model, data, samples, directory]) {
  const session = await ort.InferenceSession.create(model, {
    graphOptimizationLevel: 'disabled',
    intraOpNumThreads: 2,
    enableMemPattern: false,
    logSeverityLevel: 3,
  });
  const feeds = new Feeds(session, data);
  const entries = (names) => names.map((name) => ({name, files: []}));
  const inputs = entries(feeds.inputs.map(({name}) => name));
  const values = entries(session.outputNames);
  for (let sample = 0; sample < Math.min(Number(samples), feeds.count); ++sample) {
    const feed = feeds.get(sample, ort);
    inputs.forEach((entry, index) => keep(directory, entry, `in${index}`, feed[entry.name]));
    const results = await session.run(feed);
    values.forEach((entry, index) => {
      keep(directory, entry, `out${index}`, results[entry.name]);
      // Large models keep gigabytes of values: let go of each as soon as it is written.
      delete results[entry.name];
    });
  }
  fs.writeFileSync(path.join(directory, 'manifest.json'), JSON.stringify({inputs, values}));
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
