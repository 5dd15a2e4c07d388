import type { Addressee } from './recipient-terms.js';

/** What a message takes of a recipient's own terms, as rows have it. */
export interface TermsRow {
  sender?: string | null;
}

/** The columns of a `TermsRow`; `recipient_terms o`. */
export const TERMS_COLUMNS = 'o.sender';

/** @param common the campaign's sender id, for recipients that have none of their own */
export function termsOf({ sender: own }: TermsRow, common: string | null): Pick<Addressee, 'sender'> {
  const sender = own ?? common;
  return sender ? { sender } : {};
}
