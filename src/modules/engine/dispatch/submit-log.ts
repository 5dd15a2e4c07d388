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
  LOG_SUFFIX,
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

export interface LoggedRecipient {
  lane: { campaignId: number };
  seq: number;
}

interface LogSlot {
  generation: number;
  /** @throws Error if neither the records nor the end of the log can be written */
  write(record: number, bytes: Buffer, length: number): void;
  clear(): void;
}

/** Submit log of one claim: recipients without a record have certainly not left. */
export class SubmitLog {
  private recipients: readonly LoggedRecipient[] = [];
  private isLogged = new Uint8Array(0);
  private hasLeft = new Uint8Array(0);
  /** recorded but not yet sent */
  private ahead = 0;
  private records = 0;
  /** set = the log is incomplete, so nothing more may leave */
  private fault: Error | null = null;

  /** @param slot null = no log: the whole batch is in doubt if this process dies */
  constructor(private slot: LogSlot | null) {}

  /** @param recipients roughly in the order of sending */
  begin(recipients: readonly LoggedRecipient[]): void {
    this.recipients = recipients;
    this.isLogged = new Uint8Array(recipients.length);
    this.hasLeft = new Uint8Array(recipients.length);
    if (recipients.length > BATCH_RECIPIENTS) this.end();
  }

  /** Call before sending. @param others following recipients in the same write @throws Error: the recipient must not be sent */
  leaving(index: number, others = 0): void {
    if (this.fault) throw this.fault;
    if (!this.slot || this.hasLeft[index] === 1) return;
    if (this.isLogged[index] === 1) this.ahead -= 1;
    else this.log(this.slot, index, others);
    this.hasLeft[index] = 1;
  }

  /** Call when the results are written, or nothing has left and the claim is given back. */
  end(): void {
    this.slot?.clear();
    this.slot = null;
  }

