export { SuppressionListModule, SuppressionsModule, SuppressionsWorkerModule } from './suppressions.module.js';
export { suppressionTables } from './tables.js';
export { AddSuppressionsCommand, RemoveSuppressionsCommand } from './suppressions.commands.js';
export type { RawNumbers } from './suppression.js';
export {
  numbersOf,
  wantedNumber,
  AddedAnswer,
  RemovedAnswer,
  type SuppressionData,
  SuppressionNumbersBody,
  SuppressionPageAnswer,
} from './suppressions.dto.js';
export { ListSuppressionsQuery } from './suppressions.queries.js';
export { suppressionErrors } from './suppressions.errors.js';
