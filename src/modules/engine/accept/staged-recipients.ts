import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { inTransaction, isDuplicateKey, type WriteResult } from '../../../platform/database/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { LeasedTable } from '../../../platform/leases/index.js';
import { CampaignWriter, type WrittenFor } from './campaign-writer.js';
import type { DraftHead, DraftRecipients, RecipientPage } from './recipient-page.js';

const TABLE = 'acceptances_under_way';
const UNDER_WAY = new LeasedTable({ table: TABLE, key: ['campaign_id'] });
/** Only its writer has had the row. */
const WRITERS_FENCE = 0;
/** A writer renews it with every commit, the longest of which the database ends after 25 s. */
const LEASE_MS = 60_000;
/** While one commit is written to the disk, the next one's rows are inserted. */
const COMMITS_AT_ONCE = 2;
const ROWS_A_REMOVAL = 5_000;
/** By the second column of their keys; the recipients last. */
const WRITTEN = [
  ['recipient_variables', 'block'],
  ['recipient_terms', 'seq'],
  ['campaign_recipients', 'seq'],
] as const;
const ORPHANS_A_SWEEP = 10;
const ROUNDS = 6;

/** The lease was over, and a sweeper has taken the recipients for orphans. */
class StageLost extends Error {
  override readonly name = 'StageLost';

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
export class StagedRecipients {
  private readonly logger = new Logger(StagedRecipients.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly writer: CampaignWriter,
  ) {}

  /** Writes the recipients and their terms. @returns the id that their campaign must have */
  async write(draft: DraftHead, recipients: DraftRecipients): Promise<number> {
    for (let round = 1; ; round++) {
      const id = newId();
      let isBegun = false;
      try {
        await this.begin(id);
        isBegun = true;
        await this.writeAll({ id, draft, sum: recipients.sum }, recipients);
        return id;
      } catch (error) {
        const isTaken = isDuplicateKey(error);
        // Who could not begin because another process writes under this id must not touch what that one has written.
        if (isBegun || !isTaken) await this.abandon(id);
        if (!isTaken || round >= ROUNDS) throw error;
      }
    }
  }

  /** In the transaction that writes the campaign: its recipients are no orphans any more. */
  async end(tx: EntityManager, id: number): Promise<void> {
    const ended: WriteResult = await tx.query(`DELETE FROM ${TABLE} WHERE campaign_id = ? AND fence = ?`, [
      id,
      WRITERS_FENCE,
    ]);
    if (ended.affectedRows === 0) throw new StageLost();
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
        if (!(await UNDER_WAY.renew(tx, [id], fence, LEASE_MS))) return false;
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
      if (await UNDER_WAY.claim(this.dataSource, [id], LEASE_MS, { fence }))
        await this.discard(id, fence + 1, isStopped);
    }
  }

  private async begin(id: number): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO ${TABLE} (campaign_id, fence, lease_until, started_at)
       VALUES (?, ?, UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND, UTC_TIMESTAMP(3))`,
      [id, WRITERS_FENCE, LEASE_MS * 1000],
    );
  }

  /** The first page alone: it takes the id from every other process, so that no later ones can stray into its campaign. */
  private async writeAll(entry: WrittenFor, recipients: DraftRecipients): Promise<void> {
    const pages = inTurn(recipients.pages());
    let written = 0;
    const writeNext = async (): Promise<boolean> => {
      const page = await pages.next();
      if (!page) return false;
      await this.writeSome(entry, page);
      written += page.numbers.length;
      return true;
    };
    const writer = async (): Promise<void> => {
      while (await writeNext());
    };
    try {
      await writeNext();
      const ended = await Promise.allSettled(Array.from({ length: COMMITS_AT_ONCE }, writer));
      for (const result of ended) if (result.status === 'rejected') throw result.reason;
    } finally {
      await pages.end();
    }
    if (written !== recipients.total) {
      throw new Error(`${recipients.total} recipients were read first, and ${written} when they were written`);
    }
  }

  /** The lease last: it is decided with the commit whether a sweeper was faster, and locked for no longer. */
  private async writeSome(entry: WrittenFor, page: RecipientPage): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      await this.writer.insertPage(tx, entry, page);
      if (!(await UNDER_WAY.renew(tx, [entry.id], WRITERS_FENCE, LEASE_MS))) throw new StageLost();
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

/** Pages, one after the other, to the writer that asks next. A fault of the source is told to all of them. */
function inTurn(pages: AsyncIterable<RecipientPage> | Iterable<RecipientPage>) {
  const iterator: AsyncIterator<RecipientPage, void> | Iterator<RecipientPage, void> =
    Symbol.asyncIterator in pages ? pages[Symbol.asyncIterator]() : pages[Symbol.iterator]();
  let last: Promise<unknown> = Promise.resolve();
  return {
    next: (): Promise<RecipientPage | null> => {
      const asked = last.then(async () => {
        const next = await iterator.next();
        return next.done ? null : next.value;
      });
      last = asked;
      return asked;
    },
    /** Lets go of what the source holds. */
    end: async (): Promise<void> => {
      await iterator.return?.();
    },
  };
}
