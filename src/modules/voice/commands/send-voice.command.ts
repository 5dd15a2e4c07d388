import { Command } from '@nestjs/cqrs';
import type { IdempotentRequest } from '../../idempotency/index.js';
import type { VoiceRequest } from '../domain/voice-request.js';

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
 * @throws AppError the audio's rows of spec 7, `unavailable` without a usable route, and
 * `Insufficient credits. Required: X, Available: Y`
 */
export class SendVoice extends Command<AcceptedVoice> {
  constructor(
    readonly sender: VoiceSender,
    readonly request: VoiceRequest,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}
