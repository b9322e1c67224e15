// ONNX Runtime's side of the comparison: its attention on the CPU.
//
//   node onnx.cjs MODULES THREADS
//
// MODULES is the node_modules folder that onnxruntime-node is in. A worker as
// worker.py says, but that it is told the case in the line: where other workers
// get NAME, this one gets the JSON of
//   {name, heads, queries, keys, dim, q, k, v}   q, k, v: paths of .npy files
// The model is one MultiHeadAttention, the runtime's fused operator, written here
// as the protobuf message that ONNX files are.
"use strict";
const fs = require("fs");
const path = require("path");
const readline = require("readline");

const [modules, threads] = process.argv.slice(2);
const ort = require(path.resolve(modules, "onnxruntime-node"));

// Fields of protobuf messages.
function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128))
    bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}
const integer = (field, value) =>
  Buffer.concat([varint(field * 8), varint(value)]);
const message = (field, ...parts) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body]);
};
const text = (field, value) => message(field, Buffer.from(value));

// onnx.proto: ValueInfoProto of an f32 tensor.
function value(field, name, dims) {
  const shape = message(2, ...dims.map((dim) => message(1, integer(1, dim))));
  return message(field, text(1, name), message(2, message(1, integer(1, 1), shape)));
}

// onnx.proto: ModelProto. Tensors are [1, tokens, heads * dim].
function attentionModel({heads, queries, keys, dim}) {
  const hidden = heads * dim;
  const node = message(1, text(1, "q"), text(1, "k"), text(1, "v"), text(2, "o"),
                       text(4, "MultiHeadAttention"),
                       message(5, text(1, "num_heads"), integer(3, heads), integer(20, 2)),
                       text(7, "com.microsoft"));
  const graph = message(7, node, text(2, "attention"),
                        value(11, "q", [1, queries, hidden]),
                        value(11, "k", [1, keys, hidden]),
                        value(11, "v", [1, keys, hidden]),
                        value(12, "o", [1, queries, hidden]));
  const opset = (domain, version) => message(8, text(1, domain), integer(2, version));
  return Buffer.concat([integer(1, 8), graph, opset("", 17), opset("com.microsoft", 1)]);
}

// f32 [heads, tokens, dim] of a .npy file (version 1) as [1, tokens, heads * dim].
function load(file, heads, tokens, dim) {
  const bytes = fs.readFileSync(file);
  const data = bytes.subarray(10 + bytes.readUInt16LE(8));
  const from = new Float32Array(data.buffer, data.byteOffset, data.length / 4);
  const to = new Float32Array(from.length);
  for (let h = 0; h < heads; ++h)
    for (let t = 0; t < tokens; ++t)
      to.set(from.subarray((h * tokens + t) * dim, (h * tokens + t + 1) * dim),
             (t * heads + h) * dim);
  return new ort.Tensor("float32", to, [1, tokens, heads * dim]);
}

async function prepare(work) {
  const session = await ort.InferenceSession.create(attentionModel(work), {
    intraOpNumThreads: Number(threads),
    interOpNumThreads: 1,
    graphOptimizationLevel: "all",
  });
  const {heads, queries, keys, dim} = work;
  const feeds = {
    q: load(work.q, heads, queries, dim),
    k: load(work.k, heads, keys, dim),
    v: load(work.v, heads, keys, dim),
  };
  const o = new ort.Tensor("float32", new Float32Array(heads * queries * dim),
                           [1, queries, heads * dim]);
  return {o, run: () => session.run(feeds, {o})};
}

const now = () => Number(process.hrtime.bigint()) * 1e-9;

async function medianTime(run, seconds) {
  await run();
  const times = [];
  const begin = now();
  while (times.length < 3 || now() - begin < seconds) {
    const start = now();
    await run();
    times.push(now() - start);
  }
  times.sort((x, y) => x - y);
  return times[times.length >> 1];
}

// Raw f32 [tokens, heads * dim].
const write = (file, data) =>
  fs.writeFileSync(file, Buffer.from(data.buffer, data.byteOffset, data.byteLength));

async function main() {
  const prepared = new Map();
  for await (const line of readline.createInterface({input: process.stdin})) {
    let answer = {};
    try {
      const {command, work, argument} = JSON.parse(line);
      if (!prepared.has(work.name))
        prepared.set(work.name, await prepare(work));
      const {run, o} = prepared.get(work.name);
      if (command === "time")
        answer.time = await medianTime(run, argument);
      else {
        await run();
        write(argument, o.data);
      }
    } catch (error) {
      answer = {error: error.message};
    }
    console.log(JSON.stringify(answer));
  }
}

main();
