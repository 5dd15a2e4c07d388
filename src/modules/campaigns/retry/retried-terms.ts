import { UsageTally } from '../../credits/index.js';
import type { DraftSum, RecipientTerms, RouteChain, TermsDraft } from '../../engine/index.js';
import type { FailedRecipient } from './failed-recipients.js';

/** What recipients without terms of their own have. */
type Common = Pick<TermsDraft, 'unitCredits' | 'routeId' | 'sender'>;

/**
 * The terms that recipients take along into a retry: they are sent to and charged by what was theirs. Gathered batch by
 * batch; of each recipient one byte stays, its group of lanes.
 */
export class RetriedTerms {
  private readonly groupOf: ReadonlyMap<number, number>;
  private readonly chains: readonly RouteChain[];
  private readonly groups: Uint8Array[] = [];
  private readonly tally = new UsageTally();
  private charged = 0;
  private isOwn = false;

  /** @param further routes of recipients' own that there still are; the rest goes over the campaign's */
  constructor(
    private readonly common: Common,
    further: readonly number[],
  ) {
    const others = further.filter((route) => route !== common.routeId).sort((a, b) => a - b);
    const routes = [common.routeId, ...others];
    this.chains = routes.map((route): RouteChain => [route]);
    this.groupOf = new Map(routes.map((route, group) => [route, group]));
  }

  /** @returns what is written of these recipients */
  add(recipients: readonly FailedRecipient[]): { draft: TermsDraft; sum: DraftSum } {
    const terms = recipients.map((recipient) => this.kept(recipient.terms));
    const groups = Uint8Array.from(terms, (own) => this.groupOf.get(own?.routeId ?? this.common.routeId) ?? 0);
    const tally = new UsageTally();
    let charged = 0;
    for (const [at, { number }] of recipients.entries()) {
      const own = terms[at];
      const credits = own?.credits ?? this.common.unitCredits;
      charged += credits;
      for (const each of [tally, this.tally]) each.add(number, own?.sender ?? this.common.sender ?? '', credits);
    }
    const isOwn = terms.some((own) => own !== null);
    this.groups.push(groups);
    this.charged += charged;
    this.isOwn ||= isOwn;
    const draft = { ...this.common, recipients: recipients.map(({ number }) => number), terms };
    const sum = { charged, usage: tally.shares };
    return { draft, sum: { ...sum, ...(isOwn && { own: { chains: this.chains, groups } }) } };
  }

  /** Of all recipients so far. */
  get sum(): DraftSum {
    const { charged, chains, isOwn } = this;
    const usage = this.tally.shares;
    return { charged, usage, ...(isOwn && { own: { chains, groups: new Uint8Array(Buffer.concat(this.groups)) } }) };
  }

  private kept(terms: RecipientTerms | null): RecipientTerms | null {
    if (terms?.routeId === undefined || this.groupOf.has(terms.routeId)) return terms;
    const { routeId: _removed, ...rest } = terms;
    return rest;
  }
}
