import { Inject, Injectable } from '@nestjs/common';
import { now, readSchedule } from '../../../kernel/clock.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { type Alongside, Idempotency, type IdempotentRequest } from '../../idempotency/index.js';
import { DriverRegistry, RouteDirectory } from '../../providers/index.js';
import type { Channel, Content, Price } from '../channel.js';
import type { AppError } from '../../../kernel/app-error.js';
import type { RecipientTerms } from '../state/recipient-terms.js';
import type { RecipientFault, RecipientSource } from './recipient-source.js';
import { acceptanceErrors } from './acceptance.errors.js';
import { CampaignAcceptance, type DraftIdentity } from './campaign-acceptance.js';
import type { AcceptedCampaign, CampaignDraft } from './campaign-draft.js';

/** The account that pays; the zone dates the request id, and is meant by a `schedule_time` without an offset. */
export interface Sender {
  accountId: number;
  timeZone: string;
}

/** To whom a submission goes: one text and price for all, or a text and a price for each. */
export type SubmissionRecipients =
  | {
      /** cleaned, in order, duplicates as the channel wants them */
      recipients: string[];
      /** as long as `recipients`; absent = all of them have the campaign's */
      terms?: CampaignDraft['terms'];
      source?: never;
    }
  | { source: RecipientSource; recipients?: never; terms?: never };

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
  category?: string;
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
  numberCheck?: (number: string) => AppError | null;
  /**
   * What is answered when recipients are at fault: the first ones, `MOST_FAULTS` at most. Absent = what is said of the first.
   */
  refused?: (faults: readonly RecipientFault[]) => AppError;
}

/** When and over which route a submission leaves. */
export interface Departure {
  /** null = at once */
  scheduledAt: Date | null;
  routeId: number;
}

/**
 * The way of every send into the engine. `submit` goes all of it; a channel that has more to judge on the way (a template, an
 * audio that must be made first) takes the steps one by one, in the order of its own errors.
 */
@Injectable()
export class Submissions {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly acceptance: CampaignAcceptance,
    private readonly idempotency: Idempotency,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * Scheduled, routed, charged and stored with all its recipients, in one transaction. A repeated request under a
   * caller-supplied id gets its first answer, although its schedule_time has passed or no route is left.
   * @param schedule `schedule_time` as it was given
   * @param idempotent the request, where it has an `Idempotency-Key`; its outcome is what `answerOf` makes
   * @throws AppError `conflict` when a caller-supplied id belongs to another request, `invalid` for a past
   * schedule_time, `unavailable` without a usable route (before the debit), `invalid` when the credits do not suffice
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
      const routeId = await this.routeOf(submission.channel, submission.service);
      await this.assertTaken(submission.channel, approved.content, [routeId]);
      return answerOf(await this.accept(approved, { scheduledAt, routeId }, keeper?.alongside(answerOf)));
    });
  }

  /**
   * @returns null = at once
   * @throws AppError invalid `schedule_time is invalid`
   */
  momentOf(schedule: unknown, { timeZone }: Sender): Date | null {
    const moment = readSchedule(schedule, timeZone, now());
    if (moment === undefined) throw acceptanceErrors.scheduleTime();
    return moment;
  }

  /** @throws AppError unavailable `No route available for this channel` */
  async routeOf({ name, routes }: Channel, service: string): Promise<number> {
    if (routes === 'chat') throw new Error(`the channel ${name} sends over chat accounts, which it finds itself`);
    const route = await this.routes.resolve(routes, service);
    if (!route) throw acceptanceErrors.noRoute();
    return route.id;
  }

  /**
   * Judges whether every route that may carry a message takes it with what it has.
   * @throws AppError what the channel says
   */
  async assertTaken(channel: Channel, content: Content, routeIds: Iterable<number>): Promise<void> {
    if (!channel.judgeDemands) return;
    for (const id of routeIds) {
      const route = await this.routes.byId(id);
      if (route) channel.judgeDemands(content, this.drivers.demandsOf(route));
    }
  }

  /**
   * Charged and stored.
   * @param alongside further writes of the same transaction
   * @throws AppError `conflict` when a caller-supplied id belongs to another request, `invalid` when the credits do not
   * suffice
   */
  async accept(
    submission: Submission,
    { scheduledAt, routeId }: Departure,
    alongside?: Alongside<AcceptedCampaign>,
  ): Promise<AcceptedCampaign> {
    const { channel, broadcastName, service, senderId, content } = submission;
    const { recipients, terms } = submission.source ? await gathered(submission.source) : submission;
    const draft: CampaignDraft = {
      ...this.identityOf(submission),
      channel: channel.name,
      broadcastName,
      service,
      routeId,
      ...(senderId !== undefined && { sender: senderId }),
      content,
      ...priceOf(submission),
      recipients,
      ...(terms && { terms }),
      initialState: submission.initialState ?? 'accepted',
      ...(scheduledAt && { scheduledAt }),
    };
    return this.acceptance.accept(draft, alongside);
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

function priceOf({ channel, content, price }: Submission): Price {
  const found = price ?? channel.price?.(content);
  if (!found) throw new Error(`no price for a send of the channel ${channel.name}`);
  return found;
}

/** The recipients of a source with their variables. */
async function gathered(source: RecipientSource): Promise<Required<Pick<CampaignDraft, 'recipients' | 'terms'>>> {
  const recipients: string[] = [];
  const terms: (RecipientTerms | null)[] = [];
  for await (const some of source.read()) {
    for (const { number, variables } of some) {
      recipients.push(number);
      terms.push(variables ? { variables } : null);
    }
  }
  return { recipients, terms };
}
