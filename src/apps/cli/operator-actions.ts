import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  AccountRegistrar,
  AuditLog,
  DirectoryFill,
  type DirectoryFilled,
  NameClaims,
  passwordFault,
} from '../../modules/accounts/index.js';
import { LaneWake, type WokenLanes } from '../../modules/engine/index.js';
import { inTransaction } from '../../platform/database/index.js';
import { RelayNotifier } from '../../platform/queues/index.js';
import { PasswordHasher } from '../../platform/security/index.js';
import { DayMaker, Retention } from '../../platform/tables/index.js';
import { Failure } from './failure.js';

const USERNAME = /^[A-Za-z0-9._-]{3,64}$/;
const REASON = 'command line';

/** A member of the staff to be. */
export interface NewAdmin {
  username: string;
  password: string;
  userType: 'super' | 'admin';
  firstname: string;
  lastname: string;
}

/** What no endpoint does, since it must work when no login does, or nothing moves; in the audit log as `system`. */
@Injectable()
export class OperatorActions {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly registrar: AccountRegistrar,
    private readonly passwords: PasswordHasher,
    private readonly audit: AuditLog,
    private readonly lanes: LaneWake,
    private readonly relay: RelayNotifier,
    private readonly claims: NameClaims,
    private readonly directory: DirectoryFill,
    private readonly days: DayMaker,
    private readonly retention: Retention,
  ) {}

  /** @throws Failure for a bad name or password, AppError for a taken name */
  async createAdmin({ password, ...admin }: NewAdmin): Promise<void> {
    if (!USERNAME.test(admin.username)) throw new Failure('username is invalid');
    const fault = passwordFault(password);
    if (fault !== null) throw new Failure(fault.text);
    const passwordHash = await this.passwords.hash(password);
    const name = { kind: 'username' as const, value: admin.username.toLowerCase() };
    const claim = await this.claims.claim([name], admin.userType);
    await inTransaction(this.dataSource, async (tx) => {
      await this.claims.end(tx, claim);
      const { username, userType } = await this.registrar.create(tx, { ...admin, passwordHash });
      const details = { user_type: userType, reason: REASON };
      await this.audit.record(tx, { actor: null, action: 'account.create', subject: username, details });
    });
  }

  /** Makes the directory say of this cell what its database says. @throws Failure outside a cell */
  async fillDirectory(): Promise<DirectoryFilled> {
    const filled = await this.directory.fill();
    if (!filled) throw new Failure('CELL is not set');
    return filled;
  }

  /** What workers do every ten minutes, now: days to come are made, and what is no longer kept goes. */
  async keepTables(): Promise<void> {
    await this.days.makeDays();
    await this.retention.removeAged();
    await this.retention.removeOver();
  }

  /** @throws Failure when there is no such campaign */
  async requeue(requestId: string): Promise<WokenLanes> {
    const woken = await inTransaction(this.dataSource, async (tx) => {
      const done = await this.lanes.wake(tx, requestId);
      if (done && done.lanes > 0) {
        const details = { lanes: done.lanes, reason: REASON };
        await this.audit.record(tx, { actor: null, action: 'campaign.requeue', subject: requestId, details });
      }
      return done;
    });
    if (!woken) throw new Failure('Campaign not found');
    this.relay.notify(woken.due);
    return woken;
  }
}
