import { randomInt } from 'node:crypto';
import { isFree } from '../../scripts/lib/processes.mjs';

/** Below what kernels give to calls that go out: one of those may have a port by the time its server begins, or begins again. */
const FIRST = 15_000;
const COUNT = 15_000;

/** A free port of 127.0.0.1 that stays its server's own over restarts. */
export async function lastingPort() {
  for (;;) {
    const port = FIRST + randomInt(COUNT);
    if (await isFree(port)) return port;
  }
}
