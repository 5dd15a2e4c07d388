import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import { GroupCommit, ONE_TICK, TtlCache } from '../../platform/concurrency/index.js';
import { inListedOrder, inTransaction, listKeys } from '../../platform/database/index.js';
import { CustomerEvents } from '../customer-events/index.js';
import type { FreezeReason } from './guard-counters.js';
import { AccountFreezeEntity } from './tables.js';

export const FREEZE_MS = 3_600_000;
/** Delay of a freeze or a release on other instances. */
const KEPT_MS = 2_000;
const MOST_ACTIVE = 10_000;

export interface Freeze {
  id: number;
  accountId: number;
  prefix: string;
  reason: FreezeReason;
  evidence: Record<string, number>;
  times: number;
  frozenAt: Date;
  until: Date;
  releasedAt: Date | null;
  releasedBy: string | null;
}

const IS_ACTIVE = 'until_at > UTC_TIMESTAMP(3) AND released_at IS NULL';

/** Prefixes to which accounts do not send for an hour. */
@Injectable()
export class Freezes {
  private readonly active = new TtlCache<number, ReadonlyMap<string, Date>>(KEPT_MS);
  private readonly reads = new GroupCommit<number, ReadonlyMap<string, Date>>((ids) => this.activeOf(ids), ONE_TICK);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: CustomerEvents,
  ) {}

  /** Active freezes of an account: prefix and end. Cached for 2 s. */
  of(accountId: number): Promise<ReadonlyMap<string, Date>> {
    return this.active.get(accountId, () => this.reads.add(accountId));
  }

  /** Freezes a prefix for an hour, and tells the owner; an active freeze is counted only. */
  async freeze(
    accountId: number,
    prefix: string,
    reason: FreezeReason,
    evidence: Record<string, number>,
  ): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      const at = now();
      const until = new Date(at.getTime() + FREEZE_MS);
      // Locks the row of the prefix, or makes one that has ended.
      await tx.query(
        `INSERT INTO account_freezes (id, account_id, prefix, reason, evidence, times, frozen_at, until_at)
         VALUES (?, ?, ?, ?, '{}', 1, ?, ?) ON DUPLICATE KEY UPDATE times = times + 1`,
        [newId(), accountId, prefix, reason, at, at],
      );
      const row = await tx.findOneByOrFail(AccountFreezeEntity, { accountId, prefix });
      if (row.until > at && row.releasedAt === null) return;
      await tx.query(
        `UPDATE account_freezes SET id = ?, reason = ?, evidence = ?, frozen_at = ?, until_at = ?, released_at = NULL,
           released_by = NULL WHERE account_id = ? AND prefix = ?`,
        [newId(), reason, JSON.stringify(evidence), at, until, accountId, prefix],
      );
      await this.publish(tx, accountId, { state: 'frozen', prefix, reason, until: until.toISOString() });
    });
    this.active.delete(accountId);
  }

  /** Ends an active freeze. @returns it; null when none is active under the id */
  async release(tx: EntityManager, id: number, releasedBy: string): Promise<Freeze | null> {
    const at = now();
    const { affectedRows } = await tx.query<{ affectedRows: number }>(
      `UPDATE account_freezes SET released_at = ?, released_by = ? WHERE id = ? AND ${IS_ACTIVE}`,
      [at, releasedBy, id],
    );
    if (affectedRows === 0) return null;
    const freeze = freezeOf(await tx.findOneByOrFail(AccountFreezeEntity, { id }));
    const { accountId, prefix, reason, until } = freeze;
    await this.publish(tx, accountId, { state: 'released', prefix, reason, until: until.toISOString() });
    return freeze;
  }

  forget(accountId: number): void {
    this.active.delete(accountId);
  }

  async find(id: number): Promise<Freeze | null> {
    const row = await this.dataSource.getRepository(AccountFreezeEntity).findOneBy({ id });
    return row && freezeOf(row);
  }

  /** The newest first. @param accountId null = of all accounts */
  async part(accountId: number | null, onlyActive: boolean, page: Page): Promise<Listed<Freeze>> {
    const range = accountId === null ? { where: '', values: [] } : { where: 'account_id = ?', values: [accountId] };
    const list = {
      table: 'account_freezes',
      index: accountId === null ? 'PRIMARY' : 'ix_account_freezes_account',
      key: 'id',
      order: 'DESC',
      ranges: [range],
      ...(onlyActive && { filter: { where: IS_ACTIVE, values: [] } }),
    } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(AccountFreezeEntity).findBy({ id: In(ids.items) });
    return shown(
      inListedOrder(ids, rows, ({ id }) => id),
      freezeOf,
    );
  }

  /** Accounts with active freezes, and how many, for alarms. */
  async frozenAccounts(): Promise<{ accountId: number; prefixes: number }[]> {
    const rows: { accountId: number; prefixes: number | string }[] = await this.dataSource.query(
      `SELECT account_id AS accountId, COUNT(*) AS prefixes FROM account_freezes FORCE INDEX (ix_account_freezes_until)
       WHERE ${IS_ACTIVE} GROUP BY account_id ORDER BY account_id LIMIT 1000`,
    );
    return rows.map(({ accountId, prefixes }) => ({ accountId, prefixes: Number(prefixes) }));
  }

  private publish(tx: EntityManager, accountId: number, facts: object): Promise<void> {
    const type = 'account.guard';
    return this.events.publish(tx, [{ accountId, type, body: { event: type, ...facts } }]);
  }

  private async activeOf(accountIds: readonly number[]): Promise<ReadonlyMap<string, Date>[]> {
    const rows = await this.dataSource.query<{ accountId: number; prefix: string; until: Date }[]>(
      `SELECT account_id AS accountId, prefix, until_at AS until FROM account_freezes
       WHERE account_id IN (?) AND ${IS_ACTIVE} LIMIT ${MOST_ACTIVE}`,
      [accountIds],
    );
    const found = new Map(accountIds.map((id) => [id, new Map<string, Date>()]));
    for (const { accountId, prefix, until } of rows) found.get(accountId)?.set(prefix, until);
    return accountIds.map((id) => found.get(id) ?? new Map<string, Date>());
  }
}

function freezeOf(row: AccountFreezeEntity): Freeze {
  const { id, accountId, prefix, reason, evidence, times, frozenAt, until, releasedAt, releasedBy } = row;
  return {
    ...{ id, accountId, prefix, times, frozenAt, until, releasedAt, releasedBy },
    reason: reason as FreezeReason,
    evidence: JSON.parse(evidence) as Record<string, number>,
  };
}
