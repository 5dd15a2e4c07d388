export { SuppressionListModule, SuppressionsModule } from './suppressions.module.js';
