import { now } from '../../../kernel/clock.js';
import { nonGsmCharacters } from '../../../kernel/gsm-alphabet.js';
import { newRequestId } from '../../../kernel/request-id.js';
import { splitSms } from '../../../platform/smpp/index.js';
import { type Channel, type MessageQuote, NO_OUTLINE, type Price, RecipientStatus } from '../../engine/index.js';
import { SenderIds, senderErrors, sentExtras } from '../../sender-ids/index.js';
import { broadcastErrors, readBroadcastContact } from '../broadcasts/index.js';
import { messageOf, missingOf, pricedPartsOf, type TextParts } from '../personalised/index.js';
import { creditsOf, priceOf as smsPrice } from './domain/sms-price.js';

/**
 * SMS. What may have left and is not yet settled counts as still processing, so it shows PP1; carriers do not report
 * reading, so Read only completes the table (reference/engine#recipient-statuses).
 */
export const smsChannel: Channel<'sms'> = {
  name: 'sms',
  title: 'SMS',
  routes: 'sms',
  event: 'gsm.status.update',
  campaignStatus: { accepted: 'PP1', sending: 'PP1' },
  statusLabels: {
    [RecipientStatus.Pending]: 'PP1',
    [RecipientStatus.Unknown]: 'PP1',
    [RecipientStatus.Submitted]: 'SENT',
    [RecipientStatus.Retrying]: 'SENT',
    [RecipientStatus.Delivered]: 'DELIVERED',
    [RecipientStatus.Read]: 'DELIVERED',
    [RecipientStatus.Failed]: 'FAILED',
    [RecipientStatus.Cancelled]: 'CANCELLED',
    [RecipientStatus.Answered]: 'DELIVERED',
    [RecipientStatus.NoAnswer]: 'FAILED',
    [RecipientStatus.Busy]: 'FAILED',
  },
  newRequestId: (zone, { CELL: cell }) => newRequestId('GSMCAMP', 6, { at: now(), zone, cell }),
  readRecipient: readBroadcastContact,
  duplicates: 'charged',
  price: (content, addressee) => priceOf(pricedPartsOf(content, addressee)),
  segments: (content, addressee) => wireParts(messageOf(content, addressee)),
  missing: missingOf,
  quote: async (_services, _accountId, message) => quoteOf(message),
  judgeDemands: (content, { dltTemplateId, dltEntityId }) => {
    const { templateId, entityId } = sentExtras(content).dlt ?? {};
    if (dltTemplateId && templateId === undefined) throw senderErrors.dltTemplateRequired();
    if (dltEntityId && entityId === undefined) throw senderErrors.dltEntityRequired();
  },
  judgeRetry: async (services, { accountId, sender }) => {
    if (sender !== null) await services(SenderIds).approved(accountId, 'sms', sender);
  },
  validitySeconds: (content) => sentExtras(content).validitySeconds,
  outline: (content) => ({ ...NO_OUTLINE, text: String(content['message']) }),
  compose: (content, addressee) => ({ text: messageOf(content, addressee), ...sentExtras(content) }),
};

const wireParts = (message: string): number => splitSms(message)?.parts.length ?? 1;

/** @throws AppError for a text that is longer than the table of prices goes */
function priceOf({ around, values }: TextParts): Price {
  const credits = creditsOf(around, values);
  if (credits === null) throw broadcastErrors.tooLong();
  return (PRICES[credits] ??= { balance: 'gsm_credits', unitCredits: credits });
}

/** By credits: an object less for each recipient of a personalised send. */
const PRICES: Readonly<Price>[] = [];

/** With the parts that go over the air, which the price does not follow (reference/sms#parts). */
function quoteOf(message: string): MessageQuote {
  const { encoding, length } = smsPrice(message);
  return {
    ...priceOf({ around: message, values: [] }),
    encoding,
    unicodeCharacters: nonGsmCharacters(message),
    length,
    segments: wireParts(message),
  };
}
