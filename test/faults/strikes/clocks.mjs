import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLOCK_SETTINGS, clockLibrary } from '../../stage/clock.mjs';

const SECONDS_BETWEEN = [1, 3];
const HOUR = 3_600;
const MINUTE = 60;

/** A clock that a test moves while processes run by it. What counts seconds since the start of the machine goes on as it did. */
class Clock {
  constructor(file) {
    this.file = file;
    this.set(0);
  }

  async environment() {
    return {
      LD_PRELOAD: await clockLibrary(),
      FAKETIME_TIMESTAMP_FILE: this.file,
      ...CLOCK_SETTINGS,
      FAKETIME_DONT_RESET: '1',
    };
  }

  /** In one step, so that nobody reads half a number. @param seconds ahead of the true time; below 0: behind it */
  set(seconds) {
    writeFileSync(`${this.file}.new`, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}s\n`);
    renameSync(`${this.file}.new`, this.file);
  }

  /** Ahead, right, behind and right again, or the other way round, in jumps. */
  async jump(seed, most, say) {
    const away = seed.between(Math.ceil(most / 4), most);
    for (const seconds of seed.shuffle([away, -away, 0])) {
      say(`the clock is ${seconds} s off`);
      this.set(seconds);
      await sleep(seed.between(...SECONDS_BETWEEN) * 1_000);
    }
  }
}

export default [
  {
    name: 'host-clock-jumps',
    shown: 'the clocks of one API and one worker jump by hours, ahead and back (libfaketime)',
    spoils: true,
    async strike(scene, seed, { say }) {
      const clock = new Clock(join(scene.directory, 'host-clock'));
      const environment = await clock.environment();
      for (const app of [seed.pick(scene.apis), seed.pick(scene.workers)]) {
        await app.end();
        await app.start(environment);
      }
      await clock.jump(seed, 25 * HOUR, say);
      return () => clock.set(0);
    },
  },
  {
    name: 'database-clock-jumps',
    shown: 'the clock of the database jumps by up to 40 minutes, ahead and back (libfaketime)',
    spoils: true,
    async strike(scene, seed, { say }) {
      const clock = new Clock(join(scene.directory, 'database-clock'));
      const environment = await clock.environment();
      await scene.database.stop();
      await scene.database.start({ env: environment });
      await clock.jump(seed, 40 * MINUTE, say);
      return () => clock.set(0);
    },
  },
];
