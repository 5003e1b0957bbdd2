'use strict';
// The table of compare_engine.sh:
//
//   node speed_ratios.js header
//   node speed_ratios.js row NAME OURS PEER ALL   files of one JSON result per line; adds to ALL
//   node speed_ratios.js summary ALL

const fs = require('fs');

// Smaller models measure how quickly a run starts rather than how quickly it computes.
const LEAST_MILLISECONDS = 0.3;

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

function lines(file) {
  return fs.readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

function print(name, columns) {
  console.log(name.padEnd(32) + columns.map((text) => text.padStart(11)).join(''));
}

function row([name, ours, peer, all]) {
  const [a, b] = [ours, peer].map(lines).map((rounds) => ({
    // ONNX Runtime's time of one sample is on all threads.
    ms: median(rounds.map((round) => round.latency_ms ?? round.ms_per_sample)),
    rate: median(rounds.map((round) => round.samples_per_s)),
  }));
  const latency = b.ms / a.ms;
  const rate = a.rate / b.rate;
  print(name, [
    a.ms.toFixed(3), b.ms.toFixed(3), latency.toFixed(2),
    a.rate.toFixed(1), b.rate.toFixed(1), rate.toFixed(2),
  ]);
  fs.appendFileSync(all, JSON.stringify({name, latency, rate, ms: b.ms}) + '\n');
}

function summary([all]) {
  const counted = lines(all).filter(({ms}) => ms >= LEAST_MILLISECONDS);
  if (counted.length === 0) return;
  for (const [key, title] of [['latency', 'one sample'], ['rate', 'samples/s']]) {
    const mean = Math.exp(
        counted.reduce((sum, model) => sum + Math.log(model[key]), 0) / counted.length);
    const worst = counted.reduce((least, model) => (model[key] < least[key] ? model : least));
    console.log(`${title}, ${counted.length} models: geometric mean ${mean.toFixed(2)}, worst ` +
        `${worst[key].toFixed(2)} (${worst.name})`);
  }
}

const [command, ...parameters] = process.argv.slice(2);
if (command === 'row') row(parameters);
if (command === 'summary') summary(parameters);
if (command === 'header') {
  print('model', ['ms', 'ORT ms', 'ratio', 'samples/s', 'ORT\'s', 'ratio']);
}
