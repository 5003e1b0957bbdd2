'use strict';
// Cuts the arrays of a .npz into the feeds of single runs, by the program's own rules.

const {elementCount, readNpz} = require('./arrays');

// Axis 0 counts samples. An array with as many axes as the model's input keeps the axis in each
// sample; one with an axis more, or any array for a scalar input, holds whole feeds.
function cut(array, rank, first, count) {
  const whole = array.dims.length > rank;
  const size = elementCount(array.dims.slice(1));
  const dims = whole ? array.dims.slice(1) : [count, ...array.dims.slice(1)];
  return {type: array.type, dims, data: array.data.slice(first * size, (first + count) * size)};
}

// Repeats the last sample until the batch is full.
function pad(feed, batch) {
  const have = feed.dims[0];
  if (have >= batch) return feed;
  const size = feed.data.length / have;
  const data = new feed.data.constructor(batch * size);
  data.set(feed.data);
  for (let i = have; i < batch; ++i) data.set(feed.data.subarray((have - 1) * size), i * size);
  return {type: feed.type, dims: [batch, ...feed.dims.slice(1)], data};
}

class Feeds {
  constructor(session, file) {
    this.arrays = readNpz(file);
    this.inputs = session.inputMetadata.filter(({name}) => name in this.arrays);
    this.batch = Math.max(...this.inputs.map((input) => this.fixedBatch(input)));
    this.samples = Math.min(...this.inputs.map(({name}) => this.arrays[name].dims[0]));
    this.count = Math.ceil(this.samples / this.batch);
  }

  fixedBatch({name, shape}) {
    const whole = this.arrays[name].dims.length > shape.length;
    return !whole && typeof shape[0] === 'number' && shape[0] > 1 ? shape[0] : 1;
  }

  // Tensors by input name; `ort` is the module that makes them.
  get(index, ort) {
    const feed = {};
    for (const {name, shape} of this.inputs) {
      const first = index * this.batch;
      const count = Math.min(this.batch, this.samples - first);
      const whole = this.arrays[name].dims.length > shape.length;
      const part = cut(this.arrays[name], shape.length, first, count);
      const {type, dims, data} = whole ? part : pad(part, this.batch);
      feed[name] = new ort.Tensor(type, data, dims);
    }
    return feed;
  }
}

module.exports = {Feeds};
