// The conformance program: what every binding must do, in order. What it prints is bindings/conformance.txt.
import { LitzError, Tensor, loadPt2 } from './index.js';

const rows = (n) => Tensor.of('float32', [n, 32], Array.from({ length: n * 32 }, (_, k) => ((k % 7) - 3) / 4));
const same = (a, b) => a.length === b.length && a.every((x, k) => x === b[k]);
const told = (error, what) => {
  if (!(error instanceof LitzError)) throw error;
  console.log(`errors: status ${error.status}, which it ${error.message.includes(what) ? 'names' : 'does not name'}`);
};

const program = loadPt2(process.argv[2]);
console.log(`load: ${program.inputs.length} input, ${program.outputs.length} output`);
const [x] = program.inputs;
console.log(`info: ${x.name} of ${x.minShape.length} dimensions, ${x.minShape[0]} to ${x.maxShape[0]} rows`);

const input = rows(2);
const [y] = program.run([input]);
console.log(`run: ${y.shape[0]} by ${y.shape[1]}, ${y.data[0].toFixed(4)} and ${y.data[19].toFixed(4)}`);

const [{ dtype, shape }] = program.inferOutputs([input]);
const into = new Tensor(dtype, shape);
program.runInto([input], [into]);
console.log(`run_into: ${same(into.data, y.data) ? 'the same' : 'differs'}`);

try {
  program.run([rows(600)]);
} catch (error) {
  told(error, '512');
}
try {
  loadPt2('/nonexistent.pt2');
} catch (error) {
  told(error, '/nonexistent.pt2');
}

let equal = 0;
const thread = async () => {
  for (let k = 0; k < 100; k++) {
    const [own] = await program.runAsync([input]);
    equal += same(own.data, y.data) ? 1 : 0;
    own.release();
  }
};
await Promise.all([thread(), thread(), thread(), thread()]);
console.log(`threads: ${equal} runs the same`);
// A run in progress goes on to its end.
const last = program.runAsync([input]);
program.release();
const [z] = await last;
if (!same(z.data, y.data)) throw new Error('a run ended with its program');
console.log('release: all right');
