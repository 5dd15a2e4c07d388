import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../platform/database/index.js';
import { withoutSalts } from './encoding.js';
import { LEAVES_A_PAGE } from './merkle.js';
import { SettledRows } from './settled-rows.js';
import { SettlementReader } from './settlement-reader.js';

/** Makes people unprovable without a change of what was signed (docs/decisions/0072). */
@Injectable()
export class SettlementErasure {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly rows: SettledRows,
    private readonly reader: SettlementReader,
  ) {}

  /**
   * Forgets the keys of recipients; their leaves stay as texts without a number. Call it before the numbers are removed; repeated
   * calls change nothing. A campaign without a settlement has no keys yet.
   */
  async forget(campaignId: number, seqs: readonly number[]): Promise<void> {
    const [campaign] = await this.rows.campaigns(this.dataSource, [campaignId]);
    if (!campaign || !(await this.reader.isSettled(campaignId))) return;
    const pages = new Map<number, number[]>();
    for (const seq of seqs) {
      const page = Math.floor((seq - 1) / LEAVES_A_PAGE);
      pages.set(page, [...(pages.get(page) ?? []), seq]);
    }
    for (const [page, some] of pages) {
      const texts = await this.reader.leavesOf(campaign, page);
      const leaves = some.map((seq) => [campaignId, seq, texts[(seq - 1) % LEAVES_A_PAGE] ?? '']);
      await inTransaction(this.dataSource, (tx) => this.puncture(tx, campaignId, page, leaves));
    }
  }

  private async puncture(tx: EntityManager, campaignId: number, page: number, leaves: unknown[][]): Promise<void> {
    const [row] = await tx.query<{ salts: Buffer }[]>(
      'SELECT salts FROM settlement_pages WHERE campaign_id = ? AND page = ? FOR UPDATE',
      [campaignId, page],
    );
    if (!row) return;
    await tx.query(
      `INSERT IGNORE INTO settlement_erased (campaign_id, seq, leaf) VALUES ${leaves.map(() => '(?,?,?)').join(',')}`,
      leaves.flat(),
    );
    const places = leaves.map(([, seq]) => (Number(seq) - 1) % LEAVES_A_PAGE);
    await tx.query('UPDATE settlement_pages SET salts = ? WHERE campaign_id = ? AND page = ?', [
      withoutSalts(row.salts, places),
      campaignId,
      page,
    ]);
  }
}
