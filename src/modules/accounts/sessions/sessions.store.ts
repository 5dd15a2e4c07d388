import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import type { Listed, Page } from '../../../kernel/lists.js';
import { boundedCache, GroupCommit, ONE_TICK, TtlCache } from '../../../platform/concurrency/index.js';
import { again, inListedOrder, inTransaction, listKeys, type WriteResult } from '../../../platform/database/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { RevokedTokens } from '../authentication/authentication.store.js';
import { isOfOperator } from '../domain/account-policy.js';
import { type Account, loginOf } from '../domain/account.js';
import { type Client, deviceOf } from './device.js';
import { LoginSessionEntity } from './tables.js';

/** Maximum delay until an end on another instance takes effect. */
const KEPT_MS = 3_000;
const USED_EVERY_MS = 60_000;
const USES_WRITTEN_AFTER_MS = 1_000;
const MOST_KNOWN = 20_000;
const STAFF_IDLE_MS = 12 * 3_600_000;
/** After that the identity provider says again who is staff. */
const PROVIDED_MS = 12 * 3_600_000;
/** Sessions of one login; the oldest are removed beyond it. */
export const SESSIONS_PER_LOGIN = 1_000;

export type EndReason = 'logout' | 'ended' | 'staff' | 'password' | 'closed' | 'removed' | 'role' | 'factor';

interface StoredSession {
  id: number;
  holderId: number;
  /** epoch milliseconds */
  lastUsedAt: number;
  /** epoch milliseconds */
  expiresAt: number;
  isEnded: boolean;
  /** epoch milliseconds */
  confirmedAt: number;
  isByProvider: boolean;
}

/** A login that an identity provider vouched for. */
export interface ProvidedLogin {
  /** when password or factor were shown there; null = unknown, so not confirmed */
  confirmedAt: Date | null;
}

/** Whose sessions: those of one login, or of an account with its people. */
export type Sessions = { holderId: number } | { accountId: number };

/** A session that ends without a request for this long is over; null = only with its token. Staff: 12 hours. */
export const idleMsOf = ({ userType }: Pick<Account, 'userType'>): number | null =>
  isOfOperator(userType) ? STAFF_IDLE_MS : null;

const whereOf = (of: Sessions): { column: string; index: string; id: number } =>
  'holderId' in of
    ? { column: 'holder_id', index: 'ix_login_sessions_holder', id: of.holderId }
    : { column: 'account_id', index: 'ix_login_sessions_account', id: of.accountId };

