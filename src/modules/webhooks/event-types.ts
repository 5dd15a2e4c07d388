import { CHANNELS } from '../channels/index.js';
import { FEATURE_EVENT_TYPES } from '../customer-events/index.js';
import { Channels } from '../engine/index.js';

/** What an endpoint can subscribe to: the status changes of the process's channels, then the other features' events. */
export const eventTypesOf = (channels: Channels): readonly string[] => [...channels.eventTypes, ...FEATURE_EVENT_TYPES];

/** The types of reference/webhooks#types, in its order. */
export const CUSTOMER_EVENT_TYPES = eventTypesOf(new Channels(CHANNELS));
