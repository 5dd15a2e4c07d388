import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { inTransaction, isDuplicateKey, type WriteResult, LeasedTable } from '../../../platform/database/index.js';
import { LeaderGate, SharedTask } from '../../../platform/periodic/index.js';
import { safeError } from '../../../platform/observability/index.js';
import type { CreditBook } from '../../credits/index.js';
import { CampaignWriter, type WrittenFor } from './campaign-writer.js';
import { blocksOf, type CampaignDraft, type DraftHead, type DraftSum, type RecipientPage } from './draft.js';
import { ACCEPTANCE_LEASE_MS } from '../tables.js';

/** What pages are priced by, once all recipients are known. */
type Priced = Pick<WrittenFor, 'draft' | 'sum'>;

/** The steps of a stage, each a transaction. */
export interface LargeDraftSteps {
  /** Says that an acceptance is under way. */
  begin: (id: number) => Promise<void>;
  write: (id: number, page: RecipientPage, priced: Priced | null) => Promise<void>;
  /** Removes what was written, and never fails. */
  abandon: (id: number) => Promise<void>;
}

/** While one commit is written to the disk, the next one's rows are inserted. */
const COMMITS_AT_ONCE = 2;
const ROUNDS = 6;

/** The recipients of one large acceptance on their way into the database, before there is a campaign of them. */
class Stage {
  /** the id, once the first page is written under it; null = nothing was begun, or it was abandoned */
  private first: Promise<number> | null = null;
  private written = 0;
  private isKept = false;
  private readonly running = new Set<Promise<void>>();
  private failure: { error: unknown } | null = null;

  constructor(private readonly steps: LargeDraftSteps) {}

  /**
   * Writes a page. The first one alone: it takes the id from every other process, so that no later ones can stray into its
   * campaign; the others some at a time. Comes back when there is room for another, which may be judged meanwhile.
   * @param priced absent = the page is without terms
   */
  async add(page: RecipientPage, priced: Priced | null = null): Promise<void> {
    if (this.first) await this.writeNext(await this.first, page, priced);
    else this.begin(page, priced);
    this.written += page.numbers.length;
  }

  /** Waits until everything is written. @returns the id that the campaign must have */
  async end(total: number): Promise<number> {
    await this.settled();
    const id = await this.first;
    if (id === null || this.written !== total) {
      throw new Error(`${total} recipients were judged, and ${this.written} written`);
    }
    return id;
  }

  /** The campaign is there. */
  keep(): void {
    this.isKept = true;
  }

  /** Removes what was written, if no campaign has come of it. */
  async abandon(): Promise<void> {
    const id = await this.first?.catch(() => null); // one that fails removes what it has begun
    this.first = null;
    await Promise.all(this.running);
    if (typeof id === 'number' && !this.isKept) await this.steps.abandon(id);
  }

  /** Its faults are those of the next page, or of the end. */
  private begin(page: RecipientPage, priced: Priced | null): void {
    this.first = this.writeFirst(page, priced);
    this.first.catch(() => undefined);
  }

