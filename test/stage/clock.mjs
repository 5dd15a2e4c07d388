import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrograms } from './servers.mjs';

const LIBRARIES = '/usr/lib';

/** libfaketime for programs of several threads. */
const findLibrary = () =>
  readdirSync(LIBRARIES)
    .map((directory) => join(LIBRARIES, directory, 'faketime/libfaketimeMT.so.1'))
    .find((file) => existsSync(file));

/**
 * Variables under which a process sees another time, such as '+25h' or '-90s'; what it measures (timers, time-outs) stays true.
 * @returns {Promise<Record<string, string>>}
 */
export async function shiftedClock(shift) {
  await ensurePrograms(['faketime'], [['faketime']]);
  return { LD_PRELOAD: findLibrary(), FAKETIME: shift, FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_NO_CACHE: '1' };
}
