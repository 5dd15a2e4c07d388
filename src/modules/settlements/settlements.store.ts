import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { CustomerEvents } from '../customer-events/index.js';
import { again, type ReadSource, type WriteResult } from '../../platform/database/index.js';
import { PAGE_KEY_BYTES } from './encoding.js';
import type { SettledCampaign } from './settled-rows.js';
import type { SigningKey } from './settlement-key.js';
import { type ChainLink, type SettlementSums, type Statement, statementOf } from './statement.js';

/** Another process has settled one of these campaigns. */
export class SettledElsewhere extends Error {}

export interface PageSalts {
  page: number;
  salts: Buffer;
}

export interface SettledPage extends PageSalts {
  root: Buffer;
}

export interface ToSettle {
  campaign: SettledCampaign;
  sums: SettlementSums;
  /** pages that are not stored yet */
  pages: readonly SettledPage[];
}

interface Chain {
  accountId: number;
  number: number;
  digest: Buffer | null;
  restoreId: number | null;
}

export interface Restore {
  id: number;
  restoredAt: Date;
}

/** The newest restore of this database from a copy. */
export const LAST_RESTORE = 'SELECT id, restored_at AS restoredAt FROM restores ORDER BY id DESC LIMIT 1';

/** Writes settlements; the only writer of their tables. */
@Injectable()
export class SettlementStore {
  constructor(private readonly events: CustomerEvents) {}

  static newSalts(): Buffer {
    return randomBytes(PAGE_KEY_BYTES);
  }

  /** Keys of pages: those that another process has made meanwhile stay, so that both come to the same root. */
  async pageSalts(source: ReadSource, campaignId: number, from: number, count: number): Promise<PageSalts[]> {
    const rows = Array.from({ length: count }, (_, index) => [campaignId, from + index, SettlementStore.newSalts()]);
    await source.query(
      again(
        `INSERT IGNORE INTO settlement_pages (campaign_id, page, salts) VALUES ${rows.map(() => '(?,?,?)').join(',')}`,
      ),
      rows.flat(),
    );
    return source.query(
      `SELECT page, salts FROM settlement_pages WHERE campaign_id = ? AND page >= ? AND page < ? ORDER BY page LIMIT ?`,
      [campaignId, from, from + count, count],
    );
  }

  async saveRoots(source: ReadSource, campaignId: number, pages: readonly SettledPage[]): Promise<void> {
    const rows = pages.map(({ page, root, salts }) => [campaignId, page, root, salts]);
    await source.query(
      again(
        `INSERT INTO settlement_pages (campaign_id, page, root, salts) VALUES ${rows.map(() => '(?,?,?,?)').join(',')}
         ON DUPLICATE KEY UPDATE root = VALUES(root)`,
      ),
      rows.flat(),
    );
  }

  /** Tests get none; of a campaign whose sums differ nothing is signed. */
  async refuse(source: ReadSource, campaignIds: readonly number[], due: 0 | 2): Promise<void> {
    if (campaignIds.length === 0) return;
    await source.query(again('UPDATE campaigns SET settlement_due = ? WHERE id IN (?) AND settlement_due = 1'), [
      due,
      campaignIds,
    ]);
  }

  async rememberKey(source: ReadSource, { id, publicKey }: SigningKey): Promise<void> {
    await source.query(
      again('INSERT IGNORE INTO settlement_keys (id, public_key, first_used_at) VALUES (?, ?, UTC_TIMESTAMP(3))'),
      [id, publicKey],
    );
  }

