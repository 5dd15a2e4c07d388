export type { IdempotentEndpoint, IdempotentRequest } from './domain/idempotent-request.js';
export { IdempotencyKey, Idempotent } from './http/idempotent.js';
export { type Alongside, Idempotency, type OutcomeKeeper } from './idempotency.js';
export { IdempotencyModule } from './idempotency.module.js';
export { idempotencyTables } from './persistence/table-rules.js';
