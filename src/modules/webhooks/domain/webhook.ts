/** Whether an endpoint gets its events (reference/webhooks#own-routes). */
export type WebhookStatus = 'active' | 'disabled';

export const WEBHOOK_STATUSES: readonly WebhookStatus[] = ['active', 'disabled'];

export const LONGEST_URL = 2048;
/** What `WEBHOOKS_PER_ACCOUNT` may be at the most. */
export const MOST_WEBHOOKS = 100;
/** How long the secret before a rotation still signs (reference/webhooks#signature). */
export const OVERLAP_MS = 24 * 3_600_000;
/** How long events and the log of tries are kept (reference/webhooks#log), days; fewer with fewer RETENTION_DAYS. */
export const KEPT_DAYS = 30;
/** The tries of an event are over by then: seven waits (reference/webhooks#tries), which an endpoint may make a day each. */
export const LONGEST_DELIVERY_DAYS = 8;

/** Texts of `disabled_reason`. */
export const DISABLED_REASONS = {
  byOwner: 'Disabled by the account',
  makerGone: 'The person or key that made it was removed',
  gone: 'The endpoint answered 410 Gone',
  failing: (ms: number): string => `Every delivery failed for ${durationText(ms)}`,
};

const DAY_MS = 86_400_000;

const durationText = (ms: number): string =>
  ms >= DAY_MS ? `${Math.round(ms / DAY_MS)} days` : `${Math.ceil(ms / 1000)} s`;
