import { smsChannel } from './sms/index.js';
import { templateChannel } from './template-messages/index.js';
import { unofficialChannel } from './unofficial-chat/index.js';

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
