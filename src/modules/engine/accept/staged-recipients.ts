import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, type WriteResult } from '../../../platform/database/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { LeasedTable } from '../../../platform/leases/index.js';
import { CampaignWriter } from './campaign-writer.js';
import type { DraftRecipients } from './draft-recipients.js';
import type { DraftHead, RecipientPage } from './recipient-page.js';
import { type Priced, Stage } from './stage.js';

const TABLE = 'acceptances_under_way';
const UNDER_WAY = new LeasedTable({ table: TABLE, key: ['campaign_id'] });
/** Only its writer has had the row. */
const WRITERS_FENCE = 0;
/**
 * A writer renews it with every commit; between two of them a page of recipients is read and judged. The database ends each
 * statement after 25 s.
 */
export const ACCEPTANCE_LEASE_MS = 120_000;
const ROWS_A_REMOVAL = 5_000;
/** By the second column of their keys; the recipients last. */
const WRITTEN = [
  ['recipient_variables', 'block'],
  ['recipient_terms', 'seq'],
  ['campaign_recipients', 'seq'],
] as const;
const ORPHANS_A_SWEEP = 10;

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
      if (!(await UNDER_WAY.renew(tx, [id], WRITERS_FENCE, ACCEPTANCE_LEASE_MS))) throw new StageLost();
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
