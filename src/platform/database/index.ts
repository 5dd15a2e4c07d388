export { DatabaseModule, ImpatientDatabaseModule } from './database.module.js';
export { jsonRows } from './json-rows.js';
export { dataSourceOptions } from './options.js';
export { duplicateKeyName, inTransaction, isDuplicateKey } from './transaction.js';
export type { WriteResult } from './write-result.js';
