import { closeSync, openSync, writeSync } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { PeriodicTask } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { LostClaims } from '../settle/lost-claims.js';
import { BATCH_RECIPIENTS } from './capacity.js';
import {
  bootId,
  bootIdOf,
  type ClaimedLane,
  FILE_HEADER,
  fileHeader,
  laneBytes,
  lanesAt,
  leftKey,
  LifeSign,
  NOTE,
  type LoggedClaim,
  submitLogDirectory,
  readClaims,
  RECORD,
  recordAt,
  removeSubmitLogs,
  SLOT,
  slotAt,
  slotHeader,
  writeRecord,
} from './submit-log-file.js';

/** A recipient as notes name it. */
export interface LoggedRecipient {
  lane: { campaignId: number };
  seq: number;
}

/** How a note stands in its file. */
interface NoteSlot {
  generation: number;
  /** @throws when neither the records nor the end of the note can be written */
  write(record: number, bytes: Buffer, length: number): void;
  clear(): void;
}

/** The note of one claim: recipients of it that are not named have certainly not left. */
export class SubmitLog {
  private recipients: readonly LoggedRecipient[] = [];
  /** by place in the window: noted, left */
  private isNoted = new Uint8Array(0);
  private hasLeft = new Uint8Array(0);
  /** noted, and not left yet */
  private ahead = 0;
  private records = 0;
  /** the note says too little from here on, so nothing more may leave */
  private fault: Error | null = null;

  /** @param slot null = nothing is noted: all of the window is in doubt when this process dies */
  constructor(private slot: NoteSlot | null) {}

  /** @param recipients more or less in the order in which they will leave */
  begin(recipients: readonly LoggedRecipient[]): void {
    this.recipients = recipients;
    this.isNoted = new Uint8Array(recipients.length);
    this.hasLeft = new Uint8Array(recipients.length);
    if (recipients.length > BATCH_RECIPIENTS) this.end();
  }

  /**
   * The recipient at that place is about to leave.
   * @param others how many more go into the same write: those that follow in the window are noted with it
   * @throws when that could not be noted: then it must stay
   */
  leaving(place: number, others = 0): void {
    if (this.fault) throw this.fault;
    if (!this.slot || this.hasLeft[place] === 1) return;
    if (this.isNoted[place] === 1) this.ahead -= 1;
    else this.note(this.slot, place, others);
    this.hasLeft[place] = 1;
  }

  /** The results of the window are written, or nothing of it has left and the claim is given back. */
  end(): void {
    this.slot?.clear();
    this.slot = null;
  }

  private note(slot: NoteSlot, place: number, others: number): void {
    const before = this.ahead;
    const bytes = Buffer.allocUnsafe((1 + others) * RECORD);
    try {
      let length = this.add(bytes, slot, place, 0);
      for (let next = place + 1; next < this.recipients.length && this.ahead < others; next++) {
        if (this.isNoted[next] === 1) continue;
        length = this.add(bytes, slot, next, length);
        this.ahead += 1;
      }
      slot.write(this.records, bytes, length);
    } catch (error) {
      this.fault = error instanceof Error ? error : new Error(String(error));
      throw this.fault;
    }
    this.records += 1 + this.ahead - before;
  }

  private add(bytes: Buffer, { generation }: NoteSlot, place: number, at: number): number {
    const { lane, seq } = this.recipients[place] as LoggedRecipient;
    this.isNoted[place] = 1;
    return writeRecord(bytes, at, generation, lane.campaignId, seq);
  }
}

/**
 * Notes of what this worker lets leave, in a file that outlives the process: the kernel keeps what was written even when
 * the process is killed. `LostSubmitLogs` reads them (docs/decisions/0015).
 */
