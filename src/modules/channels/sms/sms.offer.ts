import { now } from '../../../kernel/clock.js';
import { nonGsmCharacters } from '../../../kernel/gsm-alphabet.js';
import { newRequestId } from '../../../kernel/request-id.js';
import { splitSms } from '../../../platform/smpp/index.js';
import { broadcastErrors, readBroadcastContact } from '../broadcasts/index.js';
import type { ChannelOffer, MessageQuote } from '../../engine/index.js';
import { priceOf } from './domain/sms-price.js';

/** Start of generated request ids (reference/engine#request-ids). */
export const SMS_ID_PREFIX = 'GSMCAMP';
export const SMS_BALANCE = 'gsm_credits';

/**
 * SMS as it is sold: the price table of reference/sms#prices, and the parts that go over the air (reference/sms#parts).
 */
export const smsOffer: ChannelOffer = {
  name: 'sms',
  newRequestId: (zone) => newRequestId(SMS_ID_PREFIX, 6, now(), zone),
  quote: (_accountId, message) => Promise.resolve(quoteOf(message)),
  readContact: readBroadcastContact,
  duplicates: 'charged',
};

function quoteOf(message: string): MessageQuote {
  const { encoding, length, credits } = priceOf(message);
  if (credits === null) throw broadcastErrors.tooLong();
  return {
    encoding,
    unicodeCharacters: nonGsmCharacters(message),
    length,
    segments: splitSms(message)?.parts.length ?? 1,
    unitCredits: credits,
    balance: SMS_BALANCE,
  };
}
