/** Figures of runs: statistics, times, and what processes and servers have used. */
import { readFileSync, writeFileSync } from 'node:fs';

const TICKS_A_SECOND = 100;

/** A number that a run may set, such as `KILLS=20 npm run bench -- kills`. */
export const size = (name, usual) => Number(process.env[name] ?? usual);

/** The value below which so large a part of the values lies; 0 without values. @param {number} part 0 to 1 */
export function quantile(values, part) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

export const median = (values) => quantile(values, 0.5);

/** How long work takes, milliseconds. */
export async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Processor time that a process has used, seconds. */
export function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** Memory of a process, MB. @param figure resident now (VmRSS), the most so far (VmHWM), or Pss of `smaps_rollup` */
export function megabytes(pid, figure = 'VmRSS', file = 'status') {
  const [, kilobytes] = new RegExp(`^${figure}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'));
  return Number(kilobytes) / 1024;
}

/** The most that a process holds (VmHWM) counts from now on. */
export const forgetPeak = (pid) => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** Statements that a database server has got so far. */
export async function statements(pool) {
  const [[{ Value: count }]] = await pool.query("SHOW GLOBAL STATUS LIKE 'Questions'");
  return Number(count);
}

/** A transaction that wrote, autocommit ones among them: each waits for the log, wherever the statements came from. */
const COMMITS = 'trx_rw_commits';

async function commits(pool) {
  const [[{ COUNT: count }]] = await pool.query('SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = ?', [
    COMMITS,
  ]);
  return Number(count);
}

/**
 * Statements and durable commits of everybody but us while `work` runs.
 * @param work answers how many statements it has made itself
 */
export async function counted(pool, work) {
  await pool.query(`SET GLOBAL innodb_monitor_enable = '${COMMITS}'`);
  const before = { commits: await commits(pool), statements: await statements(pool) };
  const began = performance.now();
  const own = await work();
  const seconds = (performance.now() - began) / 1000;
  const asked = (await statements(pool)) - before.statements;
  // the question at the end counts itself
  return { statements: asked - own - 1, commits: (await commits(pool)) - before.commits, seconds };
}
