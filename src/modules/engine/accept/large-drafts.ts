import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import {
  execute,
  inTransaction,
  isDuplicateKey,
  type WriteResult,
  LeasedTable,
} from '../../../platform/database/index.js';
import { LeaderGate, SharedTask } from '../../../platform/periodic/index.js';
import { safeError } from '../../../platform/observability/index.js';
import type { CreditBook } from '../../credits/index.js';
import { CampaignWriter, type WrittenFor } from './campaign-writer.js';
import { blocksOf, type CampaignDraft, type DraftHead, type DraftSum, type RecipientPage } from './draft.js';
import { ACCEPTANCE_LEASE_MS } from '../tables.js';

type Priced = Pick<WrittenFor, 'draft' | 'sum'>;

export interface LargeDraftSteps {
  /** Records that an acceptance is running. */
  begin: (id: number) => Promise<void>;
  write: (id: number, page: RecipientPage, priced: Priced | null) => Promise<void>;
  abandon: (id: number) => Promise<void>;
}

/** While one commit is flushed to disk, the next one inserts its rows. */
const COMMITS_AT_ONCE = 2;
const MAX_TRIES = 6;

/** Writes the recipients of one large draft before its campaign exists. */
class LargeDraftRows {
  /** the id, once the first page is written; null = not begun, or abandoned */
  private first: Promise<number> | null = null;
  private written = 0;
  private isKept = false;
  private readonly running = new Set<Promise<void>>();
  private failure: { error: unknown } | null = null;

  constructor(private readonly steps: LargeDraftSteps) {}

  /** Writes a page; resolves when there is room for another. The first one goes alone: it reserves the id in the database. */
  async add(page: RecipientPage, priced: Priced | null = null): Promise<void> {
    if (this.first) await this.writeNext(await this.first, page, priced);
    else this.begin(page, priced);
    this.written += page.numbers.length;
  }

  /** Waits for all writes and returns the id that the campaign must have. */
  async end(total: number): Promise<number> {
    await this.settled();
    const id = await this.first;
    if (id === null || this.written !== total) {
      throw new Error(`${total} recipients were priced, and ${this.written} written`);
    }
    return id;
  }

  /** Marks the recipients as owned by a stored campaign. */
  keep(): void {
    this.isKept = true;
  }

  /** Removes the written rows unless a campaign was stored. */
  async abandon(): Promise<void> {
    const id = await this.first?.catch(() => null); // a failed first page removes its own rows
    this.first = null;
    await Promise.all(this.running);
    if (typeof id === 'number' && !this.isKept) await this.steps.abandon(id);
  }

  /** A fault is thrown by the next page or by `end`. */
  private begin(page: RecipientPage, priced: Priced | null): void {
    this.first = this.writeFirst(page, priced);
    this.first.catch(() => undefined);
  }

  private async writeFirst(page: RecipientPage, priced: Priced | null): Promise<number> {
    for (let tries = 1; ; tries++) {
      const id = newId();
      let isBegun = false;
      try {
        await this.steps.begin(id);
        isBegun = true;
        await this.steps.write(id, page, priced);
        return id;
      } catch (error) {
        const isTaken = isDuplicateKey(error);
        // If another process owns this id, do not delete its rows.
        if (isBegun || !isTaken) await this.steps.abandon(id);
        if (!isTaken || tries >= MAX_TRIES) throw error;
      }
    }
  }

  private async writeNext(id: number, page: RecipientPage, priced: Priced | null): Promise<void> {
    while (this.running.size >= COMMITS_AT_ONCE) await Promise.race(this.running);
    this.throwFailure();
    const writing: Promise<void> = this.steps
      .write(id, page, priced)
      .catch((error: unknown) => void (this.failure ??= { error }))
      .finally(() => void this.running.delete(writing));
    this.running.add(writing);
  }

  private async settled(): Promise<void> {
    await Promise.all(this.running);
    this.throwFailure();
  }

  private throwFailure(): void {
    if (this.failure) throw this.failure.error;
  }
}

