import { MOST_CONTACTS } from '../../../kernel/sorted-contacts.js';
import { readText } from '../../../kernel/text.js';

/** A quote as a client asked for it; every value may be of any type. */
export interface RawQuote {
  channel?: unknown;
  message?: unknown;
  contacts?: unknown;
}

/** A quote that names a channel, a message and contacts; the contacts themselves are still as they came. */
export interface QuoteRequest {
  channel: string;
  message: string;
  contacts: readonly unknown[];
}

export type QuoteFault = 'channel' | 'message' | 'contacts' | 'tooMany';

/** Reads a request for a quote. @returns the request, or the first field at fault */
export function readQuote(raw: RawQuote, channels: readonly string[]): { quote: QuoteRequest } | { fault: QuoteFault } {
  const { channel, contacts } = raw;
  if (typeof channel !== 'string' || !channels.includes(channel)) return { fault: 'channel' };
  const message = readText(raw.message);
  if (message.kind !== 'text') return { fault: 'message' };
  if (!Array.isArray(contacts) || contacts.length === 0) return { fault: 'contacts' };
  if (contacts.length > MOST_CONTACTS) return { fault: 'tooMany' };
  return { quote: { channel, message: message.value, contacts: contacts as unknown[] } };
}
