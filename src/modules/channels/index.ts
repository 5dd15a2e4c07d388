import type { DocumentedError } from '../../kernel/errors.js';
import { type Channel, Channels } from '../engine/index.js';
import { chatAccountErrors } from '../providers/index.js';
import { senderErrors } from '../sender-ids/index.js';
import { templateSendErrors } from '../templates/index.js';
import { broadcastErrors } from './broadcasts/index.js';
import { smsChannel } from './sms/index.js';
import { brandedChannel, templateChannel } from './template-messages/index.js';
import { unofficialChannel } from './unofficial-chat/index.js';
import { voiceChannel } from './voice/index.js';

/** Errors of channels on a quote, as their own sends give them; for API documents. */
export const CHANNEL_QUOTE_ERRORS: readonly DocumentedError[] = [
  broadcastErrors.tooLong.because('as the channel’s own send would say'),
  templateSendErrors.notFound.because('template and branded: no template of that name'),
];

/** Errors of channels on a retry, which they validate like a new send. */
export const CHANNEL_RETRY_ERRORS: readonly DocumentedError[] = [
  templateSendErrors.notFound.because('template and branded: checked as a new send is'),
  templateSendErrors.notApproved.because('likewise pending and rejected, with the texts of a template send'),
  templateSendErrors.languageMismatch.because('it was changed; likewise its numbers of parameters'),
  chatAccountErrors.notFound.because('likewise its number id and token'),
  senderErrors.notApproved.because('sms and voice: the sender id that it was sent under is not any more'),
  senderErrors.dltTemplateRequired.because('sms: the route that a new send would take asks for it'),
  senderErrors.dltEntityRequired.because('likewise'),
];

export const CHANNEL_EXAMPLE = smsChannel.name;

const contacts = ['919812345678'];

export const QUOTE_EXAMPLES = {
  sms: { value: { channel: smsChannel.name, message: 'Hello from Switchboard', contacts } },
  unicode: { value: { channel: smsChannel.name, message: 'Grüße aus Łódź', contacts: [...contacts, '12'] } },
  unofficial: { value: { channel: unofficialChannel.name, message: 'Hello', contacts } },
  template: { value: { channel: templateChannel.name, message: 'order_ready', contacts } },
};

/** All channels, in the order shown to clients; both apps use this list. */
export const CHANNELS = [
  smsChannel,
  unofficialChannel,
  templateChannel,
  brandedChannel,
  voiceChannel,
] as const satisfies readonly Channel[];

export type ChannelName = (typeof CHANNELS)[number]['name'];

export const QUOTABLE_CHANNEL_NAMES: readonly string[] = Channels.quotable(CHANNELS);

export const RECIPIENT_STATUS_WORDS: readonly string[] = [
  ...new Set(CHANNELS.flatMap(({ statusLabels }) => Object.values(statusLabels))),
];

/** For API documents; at run time an app uses the names of its own list. */
export const CHANNEL_NAMES: readonly ChannelName[] = CHANNELS.map(({ name }) => name);
