import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { now, readSchedule } from '../../../../kernel/clock.js';
import { ENVIRONMENT, type Environment } from '../../../../platform/config/index.js';
import { CreditBook } from '../../../credits/index.js';
import {
  type AcceptedCampaign,
  CampaignAcceptance,
  type CampaignDraft,
  InsufficientCredits,
} from '../../../engine/index.js';
import { type Alongside, Idempotency, type IdempotentRequest, type OutcomeKeeper } from '../../../idempotency/index.js';
import { RouteDirectory } from '../../../providers/index.js';
import { creditsOf } from '../domain/voice-price.js';
import { VOICE_TEXTS, type VoiceRequest } from '../domain/voice-request.js';
import { newVoiceRequestId } from '../voice-request-id.js';
import { voiceErrors } from '../voice.errors.js';
import { CampaignAudio, type CampaignSound, contentOf } from './campaign-audio.js';

/** Who pays, and in whose time zone the request id is dated. */
export interface VoiceSender {
  accountId: number;
  timeZone: string;
}

/** A voice campaign that the engine has. */
export interface AcceptedVoice {
  requestId: string;
  contacts: number;
  creditsPerContact: number;
  /** address of the speech that was made; null when the audio was supplied */
  speechUrl: string | null;
}

/**
 * Makes or fetches the audio, prices it, and accepts the campaign: charged to `voice_credits` and stored in one
 * transaction, waiting for its approval unless `VOICE_AUTO_APPROVE` is on.
 * @throws AppError the audio's rows of reference/voice#order, `unavailable` without a usable route, and
 * `Insufficient credits. Required: X, Available: Y`
 */
export class SendVoiceCampaignCommand extends Command<AcceptedVoice> {
  constructor(
    readonly sender: VoiceSender,
    readonly request: VoiceRequest,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}

/** There is no route to choose in a voice send: the operator's default carries it. */
const SERVICE = 'default';

/** What a request comes to once its moment, its audio and its route are known. */
interface Terms {
  sound: CampaignSound;
  creditsPerContact: number;
  routeId: number;
  scheduledAt: Date | null;
}

@CommandHandler(SendVoiceCampaignCommand)
export class SendVoiceCampaignHandler implements ICommandHandler<SendVoiceCampaignCommand> {
  constructor(
    private readonly sounds: CampaignAudio,
    private readonly credits: CreditBook,
    private readonly routes: RouteDirectory,
    private readonly acceptance: CampaignAcceptance,
    private readonly idempotency: Idempotency,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async execute({ sender, request, idempotent }: SendVoiceCampaignCommand): Promise<AcceptedVoice> {
    return this.idempotency.once<AcceptedVoice>(idempotent, (keeper) => this.submit(sender, request, keeper));
  }

  private async submit(
    sender: VoiceSender,
    request: VoiceRequest,
    keeper: OutcomeKeeper<AcceptedVoice> | null,
  ): Promise<AcceptedVoice> {
    const { accountId, timeZone } = sender;
    const scheduledAt = readSchedule(request.schedule, timeZone, now());
    if (scheduledAt === undefined) throw voiceErrors.invalid(VOICE_TEXTS.schedule);
    await this.judgeCredits(accountId, request.receivers.length);
    // Outside any transaction: speech and foreign servers take their time.
    return this.sounds.of(request, accountId, async (sound, keep) => {
      const route = await this.routes.resolve('voice', SERVICE);
      if (!route) throw voiceErrors.noRoute();
      const creditsPerContact = creditsOf(sound.audio.milliseconds, request.plan);
      const voice = ({ requestId, totalRows }: AcceptedCampaign): AcceptedVoice => ({
        requestId,
        contacts: totalRows,
        creditsPerContact,
        speechUrl: 'url' in request.source ? null : sound.audio.url,
      });
      const draft = this.draft(sender, request, { sound, creditsPerContact, routeId: route.id, scheduledAt });
      const stored = keeper?.alongside(voice);
      return voice(
        await this.accept(draft, async (tx, made) => {
          await keep(tx);
          await stored?.(tx, made);
        }),
      );
    });
  }

  /** Before anything is spoken or fetched: who cannot pay a credit for each contact cannot pay any audio. */
  private async judgeCredits(accountId: number, required: number): Promise<void> {
    const available = await this.credits.available(accountId, 'voice_credits');
    if (available < required) throw voiceErrors.insufficient(required, available);
  }

  private draft(
    { accountId, timeZone }: VoiceSender,
    request: VoiceRequest,
    { sound, creditsPerContact, routeId, scheduledAt }: Terms,
  ): CampaignDraft {
    const callerId = request.callerId ?? this.environment.VOICE_DEFAULT_CALLER_ID ?? '';
    return {
      accountId,
      channel: 'voice',
      requestId: { make: () => newVoiceRequestId(timeZone) },
      broadcastName: request.broadcastName,
      service: SERVICE,
      routeId,
      content: { ...contentOf(request, sound, callerId) },
      balance: 'voice_credits',
      unitCredits: creditsPerContact,
      receivers: request.receivers,
      initialState: this.environment.VOICE_AUTO_APPROVE ? 'accepted' : 'pending_approval',
      ...(scheduledAt && { scheduledAt }),
    };
  }

  /** Voice has its own words for too few credits (reference/credits#debits). */
  private async accept(draft: CampaignDraft, alongside: Alongside<AcceptedCampaign>): Promise<AcceptedCampaign> {
    try {
      return await this.acceptance.accept(draft, alongside);
    } catch (error) {
      if (error instanceof InsufficientCredits) throw voiceErrors.insufficient(error.required, error.available);
      throw error;
    }
  }
}
