import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { PeriodicTask } from '../../../platform/concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { LostClaims } from '../settle/lost-claims.js';
import { bootId, LifeSign, NOTE, noteDirectory, removeNotes } from './submit-note-home.js';
import { bootIdOf, FILE_HEADER, leftKey, type NotedClaim, readClaims } from './submit-note-layout.js';

const LOOK_EVERY_MS = 2_000;
/** A claim that was on its way when its worker was killed has arrived by then, or never will. */
const ON_ITS_WAY_MS = 600_000;
/** Notes of an earlier boot, or another machine, are of no use; those of a living worker are written more often. */
const FOREIGN_MS = 86_400_000;

/**
 * Reads the notes of workers of this machine that were killed, and gives those a new try that never left
 * (docs/decisions/0015). What is not certain is not believed: only notes of this boot, of a process that is gone.
 */
@Injectable()
export class LostNotes implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(LostNotes.name);
  private readonly directory: string;
  private readonly task = new PeriodicTask(
    LOOK_EVERY_MS,
    () => this.look(),
    (error) => this.logger.warn({ err: error }, 'notes could not be read, trying again'),
  );

  constructor(
    @Inject(ENVIRONMENT) { DATA_DIR, DATABASE_URL }: Environment,
    private readonly claims: LostClaims,
  ) {
    this.directory = noteDirectory(DATA_DIR, DATABASE_URL);
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** One look at all notes. Any number of workers may do so at the same time. */
  async look(): Promise<void> {
    const boot = bootId();
    if (boot === null) return;
    const files = await readdir(this.directory).catch((): string[] => []);
    for (const name of files.flatMap((file) => (file.endsWith(NOTE) ? [file.slice(0, -NOTE.length)] : []))) {
      await this.read(name, boot);
    }
  }

  private async read(name: string, boot: string): Promise<void> {
    const path = join(this.directory, name + NOTE);
    // Another worker may have been faster.
    const written = await stat(path).catch(() => null);
    if (!written) return;
    const age = Date.now() - written.mtimeMs;
    const head = await headOf(path).catch(() => null);
    if (!head) return;
    if (bootIdOf(head) !== boot) {
      if (age > FOREIGN_MS) removeNotes(this.directory, name);
      return;
    }
    if (!(await LifeSign.isGone(this.directory, name))) return;
    // Once more: it may have been written between the first reading and the end of its process.
    const noted = readClaims(await readFile(path).catch(() => Buffer.alloc(0)));
    let waiting = 0;
    for (const claim of noted) if (!(await this.settle(claim, age))) waiting += 1;
    if (waiting === 0) removeNotes(this.directory, name);
  }

  /** @returns false while the claim is not over */
  private async settle({ id, lanes, left }: NotedClaim, age: number): Promise<boolean> {
    const claim = { id, lanes, mayHaveLeft: (campaignId: number, seq: number) => left.has(leftKey(campaignId, seq)) };
    const standing = await this.claims.standing(claim);
    if (standing === 'held' || (standing === 'unmade' && age < ON_ITS_WAY_MS)) return false;
    const back = await this.claims.takeBack(claim);
    if (back > 0) this.logger.log({ recipients: back, mayHaveLeft: left.size }, 'of a killed worker: never left');
    return true;
  }
}

/** Those of living workers are looked at as well, and may be large. */
async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FILE_HEADER), 0, FILE_HEADER, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
