export { SuppressionListModule, SuppressionsModule, SuppressionsWorkerModule } from './suppressions.module.js';
export { suppressionTables } from './persistence/table-rules.js';
export { AddSuppressionsCommand } from './commands/add-suppressions.command.js';
export { RemoveSuppressionsCommand } from './commands/remove-suppressions.command.js';
export type { RawNumbers } from './domain/suppression.js';
export { numbersOf, wantedNumber } from './http/read-numbers.js';
export {
  AddedAnswer,
  RemovedAnswer,
  type SuppressionData,
  SuppressionNumbersBody,
  SuppressionPageAnswer,
} from './http/suppression.dto.js';
export { ListSuppressionsQuery } from './queries/list-suppressions.query.js';
export { suppressionErrors } from './suppressions.errors.js';
