/** What the server itself counted of statements and durable commits. */

/** A transaction that wrote, autocommit ones among them: each waits for the log, wherever the statements came from. */
const COMMITS = 'trx_rw_commits';

async function snapshot(database) {
  const [[questions]] = await database.query("SHOW GLOBAL STATUS LIKE 'Questions'");
  const [[commits]] = await database.query('SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = ?', [
    COMMITS,
  ]);
  return { trips: Number(questions.Value), commits: Number(commits.COUNT) };
}

/**
 * Statements and durable commits of everybody but us while `work` runs. A statement counts as a round trip, although some
 * travel together.
 * @param work answers how many statements it has made itself
 */
export async function counted(database, work) {
  await database.query(`SET GLOBAL innodb_monitor_enable = '${COMMITS}'`);
  const before = await snapshot(database);
  const began = performance.now();
  const own = await work();
  const seconds = (performance.now() - began) / 1000;
  const after = await snapshot(database);
  // the snapshot before has asked for the metrics after it had looked, the one after looks once itself
  return { trips: after.trips - before.trips - own - 2, commits: after.commits - before.commits, seconds };
}
