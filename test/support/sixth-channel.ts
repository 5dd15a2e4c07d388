import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import { now } from '../../src/kernel/clock.js';
import { invalid } from '../../src/kernel/errors.js';
import { cleanContact, cleanContacts } from '../../src/kernel/contacts.js';
import { newRequestId } from '../../src/kernel/ids.js';
import { codePoints, textOrNull } from '../../src/kernel/text.js';
import { AccountsModule, type Actor, Authenticated, CurrentActor, Needs } from '../../src/modules/accounts/index.js';
import {
  type AcceptedCampaign,
  CampaignAcceptance,
  type Channel,
  EngineModule,
  RecipientStatus,
  type RecipientTerms,
  type Submission,
  Submissions,
} from '../../src/modules/engine/index.js';

/** A page of a pager; both of its tries are credits well spent. */
const PRICE = { balance: 'gsm_credits', unitCredits: 2 } as const;
const DIGITS = { min: 9, max: 30 };

/** The channel: everything that the engine must know of it. Its messages leave over the routes that SMS has. */
export const pagerChannel: Channel<'pager'> = {
  name: 'pager',
  title: 'pager',
  routes: 'sms',
  event: 'pager.status.update',
  campaignStatus: { accepted: 'Waiting', sending: 'Paging' },
  statusLabels: {
    [RecipientStatus.Pending]: 'WAITING',
    [RecipientStatus.Unknown]: 'WAITING',
    [RecipientStatus.Submitted]: 'PAGED',
    [RecipientStatus.Retrying]: 'PAGED',
    [RecipientStatus.Delivered]: 'BEEPED',
    [RecipientStatus.Read]: 'BEEPED',
    [RecipientStatus.Failed]: 'LOST',
    [RecipientStatus.Cancelled]: 'CANCELLED',
    [RecipientStatus.Answered]: 'BEEPED',
    [RecipientStatus.NoAnswer]: 'LOST',
    [RecipientStatus.Busy]: 'LOST',
  },
  newRequestId: (zone, { CELL: cell }) => newRequestId('PAGE', 8, { at: now(), zone, cell }),
  readRecipient: (entry) => cleanContact(entry, DIGITS.min, DIGITS.max),
  duplicates: 'charged',
  price: () => PRICE,
  quote: async (_services, _accountId, message) => ({
    ...PRICE,
    encoding: 'unicode',
    unicodeCharacters: [],
    length: codePoints(message),
    segments: 1,
  }),
  compose: (content, { variables = {} }) => ({
    text: String(content['message']).replace(/\{\{(\w+)\}\}/g, (_, name: string) => variables[name] ?? ''),
  }),
  retryPlan: () => ({ retries: 1, intervalMs: 0 }),
};

/** A request that can be sent. */
interface PageRequest {
  message: string;
  recipients: string[];
  /** a page of somebody with terms of their own: another text, price, sender or route */
  terms?: RecipientTerms[];
  schedule: unknown;
}

const badPage = invalid('bad_page', 'message and numbers are required');

/** The reader of requests. */
function readPageRequest({ message, numbers, terms, schedule_time }: Record<string, unknown>): PageRequest {
  const text = textOrNull(message);
  const recipients = Array.isArray(numbers) ? cleanContacts(numbers as unknown[], DIGITS.min, DIGITS.max) : null;
  if (text === null || !recipients || recipients.length === 0) throw badPage();
  return { message: text, recipients, ...(Array.isArray(terms) && { terms }), schedule: schedule_time };
}

/** The controller. */
@Authenticated()
@Needs('send:sms')
@Controller('test/pager')
class PagerController {
  constructor(
    private readonly submissions: Submissions,
    private readonly acceptance: CampaignAcceptance,
  ) {}

  @Post()
  @HttpCode(200)
  send(@Body() body: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<{ request_id: string }> {
    const { message, terms, ...read } = readPageRequest(body);
    const createdBy = `account:${account.id}:${account.username}`;
    const sender = { accountId: account.id, timeZone: account.timeZone, createdBy, isTest: false };
    const page = { channel: pagerChannel, sender, broadcastName: 'page', service: 'default', ...read };
    const answerOf = ({ requestId }: AcceptedCampaign) => ({ request_id: requestId });
    if (!terms) return this.submissions.submit({ ...page, content: { message } }, null, answerOf);
    return this.withTerms({ ...page, content: { message, personalised: true } }, terms).then(answerOf);
  }

  /** Terms that no request of the service names: they follow from rules and plans there. */
  private async withTerms(
    page: Submission & { schedule: unknown },
    terms: RecipientTerms[],
  ): Promise<AcceptedCampaign> {
    const { channel, sender, broadcastName, service, content, recipients = [] } = page;
    const { only } = await this.submissions.routesOf(page);
    const scheduledAt = this.submissions.momentOf(page.schedule, sender);
    return this.acceptance.accept({
      accountId: sender.accountId,
      channel: channel.name,
      requestId: { make: () => newRequestId('PAGE', 8, { at: now(), zone: sender.timeZone }) },
      broadcastName,
      service,
      routeId: only?.[0] ?? 0,
      content,
      ...PRICE,
      recipients,
      terms,
      initialState: 'accepted',
      ...(scheduledAt && { scheduledAt }),
    });
  }
}

@Module({ imports: [AccountsModule, EngineModule], controllers: [PagerController] })
export class PagerModule {}
