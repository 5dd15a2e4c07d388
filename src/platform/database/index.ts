export { DatabaseModule, ImpatientDatabaseModule } from './database.module.js';
export { jsonRows } from './json-rows.js';
export { dataSourceOptions } from './options.js';
export { duplicateKeyName, inTransaction, isDuplicateKey, isRetryable } from './transaction.js';
