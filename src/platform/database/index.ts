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
  makeExchangeTable,
  leftExchangeTables,
} from './day-partitions.js';
export { duplicateKeyName, isDuplicateKey, isPassing, mayBeOwn, again, nullColumn, violatedCheck } from './faults.js';
export {
  lockOnly,
  BATCH,
  batchesOf,
  jsonRows,
  QuotedText,
  type ReadSource,
  rowArrays,
  type WriteResult,
} from './rows.js';
export {
  CommitUnknown,
  type WrittenRow,
  afterCommit,
  inTransaction,
  type LostCommit,
  runsAgain,
} from './transaction.js';
export { execute, inPacket, Packets, PacketTooLong, type Statement } from './packets.js';
export { ReadDatabase, ReadSession } from './read-database.js';
export { inListedOrder, type KeyedList, type KeyRange, listKeys, MOST_FILTERED } from './list-keys.js';
export { FORMER_MIGRATIONS, migrations } from './migrations/index.js';
export { dataSourceOptions, OtherDatabase } from './data-source.js';

export { FROM_NOW, HeldLease, type ClaimedAlongside, isFree, LeasedTable, takeDue } from './leases.js';
