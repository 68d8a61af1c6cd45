// Says which digit an image shows, with the convolutional network of examples/digits.
import { Tensor, loadPt2 } from './index.js';

// A one, 8 by 8, as bright as the data set has it (0 to 16).
const image = ['00059000', '0005f900', '000bf700', '000ff500', '0008fc00', '0008fd00', '0006fe00', '00059900'];
const pixels = [...image.join('')].map((c) => parseInt(c, 16) / 16);

const program = loadPt2(process.argv[2]);
const [scores] = await program.runAsync([Tensor.of('float32', [1, 1, 8, 8], pixels)]);
console.log(`it is a ${scores.data.indexOf(Math.max(...scores.data))}`);