interface SoFar {
  charged: number;
  balance: CampaignDraft['balance'];
}

/** Writes the recipients of a large send while the remaining ones are priced, as long as the balance covers them. */
export class LargeDraft {
  private available: number | null = null;
  private isShort = false;

  constructor(
    readonly rows: LargeDraftRows,
    private readonly accountId: number,
    private readonly credits: Pick<CreditBook, 'available'>,
  ) {}

  /** Available credits when they no longer sufficed; null = they suffice. */
  get shortOf(): number | null {
    return this.isShort ? this.available : null;
  }

  /** Writes the next page in order; resolves when there is room for another. */
  async take(page: RecipientPage, { charged, balance }: SoFar): Promise<void> {
    this.available ??= await this.credits.available(this.accountId, balance);
    this.isShort ||= charged > this.available;
    if (!this.isShort) await this.rows.add(page);
  }

  abandon(): Promise<void> {
    return this.rows.abandon();
  }
}

export interface DraftRecipients {
  total: number;
  sum: DraftSum;
  /** of a large send: recipients already written; `pages` yields only what is missing */
  largeDraft?: LargeDraft;
  pages(): Iterable<RecipientPage>;
}

/** Joins all recipients of a small draft into one page. */
export function wholePage(recipients: DraftRecipients): RecipientPage {
  const all = [...recipients.pages()];
  const [first] = all;
  if (first && all.length === 1) return first;
  return {
    from: 0,
    numbers: all.flatMap(({ numbers }) => numbers),
    ...(all.some(({ terms }) => terms) && {
      terms: all.flatMap(({ numbers, terms }) => terms ?? numbers.map(() => null)),
    }),
    ...(all.some(({ blocks }) => blocks) && {
      blocks: all.flatMap(({ numbers, blocks }) => blocks ?? blocksOf(numbers.map(() => undefined))),
    }),
    ...(all.some(({ sources }) => sources) && { sources: all.flatMap(({ sources = [] }) => sources) }),
  };
}

const TABLE = 'acceptances_under_way';
const UNDER_WAY = new LeasedTable({ table: TABLE, key: ['campaign_id'] });
/** The fence before any sweeper has claimed the row. */
const WRITERS_FENCE = 0;
const ROWS_A_REMOVAL = 5_000;
/** Tables by the second column of their keys; recipients last (see `discard`). */
const WRITTEN = [
  ['recipient_variables', 'block'],
  ['recipient_terms', 'seq'],
  ['campaign_recipients', 'seq'],
] as const;
const ORPHANS_A_SWEEP = 10;

/** The lease expired and a sweeper removed the recipients. */
class LargeDraftLost extends Error {
  override readonly name = 'LargeDraftLost';

  constructor() {
    super('The lease of an acceptance expired and its recipients were removed');
  }
}

/**
 * Writes a large draft's recipients in bounded commits before the campaign (docs/decisions/0025): one transaction of 200,000
 * rows would block all commits for seconds. Readers find recipients only through the campaign's row. A row in
 * `acceptances_under_way`, deleted with the last commit, lets a sweeper remove what a killed writer left.
 */
@Injectable()
export class LargeDraftRecipients {
  private readonly logger = new Logger(LargeDraftRecipients.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly writer: CampaignWriter,
  ) {}

  open(): LargeDraftRows {
    return new LargeDraftRows({
      begin: (id) => this.begin(id),
      write: (id, page, priced) => this.writeSome(id, page, priced),
      abandon: (id) => this.abandon(id),
    });
  }

  /** Writes what is missing of the recipients and terms. @returns the id that the campaign must have */
  async write(draft: DraftHead, recipients: DraftRecipients, rows = this.open()): Promise<number> {
    const { total, sum } = recipients;
    for (const page of recipients.pages()) await rows.add(page, { draft, sum });
    return rows.end(total);
  }

