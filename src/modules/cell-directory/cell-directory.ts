import { Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { GroupCommit, ONE_TICK } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { OtherDatabase, type WriteResult } from '../../platform/database/index.js';

/** Instead of a cell letter: names of staff, which may exist in every cell. */
export const EVERY_CELL = '*';

export interface CellName {
  kind: 'email' | 'username' | 'mobile';
  value: string;
}

const ROW = '(?, ?, ?, ?)';
const keyOf = ({ kind, value }: CellName): string => `${kind} ${value}`;
const inOrder = (names: readonly CellName[]): CellName[] =>
  [...names].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : Number(keyOf(a) !== keyOf(b))));

/** Maps names to cells in its own database (docs/decisions/0041); queries of one event-loop tick share a statement. */
@Injectable()
export class CellDirectory implements OnApplicationShutdown {
  private readonly database: OtherDatabase | null;
  private readonly reads = new GroupCommit<CellName, string | null>((names) => this.read(names), ONE_TICK);

  constructor(@Inject(ENVIRONMENT) { DIRECTORY_URL }: Pick<Environment, 'DIRECTORY_URL'>) {
    this.database = DIRECTORY_URL === undefined ? null : new OtherDatabase(DIRECTORY_URL);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database?.close();
  }

  async prepare(): Promise<void> {
    await this.query(
      `CREATE TABLE IF NOT EXISTS cell_names (
         kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
         value VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
         cell CHAR(1) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
         claim BIGINT NOT NULL,
         PRIMARY KEY (kind, value), KEY ix_cell_names_cell (cell)
       ) ENGINE = InnoDB`,
    );
  }

  /** Returns the letter of the name's cell, `EVERY_CELL`, or null for an unclaimed name. */
  cellOf(name: CellName): Promise<string | null> {
    return this.reads.add(name);
  }

  /** Claims names that no other cell has, and replaces the claim of own names; `cellOf` returns the owner. */
  async claim(names: readonly CellName[], cell: string, claim: number): Promise<void> {
    if (names.length === 0) return;
    await this.query(
      `INSERT INTO cell_names (kind, value, cell, claim) VALUES ${names.map(() => ROW).join(', ')}
       ON DUPLICATE KEY UPDATE claim = IF(cell = VALUES(cell), VALUES(claim), claim)`,
      inOrder(names).flatMap(({ kind, value }) => [kind, value, cell, claim]),
    );
  }

  async adopt({ kind, value }: CellName, cell: string, claim: number): Promise<boolean> {
    const { affectedRows } = await this.query<WriteResult>(
      'UPDATE cell_names SET claim = ? WHERE kind = ? AND value = ? AND cell = ?',
      [claim, kind, value, cell],
    );
    return affectedRows > 0;
  }

  /** Releases a name. Returns false if it was claimed again since, and then keeps it. */
  async giveBack({ kind, value }: CellName, cell: string, claim: number): Promise<boolean> {
    const { affectedRows } = await this.query<WriteResult>(
      'DELETE FROM cell_names WHERE kind = ? AND value = ? AND cell = ? AND claim = ?',
      [kind, value, cell, claim],
    );
    return affectedRows > 0;
  }

  async namesOf(cell: string, after: CellName | null, most: number): Promise<CellName[]> {
    const { kind = '', value = '' } = after ?? {};
    return this.query<CellName[]>(
      `SELECT kind, value FROM cell_names WHERE cell = ? AND (kind > ? OR (kind = ? AND value > ?))
       ORDER BY kind, value LIMIT ?`,
      [cell, kind, kind, value, most],
    );
  }

  private async read(names: readonly CellName[]): Promise<(string | null)[]> {
    const rows = await this.query<(CellName & { cell: string })[]>(
      'SELECT kind, value, cell FROM cell_names WHERE (kind, value) IN (?)',
      [names.map(({ kind, value }) => [kind, value])],
    );
    // the collation ignores trailing spaces, the map's key does not
    const cells = new Map(rows.map((row) => [keyOf(row), row.cell]));
    return names.map((name) => cells.get(keyOf(name)) ?? null);
  }

  private query<Result>(sql: string, values: unknown[] = []): Promise<Result> {
    if (!this.database) throw new Error('DIRECTORY_URL is not set');
    return this.database.query<Result>(sql, values);
  }
}

@Module({ providers: [CellDirectory], exports: [CellDirectory] })
export class CellDirectoryModule {}
