/** Progress lines of the start and test scripts. Plain text, so that they read well in a CI log. */

const began = Date.now();

/** @param {number} milliseconds */
export const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;

/** Prints one line with the time since the script began. @param {string} text */
export function say(text) {
  process.stdout.write(`[${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s] ${text}\n`);
}

/** When each phase began and ended, in milliseconds since the script began; `npm run bench -- start` reads it. */
export const phases = {};

/** Notes how long the work of a phase takes. @template T @param {string} name @param {Promise<T>} work */
export async function phase(name, work) {
  const from = Date.now() - began;
  try {
    return await work;
  } finally {
    phases[name] = { from, to: Date.now() - began };
  }
}

/** Prints a block as it is. @param {string} text */
export const print = (text) => process.stdout.write(`${text}\n`);

/** A fault that is explained to the reader in one message, without a stack. */
export class Explained extends Error {}

/** Prints a fault. Anything that is not `Explained` is a fault of the scripts and shows its stack. */
export function complain(error) {
  const text = error instanceof Explained ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`\n${text}\n`);
}
