import type { Addressee } from './recipient-terms.js';

/** What a message takes of a recipient's own terms, as rows have it. */
export interface TermsRow {
  variables?: string | null;
  sender?: string | null;
}

/** The columns of a `TermsRow`; `recipient_terms o`. */
export const TERMS_COLUMNS = 'o.variables, o.sender';

/** @param common the campaign's sender id, for recipients that have none of their own */
export function termsOf(
  { variables, sender: own }: TermsRow,
  common: string | null,
): Pick<Addressee, 'variables' | 'sender'> {
  const sender = own ?? common;
  return {
    ...(variables && { variables: JSON.parse(variables) as Record<string, string> }),
    ...(sender && { sender }),
  };
}
