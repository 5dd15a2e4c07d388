import { Inject, Injectable } from '@nestjs/common';
import type { AppError } from '../../../kernel/errors.js';
import { now, isSchedule, readSchedule } from '../../../kernel/clock.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { type Alongside, Idempotency, type IdempotentRequest, type KeptOutcome } from '../../idempotency/index.js';
import { DriverRegistry, RouteDirectory } from '../../providers/index.js';
import { Rates } from '../../rates/index.js';
import { type RoutePlan, Routing } from '../../routing/index.js';
import type { Channel, Content, MessageQuote, Price } from '../channel.js';
import { chainOf, type RouteChain } from '../lanes.js';
import { acceptanceErrors } from './acceptance.errors.js';
import { CampaignAcceptance } from './campaign-acceptance.js';
import type { DraftIdentity } from './draft-answers.js';
import type { AcceptedCampaign, CampaignDraft, DraftHead } from './draft.js';
import { type ContactsQuote, contactsQuoteOf, quoteOf, type SourceQuote } from './quote.js';
import { judge, type PricedRecipients, type Judging } from './priced-recipients.js';
import { RecipientPricer, type NumberRefusal, type RecipientFault, type RecipientSource, sourceOf } from './pricing.js';

/** The account that pays; the zone dates the request id, and is meant by a `schedule_time` without an offset. */
export interface Sender {
  accountId: number;
  timeZone: string;
  /** who sends (`kernel/maker.ts`) */
  createdBy: string;
}

/** To whom a submission goes. */
export type SubmissionRecipients =
  | {
      /** cleaned, in order, duplicates as the channel wants them; all of them get the same text */
      recipients: string[];
      source?: never;
    }
  | { source: RecipientSource; recipients?: never };

/** A send whose request passed the rows of its endpoint that look at the request alone. */
export type Submission = SubmissionRecipients & SubmissionHead;

/** What of a submission is approved beforehand. */
export interface ApprovedTerms {
  senderId?: string;
  content: Content;
}

interface SubmissionHead {
  channel: Channel;
  sender: Sender;
  broadcastName: string;
  /** name of the route that the sender wishes for; the channel's default takes what there is no such route for */
  service: string;
  /** what kind of message it is, for rules of routes: a lower case word of 32 characters at most */
  category?: string | null;
  /** sender id of recipients that have none of their own, approved for the account; absent = the route's */
  senderId?: string;
  content: Content;
  /**
   * Judges what of it must be approved, once it is known to be no repeat: what was approved stands in the place of `senderId`
   * and `content`.
   */
  approve?: () => Promise<ApprovedTerms>;
  /** where the channel's own `price` cannot tell it from the content */
  price?: Price;
  /** a caller-supplied request id, with what makes two requests under it the same (SHA-256) */
  given?: { id: string; fingerprint: Buffer };
  initialState?: CampaignDraft['initialState'];
  /** what is wrong with a number beside its form, where the account has that looked at; null = nothing */
  numberCheck?: (number: string) => NumberRefusal | null;
  /** What is answered when recipients are at fault: the first hundred of them. Absent = what is said of the first. */
  refused?: (faults: readonly RecipientFault[]) => AppError;
}

/** When and over which routes a submission leaves. */
export interface Departure {
  /** null = at once */
  scheduledAt: Date | null;
  routes: RoutePlan;
}

/** A send whose routes are looked for. */
export type RoutedSubmission = Pick<SubmissionHead, 'channel' | 'service' | 'category'> & {
  sender: Pick<Sender, 'accountId'>;
};

/** The plan of a send that one route carries, whatever the number. */
export const onlyRoute = (routeId: number): RoutePlan => ({ only: [routeId], chainOf: () => [routeId] });

/**
 * The way of every send into the engine. `submit` goes all of it; a channel that has more to judge on the way (a template, an
 * audio that must be made first) takes the steps one by one, in the order of its own errors.
 */
