import { type Channel, isQuotable } from '../engine/index.js';
import { smsChannel } from './sms/index.js';
import { brandedChannel, templateChannel } from './template-messages/index.js';
import { unofficialChannel } from './unofficial-chat/index.js';
import { voiceChannel } from './voice/index.js';

export { CHANNEL_QUOTE_ERRORS, CHANNEL_RETRY_ERRORS } from './documented-errors.js';
export { CHANNEL_EXAMPLE, QUOTE_EXAMPLES } from './examples.js';

/** Every channel of the service, in the order in which clients see their names: the one list that both apps are handed. */
export const CHANNELS = [
  smsChannel,
  unofficialChannel,
  templateChannel,
  brandedChannel,
  voiceChannel,
] as const satisfies readonly Channel[];

export type ChannelName = (typeof CHANNELS)[number]['name'];

/** Names of the channels whose price can be told before a send. */
export const QUOTABLE_CHANNEL_NAMES: readonly string[] = (CHANNELS as readonly Channel[])
  .filter(isQuotable)
  .map(({ name }) => name);

/** Every word that the status of a recipient can be, over all channels: for documents. */
export const RECIPIENT_STATUS_WORDS: readonly string[] = [
  ...new Set(CHANNELS.flatMap(({ statusLabels }) => Object.values(statusLabels))),
];

/** For documents; what an app takes at run time are the names of its own list. */
export const CHANNEL_NAMES: readonly ChannelName[] = CHANNELS.map(({ name }) => name);
