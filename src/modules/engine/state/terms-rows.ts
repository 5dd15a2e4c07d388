import type { Addressee } from './recipient-terms.js';

/** What a message takes of a recipient's own terms, as rows have it. */
export interface TermsRow {
  variables?: string | null;
  sender?: string | null;
}

/** The columns of a `TermsRow`; `recipient_terms o`. */
export const TERMS_COLUMNS = 'o.variables, o.sender';

export function termsOf({ variables, sender }: TermsRow): Pick<Addressee, 'variables' | 'sender'> {
  return {
    ...(variables && { variables: JSON.parse(variables) as Record<string, string> }),
    ...(sender && { sender }),
  };
}
