import { now } from '../../../kernel/clock.js';
import { newRequestId } from '../../../kernel/request-id.js';
import { type Channel, type Content, NO_OUTLINE, type Price } from '../../engine/index.js';
import { broadcastErrors, readBroadcastContact } from '../broadcasts/index.js';
import { CHAT_EVENT, CHAT_STATUS_LABELS, chatQuote } from '../chat/index.js';
import { messageOf, missingOf, pricedMessageOf } from '../personalised/index.js';
import { ATTACHMENTS, isTooLong } from './unofficial-broadcast.js';

/** Per contact, whatever the length and the attachments (reference/unofficial-chat#price). */
const PRICE: Price = { balance: 'bulk_chat_credits', unitCredits: 1 };

const attachmentsOf = (content: Content): string[] =>
  ATTACHMENTS.flatMap((field) => (typeof content[field] === 'string' ? [content[field]] : []));

/** Unofficial chat: the text, then each attachment as an item of its own (reference/unofficial-chat#items). */
export const unofficialChannel: Channel<'unofficial'> = {
  name: 'unofficial',
  title: 'unofficial chat',
  routes: 'unofficial',
  event: CHAT_EVENT,
  campaignStatus: { accepted: 'Processing', sending: 'Processing' },
  statusLabels: CHAT_STATUS_LABELS,
  newRequestId: (zone, { UNOFFICIAL_PREFIX, CELL: cell }) =>
    newRequestId(UNOFFICIAL_PREFIX, 6, { at: now(), zone, cell }),
  readRecipient: readBroadcastContact,
  duplicates: 'charged',
  price: (content, addressee) => {
    if (isTooLong(pricedMessageOf(content, addressee))) throw broadcastErrors.tooLong();
    return PRICE;
  },
  missing: missingOf,
  quote: async (_services, _accountId, message) => {
    if (isTooLong(message)) throw broadcastErrors.tooLong();
    return chatQuote(message, PRICE);
  },
  outline: (content) => ({ ...NO_OUTLINE, text: String(content['message']), attachments: attachmentsOf(content) }),
  compose: (content, addressee) => ({ text: messageOf(content, addressee), attachments: attachmentsOf(content) }),
};
