'use strict';
// node onnxruntime_values.js MODEL DATA.npz SAMPLES DIRECTORY
//
// Runs ONNX Runtime without graph optimizations on the first SAMPLES samples and writes every
// output of the model (expose_values.py makes every value one) as DIRECTORY/INDEX_SAMPLE.npy, with
// manifest.json {"values":[{"name","files":[...],"shape","dtype"}]}; `shape` is the first sample's.

const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');
const {writeNpy} = require('./arrays');
const {Feeds} = require('./feeds');

async function main([model, data, samples, directory]) {
  const session = await ort.InferenceSession.create(
      model, {graphOptimizationLevel: 'disabled', intraOpNumThreads: 2, enableMemPattern: false});
  const feeds = new Feeds(session, data);
  const values = session.outputNames.map((name) => ({name, files: []}));
  for (let sample = 0; sample < Math.min(Number(samples), feeds.count); ++sample) {
    const results = await session.run(feeds.get(sample, ort));
    values.forEach((value, index) => {
      const {type, dims, data: elements} = results[value.name];
      const file = `${index}_${sample}.npy`;
      writeNpy(path.join(directory, file), {type, dims, data: elements});
      value.files.push(file);
      value.shape = value.shape || dims;
      value.dtype = type;
      delete results[value.name];
    });
  }
  fs.writeFileSync(path.join(directory, 'manifest.json'), JSON.stringify({values}));
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
