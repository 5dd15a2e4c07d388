import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { CreditBook, creditErrors } from '../../credits/index.js';
import { type AcceptedCampaign, type Submission, Submissions } from '../../engine/index.js';
import { Guard } from '../../guard/index.js';
import {
  type Alongside,
  Idempotency,
  type IdempotentRequest,
  type KeptOutcome,
  type OutcomeKeeper,
} from '../../idempotency/index.js';
import { SenderIds } from '../../sender-ids/index.js';
import { CampaignAudio, type CampaignSound, contentOf } from './campaign-audio.js';
import { transferNumbers } from './domain/menu.js';
import { FEWEST_BLOCKS, type VoiceRequest } from './domain/voice-request.js';
import { voiceChannel } from './voice.channel.js';

type Departure = Parameters<Submissions['accept']>[1];

export interface AcceptedVoice {
  requestId: string;
  contacts: number;
  creditsPerContact: number;
  creditsDeducted: number;
  /** URL of the generated speech; null = the audio was supplied */
  speechUrl: string | null;
}

/**
 * Makes or fetches the audio and accepts the campaign for `voice_credits`; it awaits approval unless `VOICE_AUTO_APPROVE` is
 * on.
 * @throws AppError `sender_id is not approved`, the audio's rows of reference/voice#order, `unavailable`, missing credits
 */
export class SendVoiceCampaignCommand extends Command<AcceptedVoice> {
  constructor(
    readonly sender: Submission['sender'],
    readonly request: VoiceRequest & Required<Pick<Departure, 'late'>>,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}

/** Voice sends name no route: the operator's default is used. */
const SERVICE = 'default';
const SHORTEST = { unitCredits: FEWEST_BLOCKS, segments: FEWEST_BLOCKS };

@CommandHandler(SendVoiceCampaignCommand)
export class SendVoiceCampaignHandler implements ICommandHandler<SendVoiceCampaignCommand> {
  constructor(
    private readonly sounds: CampaignAudio,
    private readonly credits: CreditBook,
    private readonly submissions: Submissions,
    private readonly senders: SenderIds,
    private readonly guard: Guard,
    private readonly idempotency: Idempotency,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async execute({ sender, request, idempotent }: SendVoiceCampaignCommand): Promise<AcceptedVoice> {
    const senderOf = (): Promise<string | null> => this.approved(sender.accountId, request);
    return this.idempotency.once<AcceptedVoice>(idempotent, (keeper) => this.submit(sender, request, keeper, senderOf));
  }

  private async submit(
    sender: Submission['sender'],
    request: SendVoiceCampaignCommand['request'],
    keeper: OutcomeKeeper<AcceptedVoice> | null,
    senderOf: () => Promise<string | null>,
  ): Promise<AcceptedVoice> {
    const { accountId } = sender;
    const scheduledAt = this.submissions.momentOf(request.schedule, sender);
    const senderId = await senderOf();
    const numbers = [...request.receivers, ...transferNumbers(request.menu ?? [])];
    await this.guard.assertDestinations(accountId, 'voice', numbers);
    await this.assertCredits(accountId, request.receivers);
    // Outside transactions: speech synthesis and foreign servers are slow.
    return this.sounds.of(request, accountId, async (sound, keep) => {
      const routes = await this.submissions.routesOf({ channel: voiceChannel, sender, service: SERVICE });
      const voice = ({ requestId, totalRows, unitCredits, chargedCredits }: AcceptedCampaign): AcceptedVoice => ({
        requestId,
        contacts: totalRows,
        creditsPerContact: unitCredits,
        creditsDeducted: chargedCredits,
        speechUrl: 'url' in request.source ? null : sound.audio.url,
      });
      return voice(
        await this.accept(
          {
            ...this.submission(sender, { ...request, callerId: senderId ?? request.callerId }, sound),
            ...(senderId !== null && { senderId }),
          },
          { scheduledAt, late: request.late, routes },
          (tx, made) => keep(tx, made.id),
          keeper?.of(voice),
        ),
      );
    });
  }

  /** Without a caller id the call shows the operator's number. */
  private async approved(accountId: number, { callerId }: VoiceRequest): Promise<string | null> {
    if (callerId === null || !(await this.guard.needsApprovedCaller(accountId))) return null;
    return (await this.senders.approved(accountId, 'voice', callerId)).senderId;
  }

  /** Before any audio is made: refuse accounts that cannot pay even the shortest. */
  private async assertCredits(accountId: number, receivers: readonly string[]): Promise<void> {
    const submission = { channel: voiceChannel, sender: { accountId } };
    const { credits: required } = await this.submissions.quoteContacts(submission, SHORTEST, receivers);
    const available = await this.credits.available(accountId, 'voice_credits');
    if (available < required) throw creditErrors.insufficientForCalls(required, available);
  }

  private submission(sender: Submission['sender'], request: VoiceRequest, sound: CampaignSound): Submission {
    const callerId = request.callerId ?? this.environment.VOICE_DEFAULT_CALLER_ID ?? '';
    return {
      channel: voiceChannel,
      sender,
      broadcastName: request.broadcastName,
      service: SERVICE,
      recipients: request.receivers,
      content: { ...contentOf(request, sound, callerId) },
      initialState: this.environment.VOICE_AUTO_APPROVE ? 'accepted' : 'pending_approval',
    };
  }

  /** Voice has its own text for missing credits (reference/credits#debits). */
  private async accept(
    submission: Submission,
    departure: Parameters<Submissions['accept']>[1],
    alongside: Alongside<AcceptedCampaign>,
    outcome: KeptOutcome<AcceptedCampaign> | undefined,
  ): Promise<AcceptedCampaign> {
    try {
      return await this.submissions.accept(submission, departure, alongside, outcome);
    } catch (error) {
      if (Submissions.lacksCredits(error)) throw creditErrors.insufficientForCalls(error.required, error.available);
      throw error;
    }
  }
}
