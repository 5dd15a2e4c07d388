export { SuppressionListModule, SuppressionsModule } from './suppressions.module.js';
export { suppressionTables } from './persistence/table-rules.js';
