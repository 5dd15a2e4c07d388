// @ts-check
/**
 * A thread that speaks: one text at a time. Plain JavaScript, because a thread is started from a file, and this file is
 * the same whether the service runs compiled or from its sources under test.
 */
import { parentPort } from 'node:worker_threads';
import open from '@echogarden/espeak-ng-emscripten';
import { ENGINE_RATE, telephoneSamples } from './telephone-samples.mjs';

/** Below this everything is silence: the text had nothing to say. */
const FAINTEST = 100;

const { eSpeakNGWorker: Engine } = await open();
const engine = new Engine();

/**
 * @param {import('./speech.js').SpeechJob} job
 * @returns {import('./speech.js').SpeechAnswer}
 */
function speak({ id, voice, text, mostMs }) {
  if (engine.set_voice(voice) !== 0) return { id, kind: 'failed', reason: `no voice ${voice}` };
  const most = (mostMs / 1_000) * ENGINE_RATE;
  /** @type {Int16Array[]} */
  const pieces = [];
  let length = 0;
  let peak = 0;
  engine.synthesize(text, (samples) => {
    if (samples === null || samples.length === 0) return false;
    pieces.push(samples);
    length += samples.length;
    for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
    return length > most;
  });
  if (length > most) return { id, kind: 'too_long' };
  if (peak < FAINTEST) return { id, kind: 'silent' };
  return { id, kind: 'spoken', samples: telephoneSamples(pieces) };
}

parentPort?.on('message', (/** @type {import('./speech.js').SpeechJob} */ job) => {
  const answer = speak(job);
  parentPort?.postMessage(answer, answer.kind === 'spoken' ? [answer.samples.buffer] : []);
});
parentPort?.postMessage({ kind: 'ready' });
