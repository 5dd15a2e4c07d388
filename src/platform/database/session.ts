/**
 * What each connection says once, when it is new. READ COMMITTED for single statements as for transactions
 * (docs/decisions/0004). What waits or works too long is ended by the server itself, each by its own error: a
 * transaction whose owner has fallen silent after half of the time of a query, so that its locks are free before those
 * who wait for them give up at two thirds, and a statement a little before we give up its connection. MySQL has neither
 * the first nor, for writes, the last; there the end of the connection does it.
 * @param queryTimeout milliseconds; 0 leaves the server's own figures (migrations)
 */
export function sessionStatements(queryTimeout: number): string[] {
  const isolation = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';
  if (queryTimeout === 0) return [isolation];
  const seconds = (share: number): number => Math.max(1, Math.round((queryTimeout * share) / 1000));
  return [
    isolation,
    `SET SESSION innodb_lock_wait_timeout = ${seconds(2 / 3)}
       /*M!, idle_transaction_timeout = ${seconds(1 / 2)}, max_statement_time = ${(queryTimeout * 0.9) / 1000} */
       /*!80000 , max_execution_time = ${Math.round(queryTimeout * 0.9)} */`,
  ];
}