  private async writeFirst(page: RecipientPage, priced: Priced | null): Promise<number> {
    for (let round = 1; ; round++) {
      const id = newId();
      let isBegun = false;
      try {
        await this.steps.begin(id);
        isBegun = true;
        await this.steps.write(id, page, priced);
        return id;
      } catch (error) {
        const isTaken = isDuplicateKey(error);
        // Who could not begin because another process writes under this id must not touch what that one has written.
        if (isBegun || !isTaken) await this.steps.abandon(id);
        if (!isTaken || round >= ROUNDS) throw error;
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

/** What the recipients of a send come to so far. */
interface SoFar {
  /** credits */
  charged: number;
  balance: CampaignDraft['balance'];
}

/** A large send whose recipients are written while the rest of them is judged, as long as its account can pay for them. */
export class Staging {
  private available: number | null = null;
  private isShort = false;

  constructor(
    readonly stage: Stage,
    private readonly accountId: number,
    private readonly credits: Pick<CreditBook, 'available'>,
  ) {}

  /** Credits that the account had when they did not suffice any more; null = they did. */
  get shortOf(): number | null {
    return this.isShort ? this.available : null;
  }

  /** Takes the next page, after those before; comes back when there is room for another. */
  async take(page: RecipientPage, { charged, balance }: SoFar): Promise<void> {
    this.available ??= await this.credits.available(this.accountId, balance);
    this.isShort ||= charged > this.available;
    if (!this.isShort) await this.stage.add(page);
  }

  /** Removes what was written, if no campaign has come of it. */
  abandon(): Promise<void> {
    return this.stage.abandon();
  }
}

/** The recipients of a draft, and what they come to. */
export interface DraftRecipients {
  total: number;
  sum: DraftSum;
  /** of a large send: they were written while they were judged; `pages` has what is missing */
  staging?: Staging;
  /** in order */
  pages(): Iterable<RecipientPage>;
}

/** All recipients of a small draft at once. */
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
/** Only its writer has had the row. */
const WRITERS_FENCE = 0;
const ROWS_A_REMOVAL = 5_000;
/** By the second column of their keys; the recipients last. */
const WRITTEN = [
  ['recipient_variables', 'block'],
  ['recipient_terms', 'seq'],
  ['campaign_recipients', 'seq'],
] as const;
const ORPHANS_A_SWEEP = 10;

/** The lease was over, and a sweeper has taken the recipients for orphans. */
class LargeDraftLost extends Error {
  override readonly name = 'LargeDraftLost';

  constructor() {
    super('An acceptance was held up for so long that its recipients were swept');
  }
}

/**
 * Recipients of a large acceptance, written in bounded commits before their campaign is (docs/decisions/0025): one
 * transaction of 200,000 rows would hold up the commits of all others for seconds. Nothing finds them until the last
 * transaction writes the campaign, because every reader comes by the campaign's row. What was not finished is removed by its
 * writer, or, when that was killed, by a sweeper: a row that is written first and removed by the last transaction tells of it.
 */
@Injectable()
export class LargeDraftRecipients {
  private readonly logger = new Logger(LargeDraftRecipients.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly writer: CampaignWriter,
  ) {}

  /** Where recipients can be put before it is known whether there will be a campaign of them. */
  open(): Stage {
    return new Stage({
      begin: (id) => this.begin(id),
      write: (id, page, priced) => this.writeSome(id, page, priced),
      abandon: (id) => this.abandon(id),
    });
  }

  /**
   * Writes the recipients and their terms, or what is missing of them on the stage, whose owner abandons it if that fails.
   * @returns the id that their campaign must have
   */
  async write(draft: DraftHead, recipients: DraftRecipients, stage = this.open()): Promise<number> {
    const { total, sum } = recipients;
    for (const page of recipients.pages()) await stage.add(page, { draft, sum });
    return stage.end(total);
  }

  /** In the transaction that writes the campaign: its recipients are no orphans any more. */
  async end(tx: EntityManager, id: number): Promise<void> {
    const ended: WriteResult = await tx.query(`DELETE FROM ${TABLE} WHERE campaign_id = ? AND fence = ?`, [
      id,
      WRITERS_FENCE,
    ]);
    if (ended.affectedRows === 0) throw new LargeDraftLost();
  }

  /** As `discard`, and never fails: what cannot be removed now is left to the sweeper. */
  async abandon(id: number): Promise<void> {
    await this.discard(id).catch((error: unknown) => {
      this.logger.warn({ err: safeError(error), campaign: id }, 'recipients without a campaign wait for the sweeper');
    });
  }

  /**
   * Removes what was written for a campaign that did not come about; nothing where it did. Some rows at a time, the first
   * recipient last: until then no other process can make a campaign of this id.
   * @param fence as `sweep` has claimed it
   * @param isStopped asked between two steps; the rest is left to a sweeper
   */
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

  /** Removes what killed processes have left. Any number of workers may do so side by side. @param isStopped as of `discard` */
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

  /** The lease last: it is decided with the commit whether a sweeper was faster, and locked for no longer. */
  private async writeSome(id: number, page: RecipientPage, priced: Priced | null): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      await this.writer.insertPage(tx, { id, ...priced }, page);
      if (!(await UNDER_WAY.renew(tx, [id], WRITERS_FENCE, ACCEPTANCE_LEASE_MS))) throw new LargeDraftLost();
    });
  }

  /** @returns whether there may be more */
  private async removeSome(tx: EntityManager, id: number): Promise<boolean> {
    // Another process has made a campaign of this id at the same moment: nothing of ours was written.
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

/** Once a minute, in the worker: removes recipients whose acceptance was killed before it wrote their campaign. */
@Injectable()
export class OrphanSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(OrphanSweeper.name);
  private readonly task: SharedTask;

  constructor(gate: LeaderGate, staged: LargeDraftRecipients) {
    this.task = new SharedTask(gate, {
      name: 'orphan-sweep',
      everyMs: SWEEP_EVERY_MS,
      work: () => staged.sweep(() => this.task.isStopped),
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
