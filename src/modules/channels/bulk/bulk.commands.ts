import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { isoTime } from '../../../kernel/clock.js';
import type { JsonObject } from '../../../kernel/json-values.js';
import { type Account, assertMaySend } from '../../accounts/index.js';
import { type AcceptedCampaign, type Submission, Submissions } from '../../engine/index.js';
import { Idempotency, type IdempotentRequest, type OutcomeKeeper } from '../../idempotency/index.js';
import { SendableTemplates } from '../template-messages/index.js';
import { type BulkRequest, readBulkRequest } from './bulk-request.js';
import { assertValid, BulkSends, isOfTemplates } from './bulk-sends.js';
import type { AcceptedBulk } from './bulk.dto.js';
import type { JsonRecipients } from './json-recipients.js';
import { onlyRoute } from '../../routing/index.js';

/** Accepts a campaign with a text per recipient: all or none. @throws AppError rows of reference/bulk#errors, in order */
export class SendBulkCampaignCommand extends Command<AcceptedBulk> {
  constructor(
    readonly account: Account,
    readonly body: JsonObject,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}

@CommandHandler(SendBulkCampaignCommand)
export class SendBulkCampaignHandler implements ICommandHandler<SendBulkCampaignCommand> {
  constructor(
    private readonly sends: BulkSends,
    private readonly submissions: Submissions,
    private readonly sendable: SendableTemplates,
    private readonly idempotency: Idempotency,
  ) {}

  async execute({ account, body, idempotent }: SendBulkCampaignCommand): Promise<AcceptedBulk> {
    const request = readBulkRequest(body);
    assertMaySend(account, this.sends.channelOf(request).routes);
    const inBody = await this.sends.inBody(account, request);
    assertValid(inBody, request.skipping);
    return this.idempotency.once<AcceptedBulk>(idempotent, (keeper) => this.accept(account, request, inBody, keeper));
  }

  private async accept(
    account: Account,
    request: BulkRequest,
    inBody: JsonRecipients | null,
    keeper: OutcomeKeeper<AcceptedBulk> | null,
  ): Promise<AcceptedBulk> {
    const { submission, source, skipped, price, freeze } = await this.sends.open(account, request, inBody, 'hold');
    const scheduledAt = this.submissions.momentOf(request.schedule, submission.sender);
    const { service, ...departure } = await this.departure(request, submission);
    const answerOf = ({ requestId, totalRows, chargedCredits, routeId }: AcceptedCampaign): AcceptedBulk => ({
      request_id: requestId,
      channel: request.channel,
      state: 'accepted',
      test: submission.sender.isTest,
      recipients: totalRows,
      credits: chargedCredits,
      balance: price.balance,
      ...(inBody && { duplicates: inBody.repeated, duplicates_count: inBody.duplicates }),
      ...(skipped && { skipped: skipped.rows, skipped_count: skipped.count }),
      hints: source?.warnings ?? [],
      warned: source?.warned ?? 0,
      route: service,
      scheduled_at: scheduledAt && isoTime(scheduledAt, account.timeZone),
      routeId,
    });
    const accepted = await this.submissions.accept(
      { ...submission, service },
      { scheduledAt, late: request.late, ...departure },
      // a test changes no list
      (tx) => (submission.sender.isTest ? Promise.resolve() : freeze(tx)),
      keeper?.of(answerOf),
    );
    return answerOf(accepted);
  }

  private async departure({ channel: name }: BulkRequest, submission: Submission): Promise<BulkDeparture> {
    if (!isOfTemplates(name)) {
      return { routes: await this.submissions.routesOf(submission), service: submission.service };
    }
    const { id, connection } = await this.sendable.connection(submission.sender.accountId, name);
    return { routes: onlyRoute(id), service: connection };
  }
}

type BulkDeparture = Omit<Parameters<Submissions['accept']>[1], 'scheduledAt'> & Pick<Submission, 'service'>;
