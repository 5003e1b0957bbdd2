'use strict';
// node onnxruntime_feeds.js MODEL FEEDS.json DIRECTORY LEVEL
//
// Runs ONNX Runtime with graph optimizations of LEVEL (disabled, all) on the feeds of FEEDS.json,
// [{"INPUT": "FILE.npy", …}, …], and writes DIRECTORY/SAMPLE_OUTPUT.npy by the outputs' order.

const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');
const {readNpy, writeNpy} = require('./arrays');

async function main([model, feeds, directory, level]) {
  const session = await ort.InferenceSession.create(model, {
    graphOptimizationLevel: level,
    intraOpNumThreads: 2,
    enableMemPattern: false,
    logSeverityLevel: 3,
  });
  const samples = JSON.parse(fs.readFileSync(feeds));
  for (const [sample, files] of samples.entries()) {
    const feed = {};
    for (const name of session.inputNames) {
      const {type, dims, data} = readNpy(files[name]);
      feed[name] = new ort.Tensor(type, data, dims);
    }
    const results = await session.run(feed);
    session.outputNames.forEach((name, index) => {
      writeNpy(path.join(directory, `${sample}_${index}.npy`), results[name]);
      delete results[name];
    });
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
