'use strict';
// node onnxruntime_models.js DIRECTORY
//
// Runs every NAME.onnx in DIRECTORY, which needs no inputs, in ONNX Runtime without graph
// optimizations and writes NAME_0.npy, NAME_1.npy, …, one per output, or NAME.error with what it
// says where it does not run the model.

const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');
const {writeNpy} = require('./arrays');

async function run(directory, file) {
  const stem = path.join(directory, path.basename(file, '.onnx'));
  try {
    const session = await ort.InferenceSession.create(path.join(directory, file), {
      graphOptimizationLevel: 'disabled',
      intraOpNumThreads: 1,
      logSeverityLevel: 4,
    });
    const results = await session.run({});
    session.outputNames.forEach((name, index) => {
      const {type, dims, data} = results[name];
      writeNpy(`${stem}_${index}.npy`, {type, dims, data});
    });
    await session.release();
  } catch (error) {
    fs.writeFileSync(`${stem}.error`, error.message);
  }
}

async function main([directory]) {
  for (const file of fs.readdirSync(directory)) {
    if (file.endsWith('.onnx')) await run(directory, file);
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
