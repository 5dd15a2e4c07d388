import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';

type Row = Readonly<Record<string, string | number | null>>;

const bare = (text: string): string => text.replace(/[`()\s]/g, '').toLowerCase();

/** Servers write one default in several ways: `'0'`, `0`; `NULL` as text for none. */
const defaultOf = (value: string | number | null): string =>
  value === null || value === 'NULL' ? '' : bare(String(value)).replace(/'/g, '');

/** MySQL names no display width but that of a boolean. */
const typeOf = (value: string): string => value.replace(/\b((?!tinyint\(1\))\w*int)\(\d+\)/g, '$1');

/**
 * What a database is made of, in the words of neither server: a line for each column, key, rule and partition of a table.
 * @returns by the names of the tables
 */
export async function schemaDescription(dataSource: DataSource): Promise<Map<string, string[]>> {
  const described = new Map<string, string[]>();
  const add = async (sql: string, line: (row: Row) => (string | number | null)[]): Promise<void> => {
    for (const row of await dataSource.query<Row[]>(sql)) {
      const table = String(row['t']);
      described.set(table, [...(described.get(table) ?? []), line(row).join(' ')]);
    }
  };
  const of = 'FROM information_schema.';
  await add(
    `SELECT table_name AS t, engine AS e, table_collation AS c ${of}tables
     WHERE table_schema = DATABASE() AND table_name <> 'migrations'`,
    ({ e, c }) => [e!, c!],
  );
  await add(
    `SELECT table_name AS t, ordinal_position AS o, column_name AS n, column_type AS y, is_nullable AS u, column_default AS d, collation_name AS c,
       extra AS x ${of}columns WHERE table_schema = DATABASE() AND table_name <> 'migrations'`,
    ({ o, n, y, u, d, c, x }) => [
      ...[`column ${String(o).padStart(2, '0')}`, n!, typeOf(String(y)), u!, defaultOf(d!), c ?? '-'],
      String(x).toLowerCase().replace('default_generated', ''),
    ],
  );
  await add(
    `SELECT table_name AS t, index_name AS i, seq_in_index AS q, column_name AS n, non_unique AS u, sub_part AS p ${of}statistics
     WHERE table_schema = DATABASE() AND table_name <> 'migrations'`,
    ({ i, q, n, u, p }) => ['key', i!, q!, n!, u!, p ?? '-'],
  );
  await add(
    `SELECT k.table_name AS t, k.constraint_name AS n, c.check_clause AS s ${of}table_constraints k
       JOIN information_schema.check_constraints c ON c.constraint_schema = k.constraint_schema
         AND c.constraint_name = k.constraint_name
     WHERE k.table_schema = DATABASE() AND k.constraint_type = 'CHECK'`,
    ({ n, s }) => ['check', n!, bare(String(s))],
  );
  await add(
    `SELECT table_name AS t, partition_method AS m, partition_expression AS e, partition_name AS n ${of}partitions
     WHERE table_schema = DATABASE() AND partition_name IS NOT NULL ORDER BY 1, partition_ordinal_position`,
    ({ m, e, n }) => [m!, bare(String(e)), /^d\d{8}$/.test(String(n)) ? 'today' : n!],
  );
  for (const lines of described.values()) lines.sort();
  return described;
}

/** A short number of each table's description. */
export async function schemaFingerprints(dataSource: DataSource): Promise<Record<string, string>> {
  const described = await schemaDescription(dataSource);
  return Object.fromEntries(
    [...described]
      .sort()
      .map(([table, lines]) => [table, createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 12)]),
  );
}