@Injectable()
export class Submissions {
  constructor(
    private readonly directory: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly routing: Routing,
    private readonly rates: Rates,
    private readonly acceptance: CampaignAcceptance,
    private readonly idempotency: Idempotency,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * Scheduled, routed, charged and stored with all its recipients: everything of it, or nothing. A repeated request under a
   * caller-supplied id gets its first answer, although its schedule_time has passed or no route is left.
   * @param schedule `schedule_time` as it was given
   * @param idempotent the request, where it has an `Idempotency-Key`; its outcome is what `answerOf` makes
   * @throws AppError `conflict` when a caller-supplied id belongs to another request, `invalid` for a past
   * schedule_time, `unavailable` without a usable route (before the debit), `invalid` when recipients are at fault or the
   * credits do not suffice
   */
  submit<Answer>(
    submission: Submission & { schedule: unknown },
    idempotent: IdempotentRequest | null,
    answerOf: (accepted: AcceptedCampaign) => Answer,
  ): Promise<Answer> {
    return this.idempotency.once<Answer>(idempotent, async (keeper) => {
      const earlier = await this.acceptance.repeated(this.identityOf(submission));
      if (earlier) return answerOf(earlier);
      const approved: Submission = { ...submission, ...(await submission.approve?.()) };
      const scheduledAt = this.momentOf(submission.schedule, submission.sender);
      const routes = await this.routesOf(approved);
      return answerOf(await this.accept(approved, { scheduledAt, routes }, undefined, keeper?.of(answerOf)));
    });
  }

  /**
   * @returns null = at once
   * @throws AppError invalid `schedule_time is invalid`
   */
  momentOf(schedule: unknown, { timeZone }: Pick<Sender, 'timeZone'>): Date | null {
    const moment = readSchedule(schedule, timeZone, now());
    if (moment === undefined) {
      throw isSchedule(schedule) ? acceptanceErrors.schedulePast() : acceptanceErrors.scheduleTime();
    }
    return moment;
  }

  /** @throws AppError unavailable `No route available for this channel` */
  async routesOf({ channel: { name, routes }, sender, service, category }: RoutedSubmission): Promise<RoutePlan> {
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

  /**
   * What recipients cost and how they leave, by what the account pays now.
   * @param routes null = it is asked for prices alone
   * @throws AppError what makes a text that is the same for all be refused
   */
  async judgeOf(
    send: Pick<SubmissionHead, 'channel' | 'content' | 'price' | 'numberCheck'> & RoutedSubmission,
    routes: RoutePlan | null,
  ): Promise<RecipientPricer> {
    const { channel, content, price, numberCheck, sender } = send;
    const pricer = await this.rates.pricerFor(sender.accountId, channel.name);
    return new RecipientPricer({ channel, content, price, pricer, plan: routes, numberCheck });
  }

  /**
   * Judges all recipients, and whether every route that may carry them takes what they get. Of a large send they are written
   * meanwhile, where nothing finds them.
   * @returns what `CampaignAcceptance.acceptRecipients` is given next
   * @throws AppError what is wrong with recipients; unavailable without a route for one of them
   */
  async judged(
    accountId: number,
    source: RecipientSource,
    judging: RecipientPricer,
    how?: Judging,
  ): Promise<PricedRecipients> {
    const staging = this.acceptance.stagingOf(accountId, source.total);
    try {
      const recipients = await judge(source, judging, { ...how, staging });
      const { routeId, fallbacks } = recipients.common;
      await this.assertTaken(judging, recipients.sum.own?.chains ?? [chainOf(routeId, fallbacks)]);
      return recipients;
    } catch (error) {
      await staging?.abandon();
      throw error;
    }
  }

  /** @throws AppError what the channel says of a message that one of the routes does not take */
  private async assertTaken({ terms }: RecipientPricer, chains: readonly RouteChain[]): Promise<void> {
    const { channel, content } = terms;
    if (!channel.judgeDemands) return;
    for (const id of new Set(chains.flat())) {
      const route = await this.directory.byId(id);
      if (route) channel.judgeDemands(content, this.drivers.demandsOf(route));
    }
  }

  /**
   * Charged and stored.
   * @param alongside further writes of the same transaction
   * @param outcome of the request's `Idempotency-Key`, stored in the same transaction
   * @throws AppError `conflict` when a caller-supplied id belongs to another request, `invalid` when recipients are at
   * fault or the credits do not suffice, `unavailable` when there is no route for one of the numbers
   */
  async accept(
    submission: Submission,
    { scheduledAt, routes }: Departure,
    alongside?: Alongside<AcceptedCampaign>,
    outcome?: KeptOutcome<AcceptedCampaign>,
  ): Promise<AcceptedCampaign> {
    const { channel, broadcastName, service, category, senderId, content, refused } = submission;
    const head: Omit<DraftHead, keyof PricedRecipients['common']> = {
      ...this.identityOf(submission),
      channel: channel.name,
      broadcastName,
      service,
      ...(senderId !== undefined && { sender: senderId }),
      category: category ?? null,
      content,
      initialState: submission.initialState ?? 'accepted',
      createdBy: submission.sender.createdBy,
      ...(scheduledAt && { scheduledAt }),
    };
    const judging = await this.judgeOf(submission, routes);
    if (submission.recipients && judging.isOne) {
      const { recipients } = submission;
      const common = judging.ofAll();
      await this.assertTaken(judging, [chainOf(common.routeId, common.fallbacks)]);
      return this.acceptance.accept({ ...head, ...common, recipients }, alongside, outcome);
    }
    const source = submission.source ?? sourceOf(submission.recipients);
    const how = { sender: senderId, refused };
    const { common, ...recipients } = await this.judged(submission.sender.accountId, source, judging, how);
    return this.acceptance.acceptRecipients({ ...head, ...common }, recipients, alongside, outcome);
  }

  /** What a submission would cost, by the parts that leave. @throws AppError what makes a text that is the same for all be refused */
  async quote(submission: Submission): Promise<SourceQuote> {
    const source = submission.source ?? sourceOf(submission.recipients);
    return quoteOf(source, await this.judgeOf(submission, null));
  }

  /** What contacts would be charged for a message that its channel has quoted. @param numbers as the channel reads them */
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
      ...(given && { fingerprint: given.fingerprint }),
    };
  }
}
