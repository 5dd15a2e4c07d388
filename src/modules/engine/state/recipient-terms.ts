/** What is sent to: the number, with what its text needs of the recipient's own. */
export interface Addressee {
  /** digits, as the channel reads them */
  number: string;
  /** values of the text's placeholders; absent = none */
  variables?: Readonly<Record<string, string>>;
  /** sender id of its own; absent = the route's */
  sender?: string;
}

/** Where a recipient differs from its campaign; a recipient that differs in nothing has none (docs/decisions/0022). */
export interface RecipientTerms extends Omit<Addressee, 'number'> {
  /** what it costs instead of the campaign's `unitCredits` */
  credits?: number;
  /** the route that carries it instead of the campaign's */
  routeId?: number;
}
