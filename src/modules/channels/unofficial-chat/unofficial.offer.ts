import { now } from '../../../kernel/clock.js';
import { newRequestId } from '../../../kernel/request-id.js';
import { broadcastErrors, readBroadcastContact } from '../broadcasts/index.js';
import { type ChannelOffer, chatQuote, type MessageQuote } from '../../engine/index.js';
import { isTooLong } from './unofficial-broadcast.js';

export const UNOFFICIAL_BALANCE = 'bulk_chat_credits';
/** Per contact, whatever the length and the attachments (reference/unofficial-chat#price). */
export const UNOFFICIAL_CREDITS = 1;

/** Unofficial chat as it is sold. @param idPrefix start of generated request ids (reference/engine#request-ids) */
export const unofficialOffer = (idPrefix: string): ChannelOffer => ({
  name: 'unofficial',
  newRequestId: (zone) => newRequestId(idPrefix, 6, now(), zone),
  quote: (_accountId, message) => Promise.resolve(quoteOf(message)),
  readContact: readBroadcastContact,
  duplicates: 'charged',
});

function quoteOf(message: string): MessageQuote {
  if (isTooLong(message)) throw broadcastErrors.tooLong();
  return chatQuote(message, UNOFFICIAL_CREDITS, UNOFFICIAL_BALANCE);
}
