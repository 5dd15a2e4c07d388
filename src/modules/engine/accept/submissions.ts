import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors.js';
import { textOrNull } from '../../../kernel/text.js';
import { now, isSchedule, readSchedule } from '../../../kernel/clock.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { Guard } from '../../guard/index.js';
import { type Alongside, Idempotency, type IdempotentRequest, type KeptOutcome } from '../../idempotency/index.js';
import type { Sender } from '../../accounts/index.js';
import { DriverRegistry, RouteDirectory, TEST_ROUTE_IDS } from '../../providers/index.js';
import { Rates } from '../../rates/index.js';
import { onlyRoute, type RoutePlan, Routing } from '../../routing/index.js';
import type { Channel, Content, MessageQuote, Price } from '../channel.js';
import { chainOf, type RouteChain } from '../lanes.js';
import { type LateRule, LATE_RULES, LATE_S, type MessageTags } from '../campaign.js';
import { acceptanceErrors, InsufficientCredits, LEAST_LATE_S, MOST_LATE_S } from './acceptance.errors.js';
import { CampaignAcceptance } from './campaign-acceptance.js';
import { type DraftIdentity, FOREIGN_REQUEST_ID, withinCalls } from './draft-answers.js';
import type { AcceptedCampaign, CampaignDraft, DraftHead } from './draft.js';
import { type ContactsQuote, contactsQuoteOf, quoteOf, type SourceQuote } from './quote.js';
import { priceRecipients, type PricedRecipients, type PricingOptions } from './priced-recipients.js';
import {
  Faults,
  RecipientPricer,
  type NumberRefusal,
  type RecipientFault,
  type RecipientSource,
  type SourcedRecipient,
  sourceOf,
} from './pricing.js';

export type SubmissionRecipients =
  | {
      recipients: string[];
      source?: never;
    }
  | { source: RecipientSource; recipients?: never };

/** A send whose request has passed the validation of its endpoint. */
export type Submission = SubmissionRecipients & SubmissionHead;

export interface ApprovedTerms {
  senderId?: string;
  content: Content;
}

interface SubmissionHead {
  channel: Channel;
  sender: Sender;
  broadcastName: string;
  /** name of the requested route; the channel's default applies if no such route exists */
  service: string;
  /** message category for routing rules: a lower-case word of at most 32 characters */
  category?: string | null;
  senderId?: string;
  content: Content;
  /** Checks what needs approval, once the send is known to be no repeat; its result replaces `senderId` and `content`. */
  approve?: () => Promise<ApprovedTerms>;
  price?: Price;
  /** only of messages */
  tags?: MessageTags;
  /** a part of its texts that is stored sealed only, such as a code */
  secret?: string;
  given?: { id: string; fingerprint: Buffer };
  initialState?: CampaignDraft['initialState'];
  /** the account's optional check of well-formed numbers; null = accepted */
  numberCheck?: (number: string) => NumberRefusal | null;
  /** Makes the error from the first hundred faults; absent = the error of the first. */
  refused?: (faults: readonly RecipientFault[]) => AppError;
}

export type LateFields = Partial<Record<'schedule_time' | 'late' | 'late_after_s', unknown>>;

export interface Departure {
  scheduledAt: Date | null;
  late?: LateRule | null;
  routes: RoutePlan;
}

export type RoutedSubmission = Pick<SubmissionHead, 'channel' | 'service' | 'category'> & {
  sender: Pick<Sender, 'accountId'> & { isTest?: boolean };
};

/** Recipients checked in one go; more are checked in the pass that prices them, which yields. */
const CHECKED_AT_ONCE = 1_000;

function assertAllowed(
  pricer: RecipientPricer,
  recipients: readonly string[],
  refused: SubmissionHead['refused'],
): void {
  if (!pricer.terms.guard) return;
  const faults = new Faults();
  for (const [index, number] of recipients.entries()) {
    const fault = pricer.faultOf({ number, row: index + 1 });
    if (fault) faults.add(fault);
    if (faults.isFull) break;
  }
  if (faults.isAny) throw faults.thrown(refused);
}