  /** Call in the transaction that writes the campaign: its recipients are then no orphans. */
  async end(tx: EntityManager, id: number): Promise<void> {
    const ended: WriteResult = await tx.query(`DELETE FROM ${TABLE} WHERE campaign_id = ? AND fence = ?`, [
      id,
      WRITERS_FENCE,
    ]);
    if (ended.affectedRows === 0) throw new LargeDraftLost();
  }

  /** As `discard`, but never fails: the sweeper removes what is left. */
  async abandon(id: number): Promise<void> {
    await this.discard(id).catch((error: unknown) => {
      this.logger.warn({ err: safeError(error), campaign: id }, 'recipients without a campaign wait for the sweeper');
    });
  }

  /** Removes an acceptance without a campaign, some rows at a time. The first recipient goes last: it keeps the id reserved. */
  async discard(id: number, fence = WRITERS_FENCE, isStopped: () => boolean = () => false): Promise<void> {
    const step = (): Promise<boolean> =>
      inTransaction(this.dataSource, async (tx) => {
        if (!(await UNDER_WAY.renew(tx, [id], fence, ACCEPTANCE_LEASE_MS))) return false;
        if (await this.removeSome(tx, id)) return true;
        await tx.query(`DELETE FROM ${TABLE} WHERE campaign_id = ?`, [id]);
        return false;
      });
    while (!isStopped() && (await step()));
  }

  /** Removes what killed processes left. Several workers may run it concurrently. */
  async sweep(isStopped: () => boolean = () => false): Promise<void> {
    const found = await this.dataSource.query<{ id: number; fence: number }[]>(
      `SELECT campaign_id AS id, fence FROM ${TABLE} WHERE lease_until <= UTC_TIMESTAMP(3)
       ORDER BY lease_until LIMIT ${ORPHANS_A_SWEEP}`,
    );
    for (const { id, fence } of found) {
      if (isStopped()) return;
      if (await UNDER_WAY.claim(this.dataSource, [id], ACCEPTANCE_LEASE_MS, { fence }))
        await this.discard(id, fence + 1, isStopped);
    }
  }

  private async begin(id: number): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO ${TABLE} (campaign_id, fence, lease_until, started_at)
       VALUES (?, ?, UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND, UTC_TIMESTAMP(3))`,
      [id, WRITERS_FENCE, ACCEPTANCE_LEASE_MS * 1000],
    );
  }

  /** Renews the lease last: the commit decides whether a sweeper was faster, and the row is locked only briefly. */
  private async writeSome(id: number, page: RecipientPage, priced: Priced | null): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      await execute(tx, this.writer.page({ id, ...priced }, page));
      if (!(await UNDER_WAY.renew(tx, [id], WRITERS_FENCE, ACCEPTANCE_LEASE_MS))) throw new LargeDraftLost();
    });
  }

  private async removeSome(tx: EntityManager, id: number): Promise<boolean> {
    // Another process has stored a campaign under this id at the same moment: the rows are its own.
    const campaigns: unknown[] = await tx.query('SELECT 1 FROM campaigns WHERE id = ?', [id]);
    if (campaigns.length > 0) return false;
    let isMore = false;
    for (const [table, key] of WRITTEN) {
      const removed: WriteResult = await tx.query(
        `DELETE FROM ${table} WHERE campaign_id = ? ORDER BY ${key} DESC LIMIT ${ROWS_A_REMOVAL}`,
        [id],
      );
      isMore ||= removed.affectedRows === ROWS_A_REMOVAL;
    }
    return isMore;
  }
}

const SWEEP_EVERY_MS = 60_000;

/** Removes, once a minute in the worker, recipients of killed acceptances. */
@Injectable()
export class OrphanSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(OrphanSweeper.name);
  private readonly task: SharedTask;

  constructor(gate: LeaderGate, largeDrafts: LargeDraftRecipients) {
    this.task = new SharedTask(gate, {
      name: 'orphan-sweep',
      everyMs: SWEEP_EVERY_MS,
      work: () => largeDrafts.sweep(() => this.task.isStopped),
      onFault: (error) =>
        this.logger.warn({ err: safeError(error) }, 'recipients without a campaign could not be removed'),
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }
}
