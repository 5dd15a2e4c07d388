export { SuppressionListModule, SuppressionsModule, SuppressionsWorkerModule } from './suppressions.module.js';
export { suppressionTables } from './tables.js';
