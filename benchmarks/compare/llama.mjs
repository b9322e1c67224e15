// ggml's side of whole models: a decoder from a GGUF file, by node-llama-cpp.
//
//   node llama.mjs MODULES THREADS
//
// MODULES is the node_modules folder that node-llama-cpp is in. Answers lines of
// JSON, each with one line:
//   {path, prompt, tokens}  path of the file, tokens of the prompt, how many to write
// -> {promptSeconds, seconds, text}: reading the prompt, each further token, what
//    was written, or {error}
import path from "node:path";
import readline from "node:readline";
import {pathToFileURL} from "node:url";

const [modules, threads] = process.argv.slice(2);
const {getLlama} = await import(pathToFileURL(path.resolve(modules, "node-llama-cpp/dist/index.js")));

const opened = new Map();
async function open(file) {
  if (!opened.has(file)) {
    const llama = await getLlama({gpu: false, build: "never", maxThreads: Number(threads), logLevel: "error"});
    const model = await llama.loadModel({modelPath: file});
    const context = await model.createContext({
      contextSize: 1024, batchSize: 512, threads: Number(threads), flashAttention: true});
    opened.set(file, {model, sequence: context.getSequence()});
  }
  return opened.get(file);
}

const now = () => performance.now() * 1e-3;

// The last token of the prompt is evaluated with the first that is written: its
// time is in neither figure.
async function generate({path: file, prompt, tokens}) {
  const {model, sequence} = await open(file);
  await sequence.clearHistory();
  let begin = now();
  await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(0, -1));
  const promptSeconds = now() - begin;
  const written = [];
  for await (const token of sequence.evaluate(prompt.slice(-1), {temperature: 0, yieldEogToken: true})) {
    if (written.length === 0)
      begin = now();
    written.push(token);
    if (written.length === tokens)
      break;
  }
  const seconds = (now() - begin) / (tokens - 1);
  return {promptSeconds, seconds, text: model.detokenize(written)};
}

for await (const line of readline.createInterface({input: process.stdin})) {
  let answer;
  try {
    answer = await generate(JSON.parse(line));
  } catch (error) {
    answer = {error: error.message};
  }
  console.log(JSON.stringify(answer));
}
process.exit(0);
