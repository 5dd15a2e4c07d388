import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { newId } from '../../kernel/ids.js';
import { PeriodicTask } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { again, inTransaction, type WriteResult } from '../../platform/database/index.js';
import { LeaderGate } from '../../platform/periodic/index.js';
import { safeError } from '../../platform/observability/index.js';
import { CellDirectory, type CellName, EVERY_CELL } from '../cell-directory/index.js';
import type { Identity } from './domain/identity.js';
import { type PendingClaim, NameClaims } from './names.store.js';

const EVERY_MS = 30_000;
/** Longer than a registration takes; a slower one fails safely. */
const SETTLED_AFTER_SECONDS = 60;
const AT_ONCE = 500;

/** Reconciles the directory with claims that failed or were given up. */
@Injectable()
export class NameClaimSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Directory');
  private readonly task = new PeriodicTask(
    EVERY_MS,
    async () => {
      if (await this.gate.isMine('name-claims', EVERY_MS)) await this.sweep();
    },
    (error) => this.logger.warn({ err: safeError(error) }, 'claims of names could not be settled'),
  );

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly directory: CellDirectory,
    private readonly gate: LeaderGate,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onApplicationBootstrap(): void {
    if (this.environment.CELL !== undefined) this.task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  /** Returns the number of settled claims. */
  async sweep(olderThanSeconds = SETTLED_AFTER_SECONDS): Promise<number> {
    let settled = 0;
    for (;;) {
      const claims = await this.dataSource.query<PendingClaim[]>(
        `SELECT claim, kind, value FROM name_claims WHERE created_at <= UTC_TIMESTAMP(3) - INTERVAL ? SECOND
         ORDER BY created_at LIMIT ${AT_ONCE}`,
        [olderThanSeconds],
      );
      for (const claim of claims) await this.settle(claim, this.environment.CELL ?? '');
      settled += claims.length;
      // claims may arrive faster than one batch per period
      if (claims.length < AT_ONCE || this.task.isStopped) return settled;
    }
  }

  /**
   * Adopt the directory entry under a new claim (a later claim replaces it and wins). Mark the row, so that its transaction
   * cannot commit and cluster nodes show earlier rows. Then check in one statement whether the name is taken or wanted here; if
   * neither, release it. If it was claimed again meanwhile, keep the row and retry.
   */
  private async settle(pending: PendingClaim, cell: string): Promise<void> {
    const name = { kind: pending.kind, value: pending.value };
    const claim = newId();
    const isOurs = await this.directory.adopt(name, cell, claim);
    if (!(await this.mark(pending))) return; // its transaction has committed
    if (isOurs && !(await this.isHeld(pending)) && !(await this.directory.giveBack(name, cell, claim))) return;
    await this.dataSource.query(again('DELETE FROM name_claims WHERE claim = ? AND kind = ?'), [
      pending.claim,
      pending.kind,
    ]);
  }

  private async mark({ claim, kind }: PendingClaim): Promise<boolean> {
    const { affectedRows } = await this.dataSource.query<WriteResult>(
      again('UPDATE name_claims SET looks = looks + 1 WHERE claim = ? AND kind = ?'),
      [claim, kind],
    );
    return affectedRows > 0;
  }

  private async isHeld({ kind, value }: PendingClaim): Promise<boolean> {
    const [found] = await this.dataSource.query<{ held: number | string }[]>(
      `SELECT EXISTS (SELECT 1 FROM login_identities WHERE kind = ? AND value = ?)
         OR EXISTS (SELECT 1 FROM name_claims WHERE kind = ? AND value = ? AND looks = 0) AS held`,
      [kind, value, kind, value],
    );
    return Number(found?.held) !== 0;
  }
}

/** Names shown to an operator; the next run counts the rest. */
const MOST_SHOWN = 100;

export interface DirectoryFilled {
  written: number;
  removed: number;
  /** names of this cell that another cell holds, up to MOST_SHOWN */
  foreign: (CellName & { cell: string })[];
}

interface HeldName extends Identity {
  /** 1 = of a staff account */
  staff: number | string;
}

/** Makes the directory match this cell's database (reference/cells#names). */
@Injectable()
export class DirectoryFill {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly directory: CellDirectory,
    private readonly claims: NameClaims,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Returns null outside a cell. */
  async fill(): Promise<DirectoryFilled | null> {
    const { CELL: cell } = this.environment;
    if (cell === undefined) return null;
    await this.directory.prepare();
    const filled: DirectoryFilled = { written: 0, removed: 0, foreign: [] };
    for (let names = await this.held(null); names.length > 0; names = await this.held(names.at(-1) ?? null)) {
      await this.write(names, cell, filled);
    }
    for (
      let page = await this.stored(cell, null);
      page.length > 0;
      page = await this.stored(cell, page.at(-1) ?? null)
    ) {
      filled.removed += await this.giveUpMissing(page);
    }
    return filled;
  }

  private async write(names: readonly HeldName[], cell: string, filled: DirectoryFilled): Promise<void> {
    const scopes = names.map(({ staff }) => (Number(staff) === 1 ? EVERY_CELL : cell));
    for (const scope of [cell, EVERY_CELL]) {
      const some = names.filter((_, index) => scopes[index] === scope).map(({ kind, value }) => ({ kind, value }));
      await this.directory.claim(some, scope, newId());
    }
    const holders = await Promise.all(names.map(({ kind, value }) => this.directory.cellOf({ kind, value })));
    names.forEach(({ kind, value }, index) => {
      const holder = holders[index];
      // an account that became staff later keeps its cell
      if (holder === scopes[index] || holder === cell) filled.written += 1;
      else if (filled.foreign.length < MOST_SHOWN) filled.foreign.push({ kind, value, cell: holder ?? '' });
    });
  }

  /** Adds claims for the sweeper, which checks again and updates the directory. */
  private async giveUpMissing(page: readonly CellName[]): Promise<number> {
    const here = await this.dataSource.query<Identity[]>(
      'SELECT kind, value FROM login_identities WHERE (kind, value) IN (?)',
      [page.map(({ kind, value }) => [kind, value])],
    );
    const known = new Set(here.map(({ kind, value }) => `${kind} ${value}`));
    const missing = page.filter(({ kind, value }) => !known.has(`${kind} ${value}`));
    await inTransaction(this.dataSource, async (tx) => {
      for (const name of missing) await this.claims.giveUp(tx, [name]);
    });
    return missing.length;
  }

  private stored(cell: string, after: CellName | null): Promise<CellName[]> {
    return this.directory.namesOf(cell, after, AT_ONCE);
  }

  private held(after: Identity | null): Promise<HeldName[]> {
    const { kind = '', value = '' } = after ?? {};
    return this.dataSource.query<HeldName[]>(
      `SELECT i.kind, i.value, i.assigned_user_id IS NULL AND a.user_type IN ('super', 'admin') AS staff
       FROM login_identities i JOIN accounts a ON a.id = i.account_id
       WHERE i.kind > ? OR (i.kind = ? AND i.value > ?) ORDER BY i.kind, i.value LIMIT ?`,
      [kind, kind, value, AT_ONCE],
    );
  }
}
