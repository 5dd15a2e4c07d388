import { existsSync } from 'node:fs';
import { installPackages } from '../../scripts/lib/packages.mjs';

/** libfaketime for programs of several threads. */
const LIBRARIES = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (kind) => `/usr/lib/${kind}/faketime/libfaketimeMT.so.1`,
);

/** The library by which a process sees another clock; as root on Debian it is installed. */
export async function clockLibrary() {
  const find = () => LIBRARIES.find((path) => existsSync(path));
  if (find() === undefined) await installPackages([['libfaketime']]).catch(() => false);
  const found = find();
  if (found === undefined) throw new Error('libfaketime was not found: install the package libfaketime');
  return found;
}

/** Variables of libfaketime that are always so: what counts seconds since the start of the machine stays true. */
export const CLOCK_SETTINGS = { FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' };

/** Variables under which a process sees another time, such as '+25h' or '-90s'. */
export const shiftedClock = async (shift) => ({
  LD_PRELOAD: await clockLibrary(),
  FAKETIME: shift,
  ...CLOCK_SETTINGS,
});
