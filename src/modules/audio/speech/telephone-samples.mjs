// @ts-check
/**
 * From the engine's 22,050 samples a second to the 8,000 of a telephone network: 160 new samples for 441 old ones.
 * Everything above 4 kHz would come back as noise, so it is taken out by a windowed sinc (Kaiser) that passes 3.4 kHz,
 * the telephone's own limit, and holds 70 dB from 4.4 kHz on; what lies between comes back above that limit.
 */
export const ENGINE_RATE = 22_050;
export const TELEPHONE_RATE = 8_000;

const UP = 160;
const DOWN = 441;
const CUTOFF = 3_900 / ENGINE_RATE;
const HALF_WIDTH = 48;
const TAPS = 2 * HALF_WIDTH;
const KAISER_BETA = 7;

/** Bessel function of the first kind, order 0, by its series. @param {number} x */
function bessel(x) {
  let sum = 1;
  let term = 1;
  for (let k = 1; k < 30; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

/** The filter at a distance from its middle, in old samples. @param {number} distance */
function filterAt(distance) {
  const x = 2 * Math.PI * CUTOFF * distance;
  const sinc = x === 0 ? 1 : Math.sin(x) / x;
  const edge = Math.min(1, Math.abs(distance) / HALF_WIDTH);
  return sinc * bessel(KAISER_BETA * Math.sqrt(1 - edge * edge));
}

/** One set of weights for each position that a new sample can have between two old ones, each of sum 1. */
const PHASES = Array.from({ length: UP }, (_, phase) => {
  const weights = Float32Array.from({ length: TAPS }, (_unused, tap) => filterAt(tap - HALF_WIDTH + 1 - phase / UP));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
});

/**
 * @param {readonly Int16Array[]} pieces sound at 22,050 samples a second
 * @returns {Int16Array<ArrayBuffer>} the same at 8,000, padded with silence to whole milliseconds
 */
export function telephoneSamples(pieces) {
  const length = pieces.reduce((total, piece) => total + piece.length, 0);
  // silence before and after, so that the filter never looks over the edge
  const old = new Float32Array(length + 2 * TAPS);
  let at = TAPS;
  for (const piece of pieces) {
    old.set(piece, at);
    at += piece.length;
  }
  const count = Math.ceil((length * UP) / DOWN);
  const perMillisecond = TELEPHONE_RATE / 1_000;
  const result = new Int16Array(Math.ceil(count / perMillisecond) * perMillisecond);
  for (let index = 0; index < count; index++) {
    const position = index * DOWN;
    const weights = PHASES[position % UP];
    if (!weights) break;
    const begin = TAPS + Math.floor(position / UP) - HALF_WIDTH + 1;
    let sample = 0;
    for (let tap = 0; tap < TAPS; tap++) sample += (old[begin + tap] ?? 0) * (weights[tap] ?? 0);
    result[index] = Math.max(-32_768, Math.min(32_767, Math.round(sample)));
  }
  return result;
}
