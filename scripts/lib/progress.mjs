/** Progress lines of the start and test scripts. Plain text, so that they read well in a CI log. */

const began = Date.now();

/** @param {number} milliseconds */
export const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;

/** Prints one line with the time since the script began. @param {string} text */
export function say(text) {
  process.stdout.write(`[${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s] ${text}\n`);
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
