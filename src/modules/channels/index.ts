import type { DocumentedError } from '../../kernel/errors.js';
import { type Channel, isQuotable } from '../engine/index.js';
import { chatAccountErrors } from '../providers/index.js';
import { senderErrors } from '../sender-ids/index.js';
import { templateSendErrors } from '../templates/index.js';
import { broadcastErrors } from './broadcasts/index.js';
import { smsChannel } from './sms/index.js';
import { brandedChannel, templateChannel } from './template-messages/index.js';
import { unofficialChannel } from './unofficial-chat/index.js';
import { voiceChannel } from './voice/index.js';

/** What channels answer to a quote that their own sends would refuse. For documents of features that know no channel by name. */
export const CHANNEL_QUOTE_ERRORS: readonly DocumentedError[] = [
  broadcastErrors.tooLong.because('as the channel’s own send would say'),
  templateSendErrors.notFound.because('template and branded: no template of that name'),
];

/** What channels answer to a retry, because they judge it as a new send. */
export const CHANNEL_RETRY_ERRORS: readonly DocumentedError[] = [
  templateSendErrors.notFound.because('template and branded: judged as a new send is'),
  templateSendErrors.notApproved.because('likewise pending and rejected, with the texts of a template send'),
  templateSendErrors.languageMismatch.because('it was changed; likewise its numbers of parameters'),
  chatAccountErrors.notFound.because('likewise its number id and token'),
  senderErrors.notApproved.because('sms and voice: the sender id that it was sent under is not any more'),
  senderErrors.dltTemplateRequired.because('sms: the route that a new send would take asks for it'),
  senderErrors.dltEntityRequired.because('likewise'),
];

/** For documents of features that know no channel by name. */
export const CHANNEL_EXAMPLE = smsChannel.name;

const contacts = ['919812345678'];

/** Bodies of a quote to try, by a name for each. */
export const QUOTE_EXAMPLES = {
  sms: { value: { channel: smsChannel.name, message: 'Hello from Switchboard', contacts } },
  unicode: { value: { channel: smsChannel.name, message: 'Grüße aus Łódź', contacts: [...contacts, '12'] } },
  unofficial: { value: { channel: unofficialChannel.name, message: 'Hello', contacts } },
  template: { value: { channel: templateChannel.name, message: 'order_ready', contacts } },
};

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
