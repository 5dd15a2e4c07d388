import { type AppError, MOST_ROW_FAULTS, type RowFault } from '../../../kernel/errors.js';
import type { Pricer } from '../../rates/index.js';
import type { RouteChain, RoutePlan } from '../../routing/index.js';
import { type Channel, type Content, isPersonalised, type Price } from '../channel.js';
import { acceptanceErrors } from './acceptance.errors.js';
import type { CampaignDraft } from './draft.js';

/** A recipient as a client gave it, its number cleaned by the channel's `readRecipient`. */
export interface SourcedRecipient {
  number: string;
  /** values of the text's placeholders */
  variables?: Readonly<Record<string, string>>;
  /** sender id of its own; absent = the submission's */
  sender?: string;
  /** its place in what the client gave, 1 = the first; errors name it */
  row: number;
}

/** Recipients in their order, some thousand at a time. */
export interface RecipientSource {
  /** how many there are */
  total: number;
  read(): AsyncIterable<readonly SourcedRecipient[]>;
}

/** A recipient that makes the whole send be refused, as the answer names it. */
export interface RecipientFault extends RowFault {
  /** what the channel's `price` or `segments`, or the check of the number, says of it alone; absent where a value is missing */
  error?: AppError;
}

/** What is wrong with a number beside its form, and what is known of it. */
export interface NumberRefusal extends Pick<RowFault, 'country'> {
  error: AppError;
}

const RECIPIENTS_A_READ = 5_000;

/** Recipients that are in memory, without variables. */
export const sourceOf = (recipients: readonly string[]): RecipientSource => ({
  total: recipients.length,
  async *read() {
    for (let from = 0; from < recipients.length; from += RECIPIENTS_A_READ) {
      const some = recipients.slice(from, from + RECIPIENTS_A_READ);
      yield some.map((number, at): SourcedRecipient => ({ number, row: from + at + 1 }));
    }
  },
});

/** What the price and the routes of recipients follow from. */
export interface SendTerms {
  channel: Channel;
  content: Content;
  /** where the channel's own `price` cannot tell it from the content */
  price?: Price | undefined;
  /** null = the account pays what everyone pays */
  pricer: Pricer | null;
  /** null = it is asked for prices alone */
  plan: RoutePlan | null;
  numberCheck?: ((number: string) => NumberRefusal | null) | undefined;
}

/** What leaves for one recipient, and what it costs. */
export interface RecipientPreview {
  row: number;
  number: string;
  variables: Readonly<Record<string, string>>;
  /** as it leaves; '' where the carrier makes it of a template */
  text: string;
  segments: number;
  credits: number;
}

/** What of a campaign all of its recipients have that have nothing else. */
export type CommonTerms = Pick<CampaignDraft, 'unitCredits' | 'balance' | 'routeId' | 'fallbacks'>;

/** Without a route, as where only prices are asked for. */
const NO_CHAIN: RouteChain = [];

/** Says of one recipient after the other what it costs, over which routes it leaves, and what is wrong with it. */
export class RecipientPricer {
  /** of all recipients, where they get the same text */
  private readonly common: { price: Price; segments: number } | null;
  private balance: Price['balance'] | null = null;

  /** @throws AppError what makes a text that is the same for all be refused */
  constructor(readonly terms: SendTerms) {
    this.common = isPersonalised(terms.content)
      ? null
      : { price: this.priceOf(), segments: terms.channel.segments?.(terms.content) ?? 1 };
  }

  /** Whether all recipients cost the same and leave over the same routes. */
  get isOne(): boolean {
    return this.common !== null && !this.terms.pricer && this.terms.plan?.only !== null && !this.terms.numberCheck;
  }

  /** Of a campaign in which `isOne` holds. @throws AppError unavailable `No route available for this channel` */
  ofAll(): CommonTerms {
    if (!this.common) throw new Error('each recipient has a price of its own');
    const [routeId, ...fallbacks] = this.chainOf('');
    if (routeId === undefined) throw acceptanceErrors.noRoute();
    return { ...this.common.price, routeId, ...(fallbacks.length > 0 && { fallbacks }) };
  }

  /** Whether texts have values of the recipients' own. */
  get isPersonal(): boolean {
    return this.common === null;
  }

