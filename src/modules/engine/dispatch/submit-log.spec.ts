import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment } from '../../../platform/config/index.js';
import {
  bootIdOf,
  leftKey,
  LifeSign,
  LOG_SUFFIX,
  type LoggedClaim,
  submitLogDirectory,
  readClaims,
  SLOT,
} from './submit-log-file.js';
import { SubmitLogs } from './submit-log.js';

const DATABASE_URL = 'mysql://user:secret@db.example:3306/one';
const LANE = { campaignId: 8_373_852_991_676_538, lane: 3, fence: 91_234_567_890 };
const recipients = (count: number, campaignId = LANE.campaignId) =>
  Array.from({ length: count }, (_, index) => ({ lane: { campaignId }, seq: index + 1 }));

describe('submit logs', () => {
  let owner: string;
  let logs: SubmitLogs;
  let directory: string;

  beforeEach(async () => {
    owner = mkdtempSync(join(tmpdir(), 'submit-logs-'));
    directory = submitLogDirectory(owner, DATABASE_URL);
    logs = new SubmitLogs({ DATA_DIR: owner, DATABASE_URL } as Environment);
    await logs.onModuleInit();
  });
  afterEach(async () => {
    await logs.onApplicationShutdown();
    rmSync(owner, { recursive: true });
  });

  const names = (): string[] => readdirSync(directory).flatMap((file) => (file.endsWith(LOG_SUFFIX) ? [file] : []));
  const written = (): LoggedClaim[] => names().flatMap((file) => readClaims(readFileSync(join(directory, file))));
  const left = (): number[] => written().flatMap((claim) => [...claim.left].map((key) => Number(key.split(' ')[1])));

  it('say of a claim that nothing has left, until something is about to', () => {
    const log = logs.begin(281_474_976_710_655, [LANE]);
    expect(written()).toEqual([{ id: 281_474_976_710_655, lanes: [LANE], left: new Set() }]);
    log.begin(recipients(20));
    expect(left()).toEqual([]);
    log.leaving(0, 4);
    expect(left()).toEqual([1, 2, 3, 4, 5]);
    for (const index of [1, 2, 3, 4]) log.leaving(index, 4 - index);
    expect(left()).toHaveLength(5);
    log.leaving(5, 9);
    expect(left()).toHaveLength(15);
    log.leaving(19);
    expect(left()).toHaveLength(16);
    log.end();
    expect(written()).toEqual([]);
  });

  it('name all that leave before they do, and few besides, in whatever order they leave', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(Array.from({ length: 60 }, (_, index) => index)), (order) => {
        const log = logs.begin(1, [LANE]);
        log.begin(recipients(60));
        const gone: number[] = [];
        for (const index of order) {
          const others = 9 - (gone.length % 10);
          log.leaving(index, others);
          log.leaving(index, others);
          gone.push(index + 1);
          const logged = left();
          expect(logged).toEqual(expect.arrayContaining(gone));
          expect(new Set(logged).size).toBe(logged.length);
          expect(logged.length - gone.length).toBeLessThanOrEqual(9);
        }
        log.end();
      }),
      { numRuns: 20 },
    );
  });

  it('name none but those of a write, when these follow each other', () => {
    const log = logs.begin(1, [LANE]);
    log.begin(recipients(60));
    let gone = 0;
    for (const size of [10, 3, 10, 1, 7, 10, 10, 9]) {
      for (let index = gone; index < gone + size; index++) log.leaving(index, gone + size - 1 - index);
      gone += size;
      expect(left()).toEqual(Array.from({ length: gone }, (_, index) => index + 1));
    }
    log.end();
  });

  it('keep batches apart, also in a slot that another has left', () => {
    const first = logs.begin(1, [LANE]);
    first.begin(recipients(500));
    for (let index = 0; index < 500; index++) first.leaving(index);
    const second = logs.begin(2, [{ ...LANE, lane: 4 }]);
    second.begin(recipients(3));
    second.leaving(2);
    first.end();
    const singles = Array.from({ length: 500 }, (_, index) => ({ campaignId: 1_000 + index, lane: 0, fence: 1 }));
    const third = logs.begin(3, singles);
    third.begin(singles.map((lane) => ({ lane, seq: 1 })));
    third.leaving(498);
    const [inFirst, inSecond] = written();
    expect(inFirst).toEqual({ id: 3, lanes: singles, left: new Set([leftKey(1_498, 1)]) });
    expect(inSecond).toEqual({ id: 2, lanes: [{ ...LANE, lane: 4 }], left: new Set([leftKey(LANE.campaignId, 3)]) });
    second.end();
    third.end();
  });

  it('keep what cannot be logged from leaving, rather than say too little', () => {
    const log = logs.begin(1, [LANE]);
    log.begin(recipients(10));
    const { file } = logs as unknown as { file: number };
    closeSync(file);
    const onlyRead = openSync(join(directory, names()[0] ?? ''), 'r');
    try {
      expect(onlyRead).toBe(file);
      for (const index of [0, 1, 0]) expect(() => log.leaving(index)).toThrow('EBADF');
      expect(left()).toEqual([]);
    } finally {
      log.end();
    }
  });

  it('do not make their file grow while the disk is full', () => {
    const { file } = logs as unknown as { file: number };
    const path = join(directory, names()[0] ?? '');
    closeSync(file);
    const onlyRead = openSync(path, 'r');
    expect(onlyRead).toBe(file);
    for (let batch = 0; batch < 50; batch++) logs.begin(batch, [LANE]).end();
    closeSync(onlyRead);
    expect(openSync(path, 'r+')).toBe(file);
    logs.begin(1, [LANE]).end();
    expect(readFileSync(path).length).toBeLessThan(2 * SLOT);
  });

  it('lie apart by database, under the boot of the machine', () => {
    expect(submitLogDirectory(owner, DATABASE_URL)).toBe(
      submitLogDirectory(owner, DATABASE_URL.replace('secret', 'other')),
    );
    expect(submitLogDirectory(owner, DATABASE_URL)).not.toBe(
      submitLogDirectory(owner, DATABASE_URL.replace('one', 'two')),
    );
    expect(bootIdOf(readFileSync(join(directory, names()[0] ?? '')))).toBe(
      readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    );
    expect(bootIdOf(Buffer.from('something else'))).toBeNull();
  });

  it('go with a worker that ends in peace, and stay with one that leaves a batch open', async () => {
    const log = logs.begin(1, [LANE]);
    await logs.onApplicationShutdown();
    expect(names()).toHaveLength(1);
    expect(written()).toMatchObject([{ id: 1 }]);
    log.end();
    logs = new SubmitLogs({ DATA_DIR: owner, DATABASE_URL } as Environment);
    await logs.onModuleInit();
    expect(names()).toHaveLength(2);
    await logs.onApplicationShutdown();
    expect(names()).toHaveLength(1);
  });

  it('are not kept where no directory can be made, and everything goes on', async () => {
    const nowhere = new SubmitLogs({ DATA_DIR: '/dev/null', DATABASE_URL } as Environment);
    await nowhere.onModuleInit();
    const log = nowhere.begin(1, [LANE]);
    log.begin(recipients(2));
    log.leaving(0);
    log.end();
    await nowhere.onApplicationShutdown();
  });
});

describe('the sign of a living process', () => {
  it('is there until its end, however deep the directory lies', async () => {
    const owner = mkdtempSync(join(tmpdir(), 'life-'));
    const directory = join(owner, 'x'.repeat(120), 'y'.repeat(120));
    const life = await LifeSign.show(directory);
    expect(await LifeSign.isGone(directory, life.name)).toBe(false);
    expect(await LifeSign.isGone(directory, 'never-there')).toBe(false);
    await life.end();
    expect(await LifeSign.isGone(directory, life.name)).toBe(true);
    rmSync(owner, { recursive: true });
  });
});
