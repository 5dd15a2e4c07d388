export { endpointOf, type IdempotentRequest, REFS_KEPT_HOURS, requestDigest } from './idempotent-request.js';
export {
  IdempotencyKey,
  Idempotent,
  type Alongside,
  Idempotency,
  type KeptOutcome,
  type OutcomeKeeper,
} from './idempotency.js';
export { idempotencyErrors } from './idempotency.errors.js';
export { IdempotencyModule } from './idempotency.module.js';
export { IdempotencyKeys } from './idempotency.store.js';
export { idempotencyTables } from './tables.js';
