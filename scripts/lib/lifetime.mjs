import { setTimeout as sleep } from 'node:timers/promises';
import { stopRunning } from './processes.mjs';
import { complain, say } from './progress.mjs';

/**
 * Collects what has to be stopped and stops it once, the latest first, on Ctrl-C, SIGTERM, a closed terminal, the end
 * of the npm that called us, or a failure.
 */
export class Lifetime {
  #stops = [];
  #stopping = null;
  #parent = process.ppid;

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, () => {
        if (this.#stopping === null) process.stdout.write('\n');
        const code = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal];
        void this.end(process.exitCode ?? code);
      });
    }
    // npm runs us through a shell that may die of a signal without handing it on
    if (process.env.npm_lifecycle_event !== undefined) {
      setInterval(() => process.ppid !== this.#parent && this.end(143), 500).unref();
    }
  }

  /** True from the first request to stop. */
  get isEnding() {
    return this.#stopping !== null;
  }

  /** @param {() => Promise<void>} stop run before everything registered earlier */
  onEnd(stop) {
    if (this.#stopping === null) this.#stops.push(stop);
    else void stop();
  }

  /**
   * Stops everything and ends the process. Safe to call more than once.
   * @param {number} code @param {() => void} [last] run when all is stopped, so that its words are the last ones
   */
  end(code, last) {
    this.#stopping ??= this.#run().then(() => {
      last?.();
      process.exit(code);
    });
    return this.#stopping;
  }

  async #run() {
    if (this.#stops.length > 0) say('Stopping');
    await stopRunning();
    for (const stop of this.#stops.reverse()) {
      await stop().catch(complain);
    }
    await sleep(20);
  }
}
