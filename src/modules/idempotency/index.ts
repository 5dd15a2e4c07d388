export type { IdempotentEndpoint, IdempotentRequest } from './domain/idempotent-request.js';
export { IdempotencyKey, Idempotent } from './http/idempotent.js';
export { idempotencyErrors } from './idempotency.errors.js';
export { type Alongside, Idempotency, type KeptOutcome, type OutcomeKeeper } from './idempotency.js';
export { IdempotencyModule } from './idempotency.module.js';
export { IdempotencyKeys } from './persistence/idempotency-keys.js';
export { idempotencyTables } from './persistence/table-rules.js';
