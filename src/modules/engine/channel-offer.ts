import { isGsmText, nonGsmCharacters } from '../../kernel/gsm-alphabet.js';
import { codePoints } from '../../kernel/text.js';
import type { CampaignRecord, ChannelName } from './state/campaign.js';

/** A message priced for one recipient, before anything is sent. */
export interface MessageQuote {
  encoding: 'gsm7' | 'unicode';
  /** the different characters that make the text Unicode, in order of first appearance */
  unicodeCharacters: string[];
  /** as the channel counts: septets or UTF-16 units for SMS, code points elsewhere */
  length: number;
  /** parts that leave for one recipient; the price may follow another table (reference/sms#parts) */
  segments: number;
  unitCredits: number;
  /** which balance pays */
  balance: string;
}

/** What a retry of a campaign does not take over from it. */
export interface RenewedTerms {
  routeId: number;
  service: string;
  balance: string;
  unitCredits: number;
}

/** What a channel says when somebody wants to send through it: its price, its rule for numbers, its request ids. */
export interface ChannelOffer {
  name: ChannelName;
  /** a fresh request id in the channel's format (reference/engine#request-ids). @param zone IANA zone of its date */
  newRequestId: (zone: string) => string;
  /**
   * Prices what a send would charge; absent where that cannot be told from a text.
   * @param message what the channel's `message` is: the text, or the template's name
   * @throws AppError what the channel's own send would answer to this message
   */
  quote?: (accountId: number, message: string) => Promise<MessageQuote>;
  /**
   * Judges the campaign that a retry sends again as a new send would be judged now; absent where nothing but the route
   * can have changed.
   * @throws AppError what the channel's own send would answer
   */
  renew?: (campaign: CampaignRecord) => Promise<RenewedTerms>;
  /** the number as a send takes it; null for one that a send refuses or leaves out */
  readContact: (entry: unknown) => string | null;
  /** what becomes of a number that comes again: charged per entry, or removed (reference/requests#contacts) */
  duplicates: 'charged' | 'removed';
}

/** An offer of a channel whose price can be told from a text. */
export type QuotableOffer = ChannelOffer & Required<Pick<ChannelOffer, 'quote'>>;

/** Chat messages are counted in code points and leave in one piece; their price does not depend on the text. */
export const chatQuote = (text: string, unitCredits: number, balance: string): MessageQuote => ({
  encoding: isGsmText(text) ? 'gsm7' : 'unicode',
  unicodeCharacters: nonGsmCharacters(text),
  length: codePoints(text),
  segments: 1,
  unitCredits,
  balance,
});