@Injectable()
export class SubmitLogs implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(SubmitLogs.name);
  private readonly directory: string;
  private file: number | null = null;
  private life: LifeSign | null = null;
  private readonly free: number[] = [];
  private slots = 0;
  /** slots that have their place on the disk */
  private filled = 0;
  private open = 0;
  private generation = 0;

  constructor(@Inject(ENVIRONMENT) { DATA_DIR, DATABASE_URL }: Environment) {
    this.directory = submitLogDirectory(DATA_DIR, DATABASE_URL);
  }

  /** Without notes everything works as with them; a killed worker then leaves whole windows in doubt. */
  async onModuleInit(): Promise<void> {
    const boot = bootId();
    if (boot === null) return;
    try {
      this.life = await LifeSign.show(this.directory);
      this.file = openSync(join(this.directory, this.life.name + NOTE), 'wx', 0o600);
      writeSync(this.file, fileHeader(boot), 0, undefined, 0);
    } catch (error) {
      this.file = null;
      this.logger.warn({ err: error, directory: this.directory }, 'no notes of submits can be kept');
    }
  }

  /** What is still noted is another worker's to read. */
  async onApplicationShutdown(): Promise<void> {
    if (this.file !== null) closeSync(this.file);
    this.file = null;
    await this.life?.end();
    if (this.life && this.open === 0) removeSubmitLogs(this.directory, this.life.name);
  }

  /** Before the claim is made: from then on nothing of it has left unless the note says so. */
  begin(claimId: number, lanes: readonly ClaimedLane[]): SubmitLog {
    const { file } = this;
    if (file === null || lanes.length > BATCH_RECIPIENTS) return new SubmitLog(null);
    const slot = this.free.pop() ?? this.slots++;
    this.generation = (this.generation % 0xffffffff) + 1;
    const { generation } = this;
    try {
      // A new slot is filled at once: what is written into it later needs no room on the disk.
      if (slot >= this.filled) writeSync(file, Buffer.alloc(SLOT), 0, SLOT, slotAt(slot));
      this.filled = Math.max(this.filled, slot + 1);
      const bytes = laneBytes(lanes);
      writeSync(file, bytes, 0, bytes.length, lanesAt(slot));
      writeSync(file, slotHeader(generation, lanes.length, claimId), 0, undefined, slotAt(slot));
    } catch (error) {
      this.free.push(slot); // as it was: its header is the last that is written
      this.logger.warn({ err: error }, 'a window could not be noted');
      return new SubmitLog(null);
    }
    this.open += 1;
    return new SubmitLog(this.slotIn(file, slot, generation));
  }

  private slotIn(file: number, slot: number, generation: number): NoteSlot {
    let isNoted = true;
    const forget = (): void => {
      writeSync(file, slotHeader(0, 0, 0), 0, undefined, slotAt(slot));
      isNoted = false;
    };
    return {
      generation,
      write: (record, bytes, length) => {
        if (!isNoted) return;
        try {
          writeSync(file, bytes, 0, length, recordAt(slot, record));
        } catch (error) {
          this.logger.warn({ err: error }, 'a submit could not be noted');
          forget();
        }
      },
      clear: () => {
        this.open -= 1;
        try {
          if (isNoted && this.file !== null) forget();
          this.free.push(slot);
        } catch (error) {
          // Its claim is over, so that reading it comes to nothing.
          this.logger.warn({ err: error }, 'a note could not be cleared');
        }
      },
    };
  }
}

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
export class LostSubmitLogs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(LostSubmitLogs.name);
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
    this.directory = submitLogDirectory(DATA_DIR, DATABASE_URL);
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
      if (age > FOREIGN_MS) removeSubmitLogs(this.directory, name);
      return;
    }
    if (!(await LifeSign.isGone(this.directory, name))) return;
    // Once more: it may have been written between the first reading and the end of its process.
    const noted = readClaims(await readFile(path).catch(() => Buffer.alloc(0)));
    let waiting = 0;
    for (const claim of noted) if (!(await this.settle(claim, age))) waiting += 1;
    if (waiting === 0) removeSubmitLogs(this.directory, name);
  }

  /** @returns false while the claim is not over */
  private async settle({ id, lanes, left }: LoggedClaim, age: number): Promise<boolean> {
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