  private log(slot: LogSlot, index: number, others: number): void {
    const before = this.ahead;
    const bytes = Buffer.allocUnsafe((1 + others) * RECORD);
    try {
      let length = this.add(bytes, slot, index, 0);
      for (let next = index + 1; next < this.recipients.length && this.ahead < others; next++) {
        if (this.isLogged[next] === 1) continue;
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

  private add(bytes: Buffer, { generation }: LogSlot, index: number, at: number): number {
    const { lane, seq } = this.recipients[index] as LoggedRecipient;
    this.isLogged[index] = 1;
    return writeRecord(bytes, at, generation, lane.campaignId, seq);
  }
}

/** Submit logs of this worker, in a file that survives a kill; `LostSubmitLogs` reads them (docs/decisions/0015). */
@Injectable()
export class SubmitLogs implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(SubmitLogs.name);
  private readonly directory: string;
  private file: number | null = null;
  private life: LifeSign | null = null;
  private readonly free: number[] = [];
  private slots = 0;
  /** slots allocated on disk */
  private filled = 0;
  private open = 0;
  private generation = 0;

  constructor(@Inject(ENVIRONMENT) { DATA_DIR, DATABASE_URL }: Environment) {
    this.directory = submitLogDirectory(DATA_DIR, DATABASE_URL);
  }

  /** Without submit logs all works the same, except that a killed worker leaves whole batches in doubt. */
  async onModuleInit(): Promise<void> {
    const boot = bootId();
    if (boot === null) return;
    try {
      this.life = await LifeSign.show(this.directory);
      this.file = openSync(join(this.directory, this.life.name + LOG_SUFFIX), 'wx', 0o600);
      writeSync(this.file, fileHeader(boot), 0, undefined, 0);
    } catch (error) {
      this.file = null;
      this.logger.warn({ err: error, directory: this.directory }, 'no submit logs can be written');
    }
  }

  /** Open logs are left for another worker to read. */
  async onApplicationShutdown(): Promise<void> {
    if (this.file !== null) closeSync(this.file);
    this.file = null;
    await this.life?.end();
    if (this.life && this.open === 0) removeSubmitLogs(this.directory, this.life.name);
  }

  /** Call before the claim: from then on only recorded recipients may have left. */
  begin(claimId: number, lanes: readonly ClaimedLane[]): SubmitLog {
    const { file } = this;
    if (file === null || lanes.length > BATCH_RECIPIENTS) return new SubmitLog(null);
    const slot = this.free.pop() ?? this.slots++;
    this.generation = (this.generation % 0xffffffff) + 1;
    const { generation } = this;
    try {
      // A new slot is filled at once, so that later writes need no disk space.
      if (slot >= this.filled) writeSync(file, Buffer.alloc(SLOT), 0, SLOT, slotAt(slot));
      this.filled = Math.max(this.filled, slot + 1);
      const bytes = laneBytes(lanes);
      writeSync(file, bytes, 0, bytes.length, lanesAt(slot));
      writeSync(file, slotHeader(generation, lanes.length, claimId), 0, undefined, slotAt(slot));
    } catch (error) {
      this.free.push(slot); // unchanged: the header is written last
      this.logger.warn({ err: error }, 'a batch could not be logged');
      return new SubmitLog(null);
    }
    this.open += 1;
    return new SubmitLog(this.slotIn(file, slot, generation));
  }

  private slotIn(file: number, slot: number, generation: number): LogSlot {
    let isLogged = true;
    const forget = (): void => {
      writeSync(file, slotHeader(0, 0, 0), 0, undefined, slotAt(slot));
      isLogged = false;
    };
    return {
      generation,
      write: (record, bytes, length) => {
        if (!isLogged) return;
        try {
          writeSync(file, bytes, 0, length, recordAt(slot, record));
        } catch (error) {
          this.logger.warn({ err: error }, 'a submit could not be logged');
          forget();
        }
      },
      clear: () => {
        this.open -= 1;
        try {
          if (isLogged && this.file !== null) forget();
          this.free.push(slot);
        } catch (error) {
          // Harmless: its claim is over.
          this.logger.warn({ err: error }, 'a submit log could not be cleared');
        }
      },
    };
  }
}

const POLL_EVERY_MS = 2_000;
/** After this time, a claim in flight when its worker was killed is either committed or lost. */
const ON_ITS_WAY_MS = 600_000;
/** Logs of an earlier boot or another machine are useless; those of a living worker are younger. */
const FOREIGN_MS = 86_400_000;

/** Retries recipients of killed workers on this machine that certainly did not leave (docs/decisions/0015). */
@Injectable()
export class LostSubmitLogs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(LostSubmitLogs.name);
  private readonly directory: string;
  private readonly task = new PeriodicTask(
    POLL_EVERY_MS,
    () => this.poll(),
    (error) => this.logger.warn({ err: error }, 'submit logs could not be read, trying again'),
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

  /** Reads all logs once. Several workers may do so concurrently. */
  async poll(): Promise<void> {
    const boot = bootId();
    if (boot === null) return;
    const files = await readdir(this.directory).catch((): string[] => []);
    for (const name of files.flatMap((file) =>
      file.endsWith(LOG_SUFFIX) ? [file.slice(0, -LOG_SUFFIX.length)] : [],
    )) {
      await this.read(name, boot);
    }
  }

  private async read(name: string, boot: string): Promise<void> {
    const path = join(this.directory, name + LOG_SUFFIX);
    // Another worker may have removed it.
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
    // Read again: the process may have written between the first read and its end.
    const claims = readClaims(await readFile(path).catch(() => Buffer.alloc(0)));
    let waiting = 0;
    for (const claim of claims) if (!(await this.settle(claim, age))) waiting += 1;
    if (waiting === 0) removeSubmitLogs(this.directory, name);
  }

  /** @returns false while the claim is not over */
  private async settle({ id, lanes, left }: LoggedClaim, age: number): Promise<boolean> {
    const claim = { id, lanes, mayHaveLeft: (campaignId: number, seq: number) => left.has(leftKey(campaignId, seq)) };
    const standing = await this.claims.standing(claim);
    if (standing === 'held' || (standing === 'unmade' && age < ON_ITS_WAY_MS)) return false;
    const back = await this.claims.takeBack(claim);
    if (back > 0)
      this.logger.log(
        { recipients: back, mayHaveLeft: left.size },
        'recipients of a killed worker never left: sent again',
      );
    return true;
  }
}

/** Only the header: logs of living workers are read too, and may be large. */
async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FILE_HEADER), 0, FILE_HEADER, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
