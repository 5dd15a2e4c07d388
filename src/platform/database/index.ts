export { DatabaseModule, ImpatientDatabaseModule, MigratingDatabaseModule } from './database.module.js';
export { DatabaseWatch } from './database-watch.js';
export {
  addDays,
  type Asked,
  dateBound,
  type DayBound,
  daysAfter,
  idBound,
  LATER,
  missingDays,
  partitionsOf,
  startOfDay,
  tableAside,
  tablesLeftAside,
} from './day-partitions.js';
export { duplicateKeyName, isDuplicateKey, isPassing, mayBeOwn } from './faults.js';
export { lockOnly } from './lock-clause.js';
export { CommitUnknown, type WrittenRow } from './lost-commit.js';
export { BATCH, batchesOf, jsonRows } from './json-rows.js';
export { QuotedText } from './quoted-text.js';
export { ReadDatabase, ReadSession } from './read-database.js';
export { type ReadSource, rowArrays } from './row-arrays.js';
export { inListedOrder, type KeyedList, type KeyRange, listKeys, MOST_LOOKED_AT } from './list-keys.js';
export { FORMER_MIGRATIONS, migrations } from './migrations/index.js';
export { dataSourceOptions } from './options.js';
export { OtherDatabase } from './other-database.js';
export { again } from './single-statements.js';
export { afterCommit, inTransaction, type LostCommit, runsAgain } from './transaction.js';
export type { WriteResult } from './write-result.js';
