/**
 * The lock of a SELECT that joins a derived table or JSON_TABLE: only the rows of `alias` are locked.
 *
 * MySQL refuses to lock a JSON_TABLE (error 3569), so the clause names the table there (`OF`). MariaDB does not know `OF`, locks
 * stored rows only, and skips the comment: it runs `/*!NNNNN` only where NNNNN is below 50700 or above 99999 (and at most its
 * own version), in every release up to 12; MySQL runs it from NNNNN on.
 * @param alias of the table to lock, as in the FROM clause
 */
export const lockOnly = (alias: string): string => `FOR UPDATE /*!80000 OF ${alias} */`;
