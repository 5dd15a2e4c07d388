export {
  type Answer,
  type CallOf,
  createSwitchboard,
  type OperationId,
  type Switchboard,
  type SwitchboardOptions,
} from './client.js';
export { type RowFault, SwitchboardError } from './errors.js';
export { type Hint, hintsOf } from './hints.js';
export type { RetryOptions } from './retries.js';
export type { components, operations, paths, webhooks } from './schema.js';
export {
  verifyWebhook,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookEventType,
  type WebhookHeaders,
  WebhookVerificationError,
} from './webhooks.js';
