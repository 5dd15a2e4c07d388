import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../../scripts/lib/environment.mjs';

/**
 * Starts a script of ours that speaks JSON, a line at a time. `next()` gives its next line, parsed; commands go to
 * `child.stdin`.
 * @param {string} script below the checkout @param {unknown[]} args @param {Record<string, string>} environment further variables
 */
export async function startScript(script, args = [], environment = {}) {
  const child = spawn(process.execPath, [join(ROOT, script), ...args.map(String)], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const ended = once(lines, 'close').then(() => {
    throw new Error(`${script} ended`);
  });
  ended.catch(() => undefined);
  const next = async () => JSON.parse((await Promise.race([once(lines, 'line'), ended]))[0]);
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { child, next, stop };
}