/** Runs sends from request to engine. Channels with more checks call the steps of `submit` one by one, in their error order. */
@Injectable()
export class Submissions {
  constructor(
    private readonly directory: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly routing: Routing,
    private readonly rates: Rates,
    private readonly acceptance: CampaignAcceptance,
    private readonly idempotency: Idempotency,
    private readonly guard: Guard,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Whether a send was refused because the balance does not cover it. */
  static lacksCredits(error: unknown): error is InsufficientCredits {
    return error instanceof InsufficientCredits;
  }

  /** Whether a send was refused because its request id belongs to another account's campaign. */
  static isForeignId(error: unknown): boolean {
    return error instanceof AppError && error.code === FOREIGN_REQUEST_ID;
  }

  /** Reads `late` and `late_after_s` of a request with `schedule_time`; null = neither. @throws AppError invalid */
  static lateOf(body: LateFields): LateRule | null {
    const [late, after] = [body.late, body.late_after_s].map((value) => (value === '' ? undefined : value));
    if ((late ?? after) === undefined || (late ?? after) === null) return null;
    const rule = LATE_RULES.find((known) => known === (late ?? 'send'));
    if (!rule) throw acceptanceErrors.late();
    const isWhole = /^[0-9]{1,6}$/.test(typeof after === 'string' || typeof after === 'number' ? String(after) : '');
    const afterSeconds = after === undefined || after === null ? LATE_S : isWhole ? Number(after) : 0;
    if (afterSeconds < LEAST_LATE_S || afterSeconds > MOST_LATE_S) throw acceptanceErrors.lateAfter();
    if (textOrNull(body.schedule_time) === null) throw acceptanceErrors.lateAlone();
    return { late: rule, afterSeconds };
  }

  /**
   * Schedules, routes, charges and stores a send, or nothing of it. A repeat under a caller-supplied id gets the first answer,
   * even if its schedule_time has passed or no route is left.
   * @throws AppError conflict: id of another request; invalid: past schedule_time, faults, credits; unavailable: no route
   */
  submit<Answer>(
    submission: Submission & { schedule: unknown; late?: LateRule | null },
    idempotent: IdempotentRequest | null,
    answerOf: (accepted: AcceptedCampaign) => Answer,
  ): Promise<Answer> {
    return this.idempotency.once<Answer>(idempotent, async (keeper) => {
      const earlier = await this.acceptance.repeated(this.identityOf(submission));
      if (earlier) return answerOf(earlier);
      const approved: Submission = { ...submission, ...(await submission.approve?.()) };
      const scheduledAt = this.momentOf(submission.schedule, submission.sender);
      const routes = await this.routesOf(approved);
      return answerOf(
        await this.accept(
          approved,
          { scheduledAt, late: submission.late ?? null, routes },
          undefined,
          keeper?.of(answerOf),
        ),
      );
    });
  }

  /** Null = at once. @throws AppError invalid `schedule_time is invalid` */
  momentOf(schedule: unknown, { timeZone }: Pick<Sender, 'timeZone'>): Date | null {
    const moment = readSchedule(schedule, timeZone, now());
    if (moment === undefined) {
      throw isSchedule(schedule) ? acceptanceErrors.schedulePast() : acceptanceErrors.scheduleTime();
    }
    return moment;
  }

  /** Tests need no route. @throws AppError unavailable `No route available for this channel` */
  async routesOf({ channel: { name, routes }, sender, service, category }: RoutedSubmission): Promise<RoutePlan> {
    if (sender.isTest) return onlyRoute(TEST_ROUTE_IDS[routes]);
    if (routes === 'chat') throw new Error(`the channel ${name} sends over chat accounts, which it finds itself`);
    const plan = await this.routing.planFor({
      kind: routes,
      accountId: sender.accountId,
      service,
      category: category ?? null,
    });
    if (!plan) throw acceptanceErrors.noRoute();
    return plan;
  }

  /** A recipient pricer with the account's current rates. @param routes null = prices only @throws AppError refusal of a common text */
  async pricerOf(
    submission: Pick<SubmissionHead, 'channel' | 'content' | 'price' | 'numberCheck'> & RoutedSubmission,
    routes: RoutePlan | null,
  ): Promise<RecipientPricer> {
    const { channel, content, price, numberCheck, sender } = submission;
    const pricer = await this.rates.pricerFor(sender.accountId, channel.name);
    const guard = await this.guard.begin(sender.accountId, channel.routes, sender.isTest);
    return new RecipientPricer({ channel, content, price, pricer, plan: routes, numberCheck, guard });
  }

  /** Prices all recipients and checks every route; a large send is written meanwhile. @throws AppError faults; no route */
  async priced(
    accountId: number,
    source: RecipientSource,
    pricer: RecipientPricer,
    how?: PricingOptions,
  ): Promise<PricedRecipients> {
    const largeDraft = this.acceptance.largeDraftOf(accountId, source.total);
    try {
      const recipients = await priceRecipients(source, pricer, { ...how, largeDraft });
      const { routeId, fallbacks } = recipients.common;
      await this.assertTaken(pricer, recipients.sum.own?.chains ?? [chainOf(routeId, fallbacks)]);
      return recipients;
    } catch (error) {
      await largeDraft?.abandon();
      throw error;
    }
  }

  private async assertTaken({ terms }: RecipientPricer, chains: readonly RouteChain[]): Promise<void> {
    const { channel, content } = terms;
    if (!channel.assertDemands) return;
    for (const id of new Set(chains.flat())) {
      const route = await this.directory.byId(id);
      if (route) channel.assertDemands(content, this.drivers.demandsOf(route));
    }
  }

  /**
   * Charges and stores a submission, with `alongside` and `outcome` in the same transaction.
   * @throws AppError conflict: id of another request; invalid: faulty recipients or credits; unavailable: no route
   */
  async accept(
    submission: Submission,
    { scheduledAt, late, routes: live }: Departure,
    alongside?: Alongside<AcceptedCampaign>,
    outcome?: KeptOutcome<AcceptedCampaign>,
  ): Promise<AcceptedCampaign> {
    const { channel, broadcastName, service, category, senderId, content, secret, refused, sender } = submission;
    const head: Omit<DraftHead, keyof PricedRecipients['common']> = {
      ...this.identityOf(submission),
      channel: channel.name,
      broadcastName,
      service,
      ...(senderId !== undefined && { sender: senderId }),
      category: category ?? null,
      content: secret === undefined ? content : this.acceptance.concealed(content, secret),
      // staff approve no tests
      initialState: sender.isTest ? 'accepted' : (submission.initialState ?? 'accepted'),
      isTest: sender.isTest,
      createdBy: sender.createdBy,
      ...(submission.tags && { tags: submission.tags }),
      ...(scheduledAt && { scheduledAt, ...(late && { late }) }),
    };
    const routes = sender.isTest ? onlyRoute(TEST_ROUTE_IDS[channel.routes]) : live;
    const pricer = await this.pricerOf(submission, routes);
    const isCheckedAtOnce = pricer.terms.guard === null || (submission.recipients?.length ?? 0) <= CHECKED_AT_ONCE;
    if (submission.recipients && pricer.isOne && isCheckedAtOnce) {
      const { recipients } = submission;
      const common = pricer.ofAll();
      await this.assertTaken(pricer, [chainOf(common.routeId, common.fallbacks)]);
      assertAllowed(pricer, recipients, refused);
      const { guard } = pricer.terms;
      const writes = withinCalls(guard, head, alongside);
      const accept = () => this.acceptance.accept({ ...head, ...common, recipients }, writes, outcome);
      return guard ? guard.accepting(recipients.length * common.unitCredits, accept) : accept();
    }
    const source = submission.source ?? sourceOf(submission.recipients);
    const how = { sender: senderId, refused };
    const priced = await this.priced(submission.sender.accountId, source, pricer, how);
    return this.acceptPriced(pricer, head, priced, alongside, outcome);
  }

  /** Charges and stores what `priced` returned, within the terms of the account. @throws AppError as `accept` */
  async acceptPriced(
    { terms: { guard } }: RecipientPricer,
    head: Omit<DraftHead, keyof PricedRecipients['common']>,
    { common, ...recipients }: PricedRecipients,
    alongside?: Alongside<AcceptedCampaign>,
    outcome?: KeptOutcome<AcceptedCampaign>,
  ): Promise<AcceptedCampaign> {
    const writes = withinCalls(guard, head, alongside);
    try {
      const accept = () => this.acceptance.acceptRecipients({ ...head, ...common }, recipients, writes, outcome);
      return await (guard ? guard.accepting(recipients.sum.charged, accept) : accept());
    } finally {
      await recipients.largeDraft?.abandon();
    }
  }

  /** Finds what a send would refuse, recipient by recipient. @throws AppError if a common text is refused */
  async refusalsOf(
    submission: Omit<SubmissionHead, 'broadcastName'>,
  ): Promise<(one: SourcedRecipient) => RecipientFault | null> {
    const pricer = await this.pricerOf(submission, null);
    return (recipient) => pricer.refusalOf(recipient);
  }

  /** Price of a submission in credits, by parts. @throws AppError if a common text is refused */
  async quote(submission: Submission): Promise<SourceQuote> {
    const source = submission.source ?? sourceOf(submission.recipients);
    return quoteOf(source, await this.pricerOf(submission, null));
  }

  /** Price of all recipients of a source (credits); writes nothing. */
  async costOf(source: RecipientSource, pricer: RecipientPricer): Promise<number> {
    return (await quoteOf(source, pricer)).credits;
  }

  /** Price of a quoted message for contacts (credits). @param numbers as cleaned by the channel */
  async quoteContacts(
    { channel, sender }: Pick<RoutedSubmission, 'channel' | 'sender'>,
    quote: Pick<MessageQuote, 'unitCredits' | 'segments'>,
    numbers: readonly string[],
  ): Promise<ContactsQuote> {
    return contactsQuoteOf(quote, await this.rates.pricerFor(sender.accountId, channel.name), numbers);
  }

  private identityOf({ channel, sender, given }: Submission): DraftIdentity {
    const make = (): string => channel.newRequestId(sender.timeZone, this.environment);
    return {
      accountId: sender.accountId,
      requestId: given ? { given: given.id } : { make },
      ...(given && { fingerprint: sender.isTest ? ofTest(given.fingerprint) : given.fingerprint }),
    };
  }
}

/** A test under a caller-supplied id is another request than a live one, so neither gets the answer of the other. */
const ofTest = (fingerprint: Buffer): Buffer => createHash('sha256').update('test').update(fingerprint).digest();