  /** Which balance pays; of personalised texts once a recipient has been priced. */
  get paidFrom(): Price['balance'] {
    if (this.balance === null) throw new Error('no recipient has been priced yet');
    return this.balance;
  }

  /** @throws AppError what makes a send to this recipient be refused */
  creditsOf(recipient: SourcedRecipient): number {
    const { common } = this;
    const { pricer } = this.terms;
    const price = common?.price ?? this.priceOf(recipient);
    const each = pricer ? pricer.perSegment(recipient.number) : null;
    return each === null ? price.unitCredits : each * this.billedUnits(recipient);
  }

  /** Parts that leave for one recipient. */
  segmentsOf(recipient: SourcedRecipient): number {
    const { channel, content } = this.terms;
    return this.common?.segments ?? channel.segments?.(content, recipient) ?? 1;
  }

  /** What leaves for one recipient, as far as the channel writes it. */
  previewOf(recipient: SourcedRecipient): Pick<RecipientPreview, 'row' | 'number' | 'variables' | 'text'> {
    const { channel, content } = this.terms;
    const { row, number, variables = {} } = recipient;
    return { row, number, variables, text: channel.compose(content, recipient).text };
  }

  /** @throws AppError unavailable `No route available for this channel` */
  chainOf(number: string): RouteChain {
    const { plan } = this.terms;
    if (!plan) return NO_CHAIN;
    const chain = plan.only ?? plan.chainOf(number);
    if (!chain || chain.length === 0) throw acceptanceErrors.noRoute();
    return chain;
  }

  /** What is wrong with a recipient beside its price; null = nothing. */
  faultOf(recipient: SourcedRecipient): RecipientFault | null {
    const { channel, content, numberCheck } = this.terms;
    const missing = this.isPersonal ? channel.missing?.(content, recipient) : undefined;
    if (missing && missing.length > 0) {
      const message = `no value for ${missing.join(', ')}`;
      return { ...placeOf(recipient), reason: 'variables_missing', message, missing };
    }
    if (this.isPersonal && isTooLong(recipient.variables)) {
      return faultBy(recipient, acceptanceErrors.variablesTooLong());
    }
    const refusal = numberCheck?.(recipient.number);
    if (!refusal) return null;
    const { error, ...known } = refusal;
    return { ...faultBy(recipient, error), ...known };
  }

  /** What a rate plan's price is for. */
  private billedUnits(recipient: SourcedRecipient): number {
    const { channel, content } = this.terms;
    return channel.billedUnits?.(content) ?? this.segmentsOf(recipient);
  }

  private priceOf(recipient?: SourcedRecipient): Price {
    const { channel, content, price } = this.terms;
    const own = channel.price?.(content, recipient);
    const found = price ?? own;
    if (!found) throw new Error(`no price for a send of the channel ${channel.name}`);
    this.balance = found.balance;
    return found;
  }
}

/** The recipients at fault, as many as an answer names. */
export class Faults {
  private readonly found: RecipientFault[] = [];

  get isAny(): boolean {
    return this.found.length > 0;
  }

  get isFull(): boolean {
    return this.found.length >= MOST_ROW_FAULTS;
  }

  add(fault: RecipientFault): void {
    this.found.push(fault);
  }

  /** @param refused makes the answer; absent = what is said of the first */
  thrown(refused: ((faults: readonly RecipientFault[]) => AppError) | undefined): Error {
    if (refused) return refused(this.found);
    const [first] = this.found;
    return first?.error ?? new Error(`a recipient lacks ${first?.missing?.join(', ') ?? 'nothing'}`);
  }
}

const LONGEST_SHOWN = 64;
/** A hundred of them are written as one value, which the servers take whatever characters it is made of. */
const LONGEST_VARIABLES = 30_000;

function isTooLong(variables: SourcedRecipient['variables']): boolean {
  let length = 0;
  for (const name in variables) length += name.length + (variables[name]?.length ?? 0);
  return length > LONGEST_VARIABLES;
}

const placeOf = ({ row, number }: SourcedRecipient): Pick<RecipientFault, 'row' | 'value'> => ({
  row,
  value: number.slice(0, LONGEST_SHOWN),
});

export const faultBy = (recipient: SourcedRecipient, error: AppError): RecipientFault => ({
  ...placeOf(recipient),
  reason: error.code,
  message: error.message,
  error,
});
