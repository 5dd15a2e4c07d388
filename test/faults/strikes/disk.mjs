import { execFileSync } from 'node:child_process';
import {
  chownSync,
  mkdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
  openSync,
  closeSync,
  fsyncSync,
} from 'node:fs';
import { join } from 'node:path';

/** Beside what the database has: some seconds of traffic fit, so that it is full in the middle of it. */
const ROOM = 24 * 1024 * 1024;
const LEFT = 256 * 1024;
const CHUNK = Buffer.alloc(64 * 1024);

const sizeOf = (directory) =>
  Number(execFileSync('du', ['-sB1', '--apparent-size', directory], { encoding: 'utf8' }).split('\t')[0]);

/** Takes all room but a little. */
function fill(directory, file) {
  const filler = openSync(file, 'w');
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(directory);
      if (bavail * bsize <= LEFT) break;
      writeSync(filler, CHUNK);
      fsyncSync(filler);
    }
  } catch (error) {
    if (error.code !== 'ENOSPC') throw error;
  } finally {
    closeSync(filler);
  }
}

/** Puts the data of a stopped database onto a disk of its own that has little room (tmpfs). */
function moveOntoSmallDisk(data) {
  const before = `${data}.before`;
  const { uid, gid } = statSync(data);
  renameSync(data, before);
  mkdirSync(data, { mode: 0o700 });
  execFileSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${sizeOf(before) + ROOM},mode=700,uid=${uid},gid=${gid}`,
    'tmpfs',
    data,
  ]);
  chownSync(data, uid, gid);
  // with their owners, and with every byte: a hole would be room that is missing later
  execFileSync('cp', ['-a', '--sparse=never', `${before}/.`, data]);
  rmSync(before, { recursive: true });
}

export default {
  name: 'database-disk-full',
  shown: 'the disk of the database is full: nothing can be written that needs room (as root: a small tmpfs)',
  holdMs: [3_000, 6_000],
  spoils: true,
  async strike(scene, _seed, { say }) {
    if (process.getuid?.() !== 0)
      throw new Error('A disk that is full needs a mount of its own: run this fault as root');
    const { database } = scene;
    const data = join(database.directory, 'mariadb', 'data');
    await database.stop();
    moveOntoSmallDisk(data);
    // the mount ends when the server lets go of its last file
    scene.onEnd(() => execFileSync('umount', ['-l', data]));
    await database.start();
    const filler = join(data, 'filler');
    fill(data, filler);
    say('the disk is full');
    return async () => {
      rmSync(filler);
      if (!database.isAlive) await database.start();
    };
  },
};
