import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { isFree } from '../../scripts/lib/processes.mjs';

/** Below what kernels give to calls that go out: one of those may have a port by the time its server begins, or begins again. */
const FIRST = 15_000;
const PARTS = 30;
const PORTS_A_PART = 500;

/** The first port of the part that is this process's. */
let own = null;

/**
 * A part that no other process has, for as long as this one lives: its first port says so. A server that is down for a moment must
 * not find its port with a server of another run.
 */
async function takePart() {
  for (let tries = 0; tries < 10 * PARTS; tries++) {
    const first = FIRST + randomInt(PARTS) * PORTS_A_PART;
    const mark = createServer().unref().listen({ port: first, host: '127.0.0.1', exclusive: true });
    const isOwn = await once(mark, 'listening').then(
      () => true,
      () => false,
    );
    if (isOwn) return first;
  }
  throw new Error('no part of the ports is free');
}

/** One after the other: a port that was given away just now may be free still, because its server has not begun. */
let given = 0;

/** A free port of 127.0.0.1 that stays its server's own over restarts. */
export async function lastingPort() {
  own ??= takePart();
  const first = await own;
  for (;;) {
    const port = first + 1 + (given++ % (PORTS_A_PART - 1));
    if (await isFree(port)) return port;
  }
}
