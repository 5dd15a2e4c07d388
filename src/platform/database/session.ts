/** The pool closes a connection that idles this long. */
export const IDLE_MS = 20_000;
/** The server closes no connection that the pool still counts on. */
const IDLE_MARGIN_MS = 5_000;

/**
 * What mysql2 and our statements rely on, whatever the server's own settings are. Without NO_BACKSLASH_ESCAPES, since mysql2
 * escapes by backslashes; without ANSI_QUOTES and PIPES_AS_CONCAT, since statements quote by "; strict, so that a value that
 * does not fit is an error and never another value.
 */
const SQL_MODE = 'STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';

/**
 * What each connection of each pool says once, when it is new. READ COMMITTED for single statements as for transactions
 * (docs/decisions/0004). What waits or works too long is ended by the server itself, each by its own error: a
 * transaction whose owner has fallen silent after half of the time of a query, so that its locks are free before those
 * who wait for them give up at two thirds, and a statement a little before we give up its connection. MySQL bounds no
 * transaction, but a silent connection (`wait_timeout`), and so a silent owner: by the same figure, yet never before the
 * pool closes an idle connection itself. It has no bound for writes either: the end of the connection does it.
 * @param queryTimeout milliseconds; 0 leaves the server's own figures (migrations)
 */
export function sessionStatements(queryTimeout: number): string[] {
  const isolation = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';
  const relied = `SET SESSION sql_mode = '${SQL_MODE}', time_zone = '+00:00', autocommit = 1, character_set_client = utf8mb4,
    character_set_results = utf8mb4, collation_connection = utf8mb4_bin`;
  if (queryTimeout === 0) return [isolation, relied];
  const seconds = (share: number): number => Math.max(1, Math.round((queryTimeout * share) / 1000));
  const silence = Math.max(seconds(1 / 2), (IDLE_MS + IDLE_MARGIN_MS) / 1000);
  return [
    isolation,
    `${relied}, innodb_lock_wait_timeout = ${seconds(2 / 3)}
       /*M!, idle_transaction_timeout = ${seconds(1 / 2)}, max_statement_time = ${(queryTimeout * 0.9) / 1000} */
       /*!80000 , wait_timeout = ${silence}, max_execution_time = ${Math.round(queryTimeout * 0.9)} */`,
  ];
}
