import { CHANNELS } from '../channels/index.js';
import type { Account } from '../accounts/index.js';
import { FEATURE_EVENT_TYPES, STAFF_EVENT_TYPES } from '../customer-events/index.js';
import { Channels } from '../engine/index.js';

/** What an endpoint can subscribe to: the status changes of the process's channels, then the other features' events. */
export const eventTypesOf = (channels: Channels): readonly string[] => [...channels.eventTypes, ...FEATURE_EVENT_TYPES];

/** The same for one account: staff of the house hear of alarms too. */
export const eventTypesFor = (channels: Channels, { userType }: Pick<Account, 'userType'>): readonly string[] =>
  userType === 'super' || userType === 'admin'
    ? [...eventTypesOf(channels), ...STAFF_EVENT_TYPES]
    : eventTypesOf(channels);

/** The types of reference/webhooks#types, in its order. */
export const CUSTOMER_EVENT_TYPES = eventTypesOf(new Channels(CHANNELS));

/** Those and the types of staff. */
export const ALL_EVENT_TYPES = [...CUSTOMER_EVENT_TYPES, ...STAFF_EVENT_TYPES];
