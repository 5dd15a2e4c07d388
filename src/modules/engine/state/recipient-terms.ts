/** What is sent to: the number, with what its text needs of the recipient's own. */
export interface Addressee {
  /** digits, as the channel reads them */
  number: string;
  /** values of the text's placeholders; absent = none */
  variables?: Readonly<Record<string, string>>;
  /** sender id that it sees; absent = the campaign's, and that failing the route's */
  sender?: string;
}

/** Where a recipient differs from its campaign; a recipient that differs in nothing has none (docs/decisions/0022). */
export interface RecipientTerms extends Omit<Addressee, 'number'> {
  /** what it costs instead of the campaign's `unitCredits` */
  credits?: number;
  /** the route that carries it instead of the campaign's */
  routeId?: number;
  /**
   * the routes that take over from its own, in this order. Absent: the campaign's with the campaign's route, else none.
   * Known at the acceptance alone; afterwards they stand in `campaign_routes`
   */
  fallbacks?: readonly number[];
}

/** A row of `recipient_terms`; all null for a recipient that has none. */
export interface TermsRow {
  credits: number | null;
  sender: string | null;
  route_id: number | null;
}

/** The columns of a `TermsRow`, of the table as `t`. */
export const TERMS_COLUMNS = 't.credits, t.sender, t.route_id';

/** Variables stand apart (`own-variables.ts`). @returns null for a recipient that has nothing else of its own */
export function toTerms({ credits, sender, route_id }: Partial<TermsRow>): RecipientTerms | null {
  const terms: RecipientTerms = {
    ...(credits != null && { credits }),
    ...(sender != null && { sender }),
    ...(route_id != null && { routeId: route_id }),
  };
  return Object.keys(terms).length > 0 ? terms : null;
}
