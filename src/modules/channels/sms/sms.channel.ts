import { now } from '../../../kernel/clock.js';
import { gsmLength, nonGsmCharacters } from '../../../kernel/gsm-alphabet.js';
import { newRequestId } from '../../../kernel/ids.js';
import { splitSms } from '../../../platform/smpp/index.js';
import { type Channel, type Price, RecipientStatus } from '../../engine/index.js';
import { senderErrors, SenderIds, sentExtras } from '../../sender-ids/index.js';
import { broadcastErrors, readBroadcastContact } from '../broadcasts/index.js';
import { messageOf, missingOf, pricedPartsOf, type TextParts } from '../personalised/index.js';

type MessageQuote = Awaited<ReturnType<NonNullable<Channel['quote']>>>;

/** Units of a text's length (reference/sms#encoding): `gsm7` in septets, `unicode` in UTF-16 code units. */
export type SmsEncoding = 'gsm7' | 'unicode';

export interface SmsPrice {
  encoding: SmsEncoding;
  /** septets (extension characters count 2) or UTF-16 code units */
  length: number;
  /** credits per contact; null = `Message is too long` */
  credits: number | null;
}

/** Longest text for 1, 2, 3 … credits (reference/sms#prices), not wire segments: 134 Unicode units cost 3 credits. */
const LONGEST: Record<SmsEncoding, readonly number[]> = {
  gsm7: [160, 306, 459, 612],
  unicode: [70, 133, 199, 265, 331],
};

/** Prices a text by the table of reference/sms#prices. Never throws; an empty text counts as one message. */
export function priceOf(text: string): SmsPrice {
  const septets = gsmLength(text);
  const encoding: SmsEncoding = septets < 0 ? 'unicode' : 'gsm7';
  const length = septets < 0 ? text.length : septets;
  return { encoding, length, credits: creditsFor(encoding, length) };
}

/** The credits of a text in parts, as `priceOf` counts; null = too long. @param around text shared by all recipients */
function creditsOf(around: string, values: readonly string[]): number | null {
  const septets = inGsm(around, values);
  if (septets >= 0) return creditsFor('gsm7', septets);
  let units = around.length;
  for (const value of values) units += value.length;
  return creditsFor('unicode', units);
}

function creditsFor(encoding: SmsEncoding, length: number): number | null {
  const row = LONGEST[encoding].findIndex((longest) => length <= longest);
  return row < 0 ? null : row + 1;
}

/** Septets of the whole text; -1 = not GSM. */
function inGsm(around: string, values: readonly string[]): number {
  if (counted.text !== around) counted = { text: around, septets: gsmLength(around) };
  let { septets } = counted;
  if (septets < 0) return -1;
  for (const value of values) {
    const more = gsmLength(value);
    if (more < 0) return -1;
    septets += more;
  }
  return septets;
}

/** Consecutive recipients mostly share this text. */
let counted = { text: '', septets: 0 };

/** SMS. Unsettled sends show as PP1; carriers do not report Read (reference/engine#recipient-statuses). */
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
  price: (content, addressee) => priceOfContent(pricedPartsOf(content, addressee)),
  segments: (content, addressee) => wireParts(messageOf(content, addressee)),
  missing: missingOf,
  quote: async (_services, _accountId, message) => quoteOf(message),
  assertDemands: (content, { dltTemplateId, dltEntityId }) => {
    const { templateId, entityId } = sentExtras(content).dlt ?? {};
    if (dltTemplateId && templateId === undefined) throw senderErrors.dltTemplateRequired();
    if (dltEntityId && entityId === undefined) throw senderErrors.dltEntityRequired();
  },
  validateRetry: async (services, { accountId, sender }) => {
    if (sender !== null) await services(SenderIds).assertApproved(accountId, 'sms', sender);
  },
  validitySeconds: (content) => sentExtras(content).validitySeconds,
  outline: (content) => ({ text: String(content['message']) }),
  compose: (content, addressee) => ({ text: messageOf(content, addressee), ...sentExtras(content) }),
};

const wireParts = (message: string): number => splitSms(message)?.parts.length ?? 1;

/** @throws AppError when the text is longer than the price table */
function priceOfContent({ around, values }: TextParts): Price {
  const credits = creditsOf(around, values);
  if (credits === null) throw broadcastErrors.tooLong();
  return (PRICES[credits] ??= { balance: 'gsm_credits', unitCredits: credits });
}

/** By credits, which saves an object per recipient. */
const PRICES: Readonly<Price>[] = [];

/** Adds the parts sent over the air, which do not determine the price (reference/sms#parts). */
function quoteOf(message: string): MessageQuote {
  const { encoding, length } = priceOf(message);
  return {
    ...priceOfContent({ around: message, values: [] }),
    encoding,
    unicodeCharacters: nonGsmCharacters(message),
    length,
    segments: wireParts(message),
  };
}
