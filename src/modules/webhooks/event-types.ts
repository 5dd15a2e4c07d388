import { CHANNELS } from '../channels/index.js';
import { type Account, accountErrors } from '../accounts/index.js';
import { FEATURE_EVENT_TYPES, STAFF_EVENT_TYPES } from '../customer-events/index.js';
import { Channels } from '../engine/index.js';

/** What an endpoint can subscribe to: the status changes of the process's channels, then the other features' events. */
export const eventTypesOf = (channels: Channels): readonly string[] => [...channels.eventTypes, ...FEATURE_EVENT_TYPES];

/** Alarms tell of the whole installation, and a key acts on its own account only. */
const hearsAlarms = ({ userType, apiKey }: Pick<Account, 'userType' | 'apiKey'>): boolean =>
  (userType === 'super' || userType === 'admin') && !apiKey;

/** The same for one account: staff of the house hear of alarms too, but not by a key. */
export const eventTypesFor = (channels: Channels, actor: Pick<Account, 'userType' | 'apiKey'>): readonly string[] =>
  hearsAlarms(actor) ? [...eventTypesOf(channels), ...STAFF_EVENT_TYPES] : eventTypesOf(channels);

/**
 * A key neither changes nor removes an endpoint that hears of alarms, nor gets its secret.
 * @param endpoint its types stand in one text, with commas
 * @throws AppError 403 `Forbidden`
 */
export function assertMayChange(actor: Pick<Account, 'apiKey'>, { events }: { events: string }): void {
  if (actor.apiKey && events.split(',').some((type) => STAFF_EVENT_TYPES.some((known) => known === type))) {
    throw accountErrors.forbidden();
  }
}

/** The types of reference/webhooks#types, in its order. */
export const CUSTOMER_EVENT_TYPES = eventTypesOf(new Channels(CHANNELS));

/** Those and the types of staff. */
export const ALL_EVENT_TYPES = [...CUSTOMER_EVENT_TYPES, ...STAFF_EVENT_TYPES];
