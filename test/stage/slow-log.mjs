/** What statements read, as the server's slow log says: how many rows, and how long. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FIGURES = {
  connection: /^(?:# Thread_id:|.* Id:) +(\d+)/m,
  seconds: /^# Query_time: ([\d.]+)/m,
  examined: /Rows_examined: (\d+)/,
  affected: /Rows_affected: (\d+)/,
};

/** Both servers write the user first and the statement behind its moment; only MariaDB says how many rows it changed. */
function entryOf(text) {
  const figure = (name) => Number(FIGURES[name].exec(text)?.[1] ?? NaN);
  const [, sql = ''] = /^SET timestamp=\d+;\n([^]*?)(?=^# Time|(?![^]))/m.exec(text) ?? [];
  return {
    ...{ connection: figure('connection'), ms: figure('seconds') * 1_000, sql },
    ...{ examined: figure('examined'), affected: figure('affected') },
  };
}

/** Writes down every statement of connections that are opened from now on. @param pool whose user may change settings */
export async function openSlowLog(pool) {
  const [[{ directory }]] = await pool.query('SELECT @@datadir AS directory');
  const file = join(directory, `slow-${Date.now()}.log`);
  const set = async (settings) => {
    for (const [name, value] of Object.entries(settings)) await pool.query(`SET GLOBAL ${name} = ?`, [value]);
  };
  await set({ log_output: 'FILE', slow_query_log_file: file, long_query_time: 0, slow_query_log: 1 });
  const all = () => readFileSync(file, 'utf8').split(/^# User@Host: /m).slice(1).map(entryOf); // prettier-ignore
  return {
    close: () => set({ slow_query_log: 0, long_query_time: 10 }),
    /** Statements that match, in their order. @returns {{ ms: number, examined: number, affected: number, sql: string }[]} */
    statements: (pattern) => all().filter(({ sql }) => pattern.test(sql)),
    /** Transactions with a statement that matches: their statements, COMMIT among them. */
    transactions(pattern) {
      const open = new Map();
      const found = [];
      for (const entry of all()) {
        if (/^(START TRANSACTION|BEGIN)/i.test(entry.sql)) open.set(entry.connection, []);
        const statements = open.get(entry.connection);
        statements?.push(entry);
        if (!/^(COMMIT|ROLLBACK)/i.test(entry.sql)) continue;
        open.delete(entry.connection);
        if (statements?.some(({ sql }) => pattern.test(sql))) found.push(statements);
      }
      return found;
    },
  };
}
