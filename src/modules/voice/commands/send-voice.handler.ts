import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { now, readSchedule } from '../../../kernel/clock.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { AudioLibrary, type StoredAudio } from '../../audio/index.js';
import {
  type AcceptedCampaign,
  CampaignAcceptance,
  type CampaignDraft,
  InsufficientCredits,
} from '../../campaigns/index.js';
import { type Alongside, Idempotency, type OutcomeKeeper } from '../../idempotency/index.js';
import { RouteDirectory } from '../../providers/index.js';
import type { VoiceContent } from '../calls/voice-content.js';
import { creditsOf } from '../domain/voice-price.js';
import { type AudioSource, VOICE_TEXTS, type VoiceRequest } from '../domain/voice-request.js';
import { voiceErrors } from '../voice.errors.js';
import { newVoiceRequestId } from '../voice-request-id.js';
import { type AcceptedVoice, SendVoice, type VoiceSender } from './send-voice.command.js';

/** There is no route to choose in a voice send: the operator's default carries it. */
const SERVICE = 'default';

/** What a request comes to once its moment, its audio and its route are known. */
interface Terms {
  audio: StoredAudio;
  creditsPerContact: number;
  routeId: number;
  scheduledAt: Date | null;
}

@CommandHandler(SendVoice)
export class SendVoiceHandler implements ICommandHandler<SendVoice> {
  constructor(
    private readonly audio: AudioLibrary,
    private readonly routes: RouteDirectory,
    private readonly acceptance: CampaignAcceptance,
    private readonly idempotency: Idempotency,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async execute({ sender, request, idempotent }: SendVoice): Promise<AcceptedVoice> {
    return this.idempotency.once<AcceptedVoice>(idempotent, (keeper) => this.submit(sender, request, keeper));
  }

  private async submit(
    sender: VoiceSender,
    request: VoiceRequest,
    keeper: OutcomeKeeper<AcceptedVoice> | null,
  ): Promise<AcceptedVoice> {
    const { source, plan } = request;
    const scheduledAt = readSchedule(request.schedule, sender.timeZone, now());
    if (scheduledAt === undefined) throw voiceErrors.invalid(VOICE_TEXTS.schedule);
    // Outside any transaction: speech and foreign servers take their time.
    const audio = await ('url' in source
      ? this.audio.fetch(source.url, sender.accountId)
      : this.audio.speech(source.text, source.language));
    const route = await this.routes.resolve('voice', SERVICE);
    if (!route) throw voiceErrors.noRoute();
    const creditsPerContact = creditsOf(audio.milliseconds, plan);
    const voice = ({ requestId, totalRows }: AcceptedCampaign): AcceptedVoice => ({
      requestId,
      contacts: totalRows,
      creditsPerContact,
      speechUrl: 'url' in source ? null : audio.url,
    });
    const draft = this.draft(sender, request, { audio, creditsPerContact, routeId: route.id, scheduledAt });
    return voice(await this.accept(draft, keeper?.alongside(voice)));
  }

  private draft(
    { accountId, timeZone }: VoiceSender,
    request: VoiceRequest,
    { audio, creditsPerContact, routeId, scheduledAt }: Terms,
  ): CampaignDraft {
    const content: VoiceContent = {
      audio_url: audio.url,
      milliseconds: audio.milliseconds,
      source: sourceOf(request.source),
      voiceplan: request.plan,
      caller_id: request.callerId ?? this.environment.VOICE_DEFAULT_CALLER_ID ?? '',
      menu: request.menu,
      retries: request.retries,
      retry_interval: request.retryIntervalSeconds,
    };
    return {
      accountId,
      channel: 'voice',
      requestId: { make: () => newVoiceRequestId(timeZone) },
      broadcastName: request.broadcastName,
      service: SERVICE,
      routeId,
      content: { ...content },
      balance: 'voice_credits',
      unitCredits: creditsPerContact,
      receivers: request.receivers,
      initialState: this.environment.VOICE_AUTO_APPROVE ? 'accepted' : 'pending_approval',
      ...(scheduledAt && { scheduledAt }),
    };
  }

  /** Voice has its own words for too few credits (spec 7). */
  private async accept(draft: CampaignDraft, alongside?: Alongside<AcceptedCampaign>): Promise<AcceptedCampaign> {
    try {
      return await this.acceptance.accept(draft, alongside);
    } catch (error) {
      if (error instanceof InsufficientCredits) throw voiceErrors.insufficient(error.required, error.available);
      throw error;
    }
  }
}

const sourceOf = (source: AudioSource): VoiceContent['source'] =>
  'url' in source ? { audio_url: source.url } : { message: source.text, language: source.language };
