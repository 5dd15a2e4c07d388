import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { inTransaction } from '../../../platform/database/index.js';
import { CellDirectory, type CellName, EVERY_CELL } from '../../cell-directory/index.js';
import type { Identity } from '../domain/identity.js';
import { NameClaims } from './name-claims.js';

const AT_ONCE = 500;
/** An operator is shown no more of them; all are counted in the next run. */
const MOST_SHOWN = 100;

/** What became of the directory. */
export interface DirectoryFilled {
  written: number;
  removed: number;
  /** names that stand here and are taken elsewhere, the first hundred */
  foreign: (CellName & { cell: string })[];
}

interface HeldName extends Identity {
  /** of an account of the staff itself */
  staff: number | string;
}

/** Makes the directory say of this cell what its database says (reference/cells#names). */
@Injectable()
export class DirectoryFill {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly directory: CellDirectory,
    private readonly claims: NameClaims,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** @returns null outside a cell */
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
      // an account that became staff since keeps its cell
      if (holder === scopes[index] || holder === cell) filled.written += 1;
      else if (filled.foreign.length < MOST_SHOWN) filled.foreign.push({ kind, value, cell: holder ?? '' });
    });
  }

  /** A note of each: the sweeper looks once more, and tells the directory. */
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
