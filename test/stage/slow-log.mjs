/** What statements read, as the server's slow log says: how many rows, and how long. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ENTRY =
  /# Query_time: ([\d.]+).*?Rows_examined: (\d+)\n# Rows_affected: (\d+)[^]*?(?:^SET timestamp=\d+;\n)([^]*?)(?=^# |(?![^]))/gm;

/** Writes down every statement of connections that are opened from now on. @param pool whose user may change settings */
export async function openSlowLog(pool) {
  const [[{ directory }]] = await pool.query('SELECT @@datadir AS directory');
  const file = join(directory, `slow-${Date.now()}.log`);
  const set = async (settings) => {
    for (const [name, value] of Object.entries(settings)) await pool.query(`SET GLOBAL ${name} = ?`, [value]);
  };
  await set({ log_output: 'FILE', slow_query_log_file: file, long_query_time: 0, slow_query_log: 1 });
  return {
    close: () => set({ slow_query_log: 0, long_query_time: 10 }),
    /** Statements that match, in their order. @returns {{ ms: number, examined: number, affected: number, sql: string }[]} */
    statements: (pattern) =>
      [...readFileSync(file, 'utf8').matchAll(ENTRY)]
        .map(([, took, examined, affected, sql]) => ({
          ms: Number(took) * 1_000,
          examined: Number(examined),
          affected: Number(affected),
          sql,
        }))
        .filter(({ sql }) => pattern.test(sql)),
  };
}
