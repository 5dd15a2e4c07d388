import { AppError, MOST_ROW_FAULTS, type RowFault } from '../../../kernel/errors.js';
import type { GuardedSend } from '../../guard/index.js';
import type { Pricer } from '../../rates/index.js';
import type { RouteChain, RoutePlan } from '../../routing/index.js';
import { type Channel, type Content, isPersonalised, type Price } from '../channel.js';
import { acceptanceErrors } from './acceptance.errors.js';
import type { CampaignDraft } from './draft.js';

/** A recipient of a request; the number is cleaned by the channel's `readRecipient`. */
export interface SourcedRecipient {
  number: string;
  variables?: Readonly<Record<string, string>>;
  /** own sender id; absent = the submission's */
  sender?: string;
  /** position in the request, from 1; errors name it */
  row: number;
}

/** Recipients in order, some thousand per read. */
export interface RecipientSource {
  total: number;
  read(): AsyncIterable<readonly SourcedRecipient[]>;
}

export interface RecipientFault extends RowFault {
  /** error of the channel's `price` or `segments`, or of the number check; absent = a value is missing */
  error?: AppError;
}

export interface NumberRefusal extends Pick<RowFault, 'country'> {
  error: AppError;
}

const RECIPIENTS_A_READ = 5_000;

/** Recipients in memory, without variables. */
export const sourceOf = (recipients: readonly string[]): RecipientSource => ({
  total: recipients.length,
  async *read() {
    for (let from = 0; from < recipients.length; from += RECIPIENTS_A_READ) {
      const some = recipients.slice(from, from + RECIPIENTS_A_READ);
      yield some.map((number, at): SourcedRecipient => ({ number, row: from + at + 1 }));
    }
  },
});

export interface SubmissionTerms {
  channel: Channel;
  content: Content;
  /** if the channel's `price` cannot derive it from the content */
  price?: Price | undefined;
  /** null = list price */
  pricer: Pricer | null;
  plan: RoutePlan | null;
  /** null = the account may send anything */
  guard: GuardedSend | null;
  numberCheck?: ((number: string) => NumberRefusal | null) | undefined;
}

export interface RecipientPreview {
  row: number;
  number: string;
  variables: Readonly<Record<string, string>>;
  /** '' if the carrier renders a template */
  text: string;
  segments: number;
  credits: number;
}

/** Terms of recipients without their own. */
export type CommonTerms = Pick<CampaignDraft, 'unitCredits' | 'balance' | 'routeId' | 'fallbacks'>;

const NO_CHAIN: RouteChain = [];

/** Prices and routes recipients one by one, and finds their faults. */
export class RecipientPricer {
  private readonly common: { price: Price; segments: number } | null;
  private balance: Price['balance'] | null = null;

  constructor(readonly terms: SubmissionTerms) {
    this.common = isPersonalised(terms.content)
      ? null
      : { price: this.priceOf(), segments: terms.channel.segments?.(terms.content) ?? 1 };
  }

  /** Whether all recipients have the same price and routes. */
  get isOne(): boolean {
    return this.common !== null && !this.terms.pricer && this.terms.plan?.only !== null && !this.terms.numberCheck;
  }

  /** Terms of all recipients, if `isOne`. @throws AppError unavailable `No route available for this channel` */
  ofAll(): CommonTerms {
    if (!this.common) throw new Error('each recipient has a price of its own');
    const [routeId, ...fallbacks] = this.chainOf('');
    if (routeId === undefined) throw acceptanceErrors.noRoute();
    this.terms.guard?.assertPrice(this.common.price.unitCredits);
    return { ...this.common.price, routeId, ...(fallbacks.length > 0 && { fallbacks }) };
  }

  get isPersonal(): boolean {
    return this.common === null;
  }

  /** The paying balance; of personalised texts known after the first price. */
  get paidFrom(): Price['balance'] {
    if (this.balance === null) throw new Error('no recipient has been priced yet');
    return this.balance;
  }

  /** Credits of one recipient. @throws AppError if a send to it is refused */
  creditsOf(recipient: SourcedRecipient): number {
    const { common } = this;
    const { pricer } = this.terms;
    const price = common?.price ?? this.priceOf(recipient);
    const each = pricer ? pricer.perSegment(recipient.number) : null;
    const credits = each === null ? price.unitCredits : each * this.billedUnits(recipient);
    this.terms.guard?.assertPrice(credits);
    return credits;
  }

  /** Parts of the message to one recipient. */
  segmentsOf(recipient: SourcedRecipient): number {
    const { channel, content } = this.terms;
    return this.common?.segments ?? channel.segments?.(content, recipient) ?? 1;
  }

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

  /** A fault other than the price; null = none. */
  faultOf(recipient: SourcedRecipient): RecipientFault | null {
    const { channel, content, numberCheck, guard } = this.terms;
    const missing = this.isPersonal ? channel.missing?.(content, recipient) : undefined;
    if (missing && missing.length > 0) {
      const message = `no value for ${missing.join(', ')}`;
      return { ...rowOf(recipient), reason: 'variables_missing', message, missing };
    }
    const refused = this.isPersonal ? channel.refused?.(content, recipient) : null;
    if (refused) return faultBy(recipient, refused);
    if (this.isPersonal && isTooLong(recipient.variables)) {
      return faultBy(recipient, acceptanceErrors.variablesTooLong());
    }
    const refusal = numberCheck?.(recipient.number);
    if (refusal) {
      const { error, ...known } = refusal;
      return { ...faultBy(recipient, error), ...known };
    }
    const denied = guard?.refusalOf(recipient.number);
    return denied ? faultBy(recipient, denied) : null;
  }

  /** Why a send to a recipient is refused; null = it is not. */
  refusalOf(recipient: SourcedRecipient): RecipientFault | null {
    try {
      const fault = this.faultOf(recipient);
      if (!fault) this.creditsOf(recipient);
      return fault;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return faultBy(recipient, error);
    }
  }

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

/** Faulty recipients, up to the number that an answer names. */
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

  thrown(refused: ((faults: readonly RecipientFault[]) => AppError) | undefined): Error {
    if (refused) return refused(this.found);
    const [first] = this.found;
    return first?.error ?? new Error(`a recipient lacks ${first?.missing?.join(', ') ?? 'nothing'}`);
  }
}

const LONGEST_SHOWN = 64;
/** A block of a hundred is written as one value; this keeps it below the server's limit in every encoding. */
const LONGEST_VARIABLES = 30_000;

function isTooLong(variables: SourcedRecipient['variables']): boolean {
  let length = 0;
  for (const name in variables) length += name.length + (variables[name]?.length ?? 0);
  return length > LONGEST_VARIABLES;
}

const rowOf = ({ row, number }: SourcedRecipient): Pick<RecipientFault, 'row' | 'value'> => ({
  row,
  value: number.slice(0, LONGEST_SHOWN),
});

export const faultBy = (recipient: SourcedRecipient, error: AppError): RecipientFault => ({
  ...rowOf(recipient),
  reason: error.code,
  message: error.message,
  error,
});
