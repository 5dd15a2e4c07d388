import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { now } from '../../../kernel/clock.js';
import { newRequestId } from '../../../kernel/request-id.js';
import { CampaignAcceptance, type CampaignDraft, CampaignReader } from '../../campaigns/index.js';
import { RouteDirectory } from '../../providers/index.js';
import { fingerprintOf, type SmsBroadcast } from '../domain/sms-broadcast.js';
import { smsErrors } from '../sms.errors.js';
import { type AcceptedSmsBroadcast, SendSmsBroadcastCommand, type SmsSender } from './send-sms-broadcast.command.js';

const ID_PREFIX = 'GSMCAMP';
const BALANCE = 'gsm_credits';

/** Chooses the route and asks the engine to accept. */
@CommandHandler(SendSmsBroadcastCommand)
export class SendSmsBroadcastHandler implements ICommandHandler<SendSmsBroadcastCommand> {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly acceptance: CampaignAcceptance,
    private readonly campaigns: CampaignReader,
  ) {}

  async execute({ sender, broadcast }: SendSmsBroadcastCommand): Promise<AcceptedSmsBroadcast> {
    const routeId = await this.routeFor(broadcast);
    const accepted = await this.acceptance.accept(draftOf(sender, broadcast, routeId));
    return { requestId: accepted.requestId, credits: accepted.unitCredits * accepted.totalRows };
  }

  /**
   * The route named in `brodcast_service`, else the channel's default. A repeated caller-supplied id is answered even
   * when no route is left: the engine then finds the first campaign and sends nothing.
   */
  private async routeFor(broadcast: SmsBroadcast): Promise<number> {
    const route = await this.routes.resolve('sms', broadcast.service);
    if (route) return route.id;
    const earlier = broadcast.givenId === null ? null : await this.campaigns.byRequestId(broadcast.givenId);
    if (!earlier) throw smsErrors.noRoute();
    return earlier.routeId;
  }
}

function draftOf(sender: SmsSender, broadcast: SmsBroadcast, routeId: number): CampaignDraft {
  const { givenId, scheduledAt } = broadcast;
  return {
    accountId: sender.accountId,
    channel: 'sms',
    requestId:
      givenId === null ? { make: () => newRequestId(ID_PREFIX, 6, now(), sender.timeZone) } : { given: givenId },
    broadcastName: broadcast.broadcastName,
    service: broadcast.service,
    routeId,
    content: { message: broadcast.message },
    balance: BALANCE,
    unitCredits: broadcast.unitCredits,
    receivers: broadcast.receivers,
    initialState: 'accepted',
    ...(scheduledAt && { scheduledAt }),
    ...(givenId !== null && { fingerprint: fingerprintOf(sender.accountId, broadcast) }),
  };
}
