import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { AssignedUsers } from '../access/users.store.js';
import { AccountDirectory } from '../accounts.store.js';
import { type Account, loginOf } from '../domain/account.js';
import { AuditLog } from '../logs/logs.store.js';
import { AccountNotices } from '../../notices/index.js';
import { SessionStore } from '../sessions/sessions.store.js';
import { FactorStore } from './factors.store.js';

/** What follows when a login gets or loses a second factor: its mark, codes, sessions, audit entry and notice. */
@Injectable()
export class FactorChanges {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly factors: FactorStore,
    private readonly sessions: SessionStore,
    private readonly directory: AccountDirectory,
    private readonly users: AssignedUsers,
    private readonly audit: AuditLog,
    private readonly notices: AccountNotices,
  ) {}

  /**
   * Adds a factor within a transaction that locks the login. The first ends all other sessions, which were begun without one.
   * Returns new recovery codes where there are none; else none.
   */
  async add(actor: Account, kind: string, write: (tx: EntityManager) => Promise<void>): Promise<string[]> {
    const holderId = loginOf(actor).id;
    const codes = await inTransaction(this.dataSource, async (tx) => {
      await this.factors.mark(tx, actor, true);
      const isFirst = (await this.factors.of(holderId, tx)).length === 0;
      await write(tx);
      await this.record(tx, actor, 'second_factor.add', { kind });
      if (!isFirst) return [];
      await this.sessions.endAll(tx, holderId, 'factor', actor.session?.id ?? null);
      return this.factors.renewCodes(tx, holderId);
    });
    await this.notify(actor, `${kind} added`);
    return codes;
  }

  /** Removes a factor within a transaction that locks the login. */
  async remove(
    actor: Account,
    write: (tx: EntityManager) => Promise<{ kind: string; isLast: boolean }>,
  ): Promise<void> {
    const kind = await inTransaction(this.dataSource, async (tx) => {
      await this.factors.mark(tx, actor, true);
      const removed = await write(tx);
      if (removed.isLast) await this.factors.mark(tx, actor, false);
      await this.record(tx, actor, 'second_factor.remove', { kind: removed.kind });
      return removed.kind;
    });
    await this.notify(actor, `${kind} removed`);
  }

  /** Removes every factor of a login that lost them, and ends its sessions; in the transaction of a manager. */
  async reset(tx: EntityManager, login: Account): Promise<void> {
    await this.factors.mark(tx, login, false);
    await this.factors.removeAll(tx, loginOf(login).id);
    await this.sessions.endAll(tx, loginOf(login).id, 'factor');
  }

  /** After the commit: caches here, and the notice. */
  async notify(login: Account, change: string): Promise<void> {
    if (login.assignedUser) this.users.forget();
    else this.directory.forget(login.id);
    this.sessions.forget();
    await this.notices.notify(login, { type: 'second_factor.changed', change });
  }

  private record(tx: EntityManager, actor: Account, action: string, details: Record<string, unknown>): Promise<void> {
    return this.audit.record(tx, { actor, action, subject: loginOf(actor).username, details });
  }
}
