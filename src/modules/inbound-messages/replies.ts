import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../../kernel/errors.js';
import type { SingleRun } from '../../platform/concurrency/index.js';
import { again, type WriteResult } from '../../platform/database/index.js';
import { safeError } from '../../platform/observability/index.js';
import { isSender } from '../../platform/smpp/index.js';
import { DueWatch } from '../../platform/periodic/index.js';
import { type Account, AccountDirectory, assertMaySend, senderOf } from '../accounts/index.js';
import { smsChannel } from '../channels/sms/index.js';
import { unofficialChannel } from '../channels/unofficial-chat/index.js';
import { acceptanceErrors, type AcceptedCampaign, type Content, Submissions } from '../engine/index.js';
import type { Alongside, KeptOutcome } from '../idempotency/index.js';
import { RouteDirectory } from '../providers/index.js';
import { onlyRoute } from '../routing/index.js';
import { SuppressionStore } from '../suppressions/index.js';
import { ReplyState } from './reception/inbound-message.js';
import type { ListedText } from './inbound-reads.store.js';
import { Ownership } from './reception/ownership.js';
import { InboundReception } from './reception/reception.js';

const CHANNELS_OF_TEXTS = [smsChannel, unofficialChannel];

type Answered = Pick<ListedText, 'routeId' | 'sender' | 'recipient'>;

/** Answers texts over their route: with SMS under the number of the text, or with unofficial chat messages. */
@Injectable()
export class Replies {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly submissions: Submissions,
    private readonly numbers: Ownership,
  ) {}

  /** @throws AppError unavailable (the route is gone), forbidden (no right to send over it), invalid (text, credits) */
  async send(
    { routeId, sender, recipient }: Answered,
    account: Account,
    content: Content,
    alongside?: Alongside<AcceptedCampaign>,
    outcome?: KeptOutcome<AcceptedCampaign>,
  ): Promise<AcceptedCampaign> {
    const route = await this.routes.byId(routeId);
    const isAllowed = route !== null && (account.allowedRoutes?.includes(route.name) ?? true);
    const channel = route === null ? undefined : CHANNELS_OF_TEXTS.find(({ routes }) => routes === route.channel);
    if (!channel || !isAllowed) throw acceptanceErrors.noRoute();
    assertMaySend(account, channel.routes);
    const isSms = channel === smsChannel;
    const keepsNumber = isSms && isSender(recipient) && (await this.numbers.mayUse(account.id, recipient, routeId));
    const submission = {
      channel,
      sender: senderOf(account),
      ...{ broadcastName: 'reply', service: route.name, recipients: [sender], content },
      ...(keepsNumber && { senderId: recipient }),
    };
    const departure = { scheduledAt: null, routes: onlyRoute(routeId) };
    return this.submissions.accept(submission, departure, alongside, outcome);
  }
}

interface DueReply extends Answered {
  id: number;
  accountId: number;
  reply: string;
}

const REPLIES_A_STEP = 100;
const RETRY_SECONDS = 60;
const IS_DUE = (column: string, table = 'inbound_messages'): string =>
  `EXISTS (SELECT 1 FROM ${table} WHERE ${column} <= UTC_TIMESTAMP(3))`;

/** In the worker: sends automatic answers, finds owners, and puts late parts together; one process does so for all. */
@Injectable()
export class LateTexts implements BeforeApplicationShutdown {
  private readonly logger = new Logger('InboundMessages');
  private readonly runs: readonly SingleRun[];

  constructor(
    watch: DueWatch,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly reception: InboundReception,
    private readonly replies: Replies,
    private readonly accounts: AccountDirectory,
    private readonly suppressions: SuppressionStore,
  ) {
    const task = (name: string, isDue: string, step: () => Promise<boolean>): SingleRun =>
      watch.register({
        name,
        isDue,
        work: async () => {
          while (await step());
        },
        onFault: (error) => this.logger.warn({ err: safeError(error), task: name }, 'inbound texts wait, trying again'),
      });
    this.runs = [
      task('inbound-owners', IS_DUE('owner_due'), () => this.reception.findOwners()),
      task('inbound-parts', IS_DUE('due_at', 'inbound_parts'), () => this.reception.assembleDue()),
      task('inbound-replies', IS_DUE('reply_due'), () => this.sendReplies()),
    ];
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.runs.map((run) => run.stop()));
  }

  /** Sends the answers that are due. @returns whether there may be more */
  async sendReplies(): Promise<boolean> {
    const due: DueReply[] = await this.dataSource.query(
      `SELECT id, route_id AS routeId, account_id AS accountId, sender, recipient, reply FROM inbound_messages
       WHERE reply_due <= UTC_TIMESTAMP(3) ORDER BY reply_due LIMIT ${REPLIES_A_STEP}`,
    );
    for (const reply of due) await this.answer(reply);
    return due.length === REPLIES_A_STEP;
  }

  private async answer(reply: DueReply): Promise<void> {
    const account = await this.accounts.byId(reply.accountId);
    if (!account || !this.accounts.usable(account)) return this.fail(reply);
    try {
      const content = { message: reply.reply };
      await this.replies.send(reply, account, content, (tx, { id }) => this.sent(tx, reply, id));
    } catch (error) {
      if (error instanceof AlreadySent) return;
      if (error instanceof AppError) return this.fail(reply);
      this.logger.warn({ err: safeError(error) }, 'an automatic answer waits');
      await this.dataSource.query(
        again(`UPDATE inbound_messages SET reply_due = UTC_TIMESTAMP(3) + INTERVAL ${RETRY_SECONDS} SECOND
               WHERE id = ? AND reply_due IS NOT NULL`),
        [reply.id],
      );
    }
  }

  /** In the transaction of the answer, which reaches the person in spite of the stop word that it confirms. */
  private async sent(tx: EntityManager, { id, accountId, sender }: DueReply, campaignId: number): Promise<void> {
    const { affectedRows } = await tx.query<WriteResult>(
      `UPDATE inbound_messages SET reply_due = NULL, reply_state = ${ReplyState.Sent} WHERE id = ? AND reply_due IS NOT NULL`,
      [id],
    );
    if (affectedRows === 0) throw new AlreadySent();
    await this.suppressions.spare(tx, accountId, sender, campaignId);
  }

  private async fail({ id }: DueReply): Promise<void> {
    await this.dataSource.query(
      again(`UPDATE inbound_messages SET reply_due = NULL, reply_state = ${ReplyState.Failed}
             WHERE id = ? AND reply_due IS NOT NULL`),
      [id],
    );
  }
}

/** Another process sent the answer. */
class AlreadySent extends Error {}