/** Stores login sessions, with a short-lived cache for token checks (reference/authentication#sessions). */
@Injectable()
export class SessionStore implements BeforeApplicationShutdown {
  private readonly cache = new TtlCache<number, StoredSession | null>(KEPT_MS);
  private readonly reads = new GroupCommit<number, StoredSession | null>((ids) => this.found(ids), ONE_TICK);
  /** sessions whose use this process wrote in the last minute */
  private readonly used = boundedCache<number, true>(MOST_KNOWN, { ttlMs: USED_EVERY_MS });
  private readonly uses = new GroupCommit<number, true>((ids) => this.writeUses(ids), {
    maxItems: 500,
    delayMs: USES_WRITTEN_AFTER_MS,
  });
  private readonly logger = new Logger('Sessions');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly revoked: RevokedTokens,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.uses.drained();
  }

  /** Begins a session of the acting login and returns its id. */
  begin(
    account: Account,
    { ip, userAgent }: Client,
    tokenEnds: Date,
    provided: ProvidedLogin | null = null,
  ): Promise<number> {
    const holderId = loginOf(account).id;
    return inTransaction(this.dataSource, async (tx) => {
      const at = now();
      const id = newId();
      const expiresAt = provided ? new Date(at.getTime() + PROVIDED_MS) : tokenEnds;
      const confirmedAt = provided ? provided.confirmedAt : at;
      await tx.insert(LoginSessionEntity, {
        ...{ id, accountId: account.id, holderId, device: deviceOf(userAgent), address: ip.slice(0, 45) },
        ...{ byProvider: provided !== null, lastUsedAt: at, confirmedAt, expiresAt },
        ...{ endedAt: null, reason: null, createdAt: at },
      });
      const [last] = await tx.query<{ id: number }[]>(
        `SELECT id FROM login_sessions FORCE INDEX (ix_login_sessions_holder) WHERE holder_id = ?
         ORDER BY id DESC LIMIT 1 OFFSET ${SESSIONS_PER_LOGIN}`,
        [holderId],
      );
      if (last) {
        await tx.query('DELETE FROM login_sessions WHERE holder_id = ? AND id <= ? ORDER BY id LIMIT 1000', [
          holderId,
          last.id,
        ]);
      }
      return id;
    });
  }

  /**
   * The session of this login, if it goes on; notes its use. Cached for 3 s; reads of one event-loop tick share a statement.
   * A use is written at most once a minute, in the background.
   */
  async check(
    id: number,
    account: Account,
  ): Promise<Pick<StoredSession, 'id' | 'confirmedAt' | 'isByProvider'> | null> {
    const session = await this.cache.get(id, () => this.reads.add(id));
    if (!session || session.isEnded || session.holderId !== loginOf(account).id) return null;
    const at = now().getTime();
    const idleMs = idleMsOf(account);
    if (session.expiresAt <= at || (idleMs !== null && session.lastUsedAt + idleMs <= at)) return null;
    if (at - session.lastUsedAt >= USED_EVERY_MS && !this.used.has(id)) this.noteUse(session, at);
    return session;
  }

  /** Newest first. `idleMs`: with it, only sessions that go on. */
  async part(of: Sessions, page: Page, active: { idleMs: number | null } | null): Promise<Listed<LoginSessionEntity>> {
    const { column, index, id } = whereOf(of);
    const ranges = [{ where: `${column} = ?`, values: [id] }];
    const filter = active && { filter: goesOn(active.idleMs) };
    const list = { table: 'login_sessions', index, key: 'id', order: 'DESC', ranges, ...filter } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(LoginSessionEntity).findBy({ id: In(ids.items) });
    return inListedOrder(ids, rows, ({ id: rowId }) => rowId);
  }

  /** Ends one session; call `forget` after the commit. Returns null when there is none to end. */
  async endOne(tx: EntityManager, of: Sessions, id: number, reason: EndReason): Promise<LoginSessionEntity | null> {
    const { column, id: owner } = whereOf(of);
    const { affectedRows } = await tx.query<WriteResult>(
      `UPDATE login_sessions SET ended_at = UTC_TIMESTAMP(3), reason = ?
       WHERE id = ? AND ${column} = ? AND ended_at IS NULL AND expires_at > UTC_TIMESTAMP(3)`,
      [reason, id, owner],
    );
    return affectedRows === 0 ? null : tx.findOneBy(LoginSessionEntity, { id });
  }

  /** Ends sessions but `except`; call `forget` after the commit. Returns how many. */
  async end(tx: EntityManager, of: Sessions, reason: EndReason, except: number | null = null): Promise<number> {
    const { column, id } = whereOf(of);
    const { affectedRows } = await tx.query<WriteResult>(
      `UPDATE login_sessions SET ended_at = UTC_TIMESTAMP(3), reason = ?
       WHERE ${column} = ? AND ended_at IS NULL AND id <> ?`,
      [reason, id, except ?? 0],
    );
    return affectedRows;
  }

  /** As `end`, also of tokens without a session, which were issued before there were any. */
  async endAll(tx: EntityManager, holderId: number, reason: EndReason, except: number | null = null): Promise<number> {
    await this.revoked.addAllOf(tx, holderId);
    return this.end(tx, { holderId }, reason, except);
  }

  /** Password or factor were shown again. */
  async confirm(id: number): Promise<void> {
    await this.dataSource.query(again('UPDATE login_sessions SET confirmed_at = ? WHERE id = ?'), [now(), id]);
    this.forget();
  }

  /** When that was last, uncached: it may have been on another instance. Epoch milliseconds. */
  async confirmedAt(id: number): Promise<number> {
    const row = await this.dataSource.manager.findOneBy(LoginSessionEntity, { id });
    return row?.confirmedAt?.getTime() ?? 0;
  }

  /** Logout. */
  async logOut(id: number): Promise<void> {
    await this.dataSource.query(
      again(
        "UPDATE login_sessions SET ended_at = UTC_TIMESTAMP(3), reason = 'logout' WHERE id = ? AND ended_at IS NULL",
      ),
      [id],
    );
    this.forget();
  }

  forget(): void {
    this.cache.clear();
    this.revoked.forget();
  }

  private noteUse(session: StoredSession, at: number): void {
    session.lastUsedAt = at;
    this.used.set(session.id, true);
    this.uses.add(session.id).catch((error: unknown) => {
      this.logger.warn({ err: safeError(error) }, 'the use of sessions could not be written');
    });
  }

  private async writeUses(ids: readonly number[]): Promise<true[]> {
    await this.dataSource.query(
      again('UPDATE login_sessions SET last_used_at = GREATEST(last_used_at, UTC_TIMESTAMP(3)) WHERE id IN (?)'),
      [ids],
    );
    return ids.map(() => true);
  }

  private async found(ids: readonly number[]): Promise<(StoredSession | null)[]> {
    const rows = await this.dataSource.manager.findBy(LoginSessionEntity, { id: In(ids) });
    const byId = new Map(rows.map((row) => [row.id, toStored(row)]));
    return ids.map((id) => byId.get(id) ?? null);
  }
}

const toStored = (row: LoginSessionEntity): StoredSession => ({
  id: row.id,
  holderId: row.holderId,
  lastUsedAt: row.lastUsedAt.getTime(),
  expiresAt: row.expiresAt.getTime(),
  isEnded: row.endedAt !== null,
  confirmedAt: row.confirmedAt?.getTime() ?? 0,
  isByProvider: row.byProvider,
});

function goesOn(idleMs: number | null): { where: string; values: unknown[] } {
  const where = 't.ended_at IS NULL AND t.expires_at > UTC_TIMESTAMP(3)';
  if (idleMs === null) return { where, values: [] };
  return { where: `${where} AND t.last_used_at > ?`, values: [new Date(now().getTime() - idleMs)] };
}