  /** Signs and chains settlements. Locks campaigns, then chains. @throws SettledElsewhere */
  async issue(tx: EntityManager, settled: readonly ToSettle[], key: SigningKey): Promise<void> {
    const campaigns = settled.map(({ campaign }) => campaign);
    const { affectedRows }: WriteResult = await tx.query(
      'UPDATE campaigns SET settlement_due = 0 WHERE id IN (?) AND settlement_due = 1',
      [campaigns.map(({ id }) => id).sort((a, b) => a - b)],
    );
    if (affectedRows !== settled.length) throw new SettledElsewhere();
    const [restore = null] = await tx.query<Restore[]>(LAST_RESTORE);
    const accountIds = [...new Set(campaigns.map(({ accountId }) => accountId))];
    const chains = await this.lockChains(tx, accountIds, restore?.id ?? null);
    const names = await this.usernames(tx, accountIds);
    const issuedAt = now();
    const issued = settled.map(({ campaign, sums }) => {
      const chain = chains.get(campaign.accountId) as Chain;
      const isRestored = restore !== null && restore.id !== chain.restoreId;
      const link: ChainLink = {
        username: names.get(campaign.accountId) ?? '',
        number: chain.number + 1,
        previous: chain.digest,
        restoredAt: isRestored ? restore.restoredAt : null,
      };
      const made = statementOf(campaign, sums, link, key.id, issuedAt);
      Object.assign(chain, { number: link.number, digest: made.digest, restoreId: restore?.id ?? null });
      return { campaign, ...made };
    });
    const rows = issued.map(({ campaign: { id, accountId }, text, digest }) => {
      return [newId(), id, accountId, text, digest, key.sign(text)];
    });
    await tx.query(
      `INSERT INTO settlements (id, campaign_id, account_id, statement, digest, signature)
       VALUES ${rows.map(() => '(?,?,?,?,?,?)').join(',')}`,
      rows.flat(),
    );
    const pages = settled.flatMap((of) => of.pages.map((page) => [of.campaign.id, page.page, page.root, page.salts]));
    if (pages.length > 0) {
      await tx.query(
        `INSERT INTO settlement_pages (campaign_id, page, root, salts) VALUES ${pages.map(() => '(?,?,?,?)').join(',')}`,
        pages.flat(),
      );
    }
    const heads = [...chains.values()].map((chain) => [chain.accountId, chain.number, chain.digest, chain.restoreId]);
    await tx.query(
      `INSERT INTO settlement_chains (account_id, number, digest, restore_id)
       VALUES ${heads.map(() => '(?,?,?,?)').join(',')}
       ON DUPLICATE KEY UPDATE number = VALUES(number), digest = VALUES(digest), restore_id = VALUES(restore_id)`,
      heads.flat(),
    );
    await this.events.publish(
      tx,
      issued.map(({ campaign, statement, digest }) => ({
        accountId: campaign.accountId,
        type: 'settlement.issued',
        body: issuedBody(statement, digest),
      })),
    );
  }

  /** A new chain begins at the present restore: nothing of it can be missing. */
  private async lockChains(
    tx: EntityManager,
    accountIds: readonly number[],
    restoreId: number | null,
  ): Promise<Map<number, Chain>> {
    const sorted = [...accountIds].sort((a, b) => a - b);
    await tx.query(
      `INSERT IGNORE INTO settlement_chains (account_id, number, digest, restore_id)
       VALUES ${sorted.map(() => '(?, 0, NULL, ?)').join(',')}`,
      sorted.flatMap((id) => [id, restoreId]),
    );
    const rows: Chain[] = await tx.query(
      `SELECT account_id AS accountId, number, digest, restore_id AS restoreId FROM settlement_chains
       WHERE account_id IN (?) ORDER BY account_id FOR UPDATE`,
      [sorted],
    );
    return new Map(rows.map((row) => [row.accountId, row]));
  }

  private async usernames(tx: EntityManager, accountIds: readonly number[]): Promise<Map<number, string>> {
    const rows = await tx.query<{ id: number; username: string }[]>(
      'SELECT id, username FROM accounts WHERE id IN (?)',
      [accountIds],
    );
    return new Map(rows.map(({ id, username }) => [id, username]));
  }
}

/** The event of a settlement (reference/webhooks#types). */
export const issuedBody = ({ request_id, number, root, totals, issued_at }: Statement, digest: Buffer): object => ({
  event: 'settlement.issued',
  request_id,
  number,
  digest: digest.toString('hex'),
  root,
  totals,
  issued_at,
});
