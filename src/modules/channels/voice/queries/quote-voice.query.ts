import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { JsonObject } from '../../../../kernel/objects.js';
import { MOST_CONTACTS, sortContacts, tooManyContacts } from '../../../../kernel/sorted-contacts.js';
import { ENVIRONMENT, type Environment } from '../../../../platform/config/index.js';
import { CreditBook } from '../../../credits/index.js';
import { Submissions } from '../../../engine/index.js';
import { CampaignAudio } from '../campaign-audio.js';
import { voiceReceiver } from '../domain/call-number.js';
import { blocksOf } from '../domain/voice-price.js';
import { readVoiceRequest } from '../domain/voice-request.js';
import type { VoiceQuoteData } from '../http/voice-quote.dto.js';
import { voiceChannel } from '../voice.channel.js';
import { voiceErrors } from '../voice.errors.js';

/** Whether a quote is asked for a voice send. */
export const isVoiceBody = (body: JsonObject): boolean => body['channel'] === voiceChannel.name;

/**
 * Prices a voice send: its text is spoken, or its audio fetched, and thrown away. Costs nothing, makes no call.
 * @throws AppError the rows of reference/voice#order, but those of credits and routes
 */
export class QuoteVoiceQuery extends Query<VoiceQuoteData> {
  /** @param body as it came */
  constructor(
    readonly accountId: number,
    readonly body: JsonObject,
  ) {
    super();
  }
}

/** Of a send that is not sent. */
const UNNAMED = 'Quote';

@QueryHandler(QuoteVoiceQuery)
export class QuoteVoiceHandler implements IQueryHandler<QuoteVoiceQuery> {
  constructor(
    private readonly sounds: CampaignAudio,
    private readonly submissions: Submissions,
    private readonly credits: CreditBook,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async execute({ accountId, body }: QuoteVoiceQuery): Promise<VoiceQuoteData> {
    // more are refused before they are gone through
    const { contacts: given } = body;
    if (Array.isArray(given) && given.length > MOST_CONTACTS) throw tooManyContacts.asShown();
    const rules = { allowedPrefixes: this.environment.VOICE_ALLOWED_PREFIXES };
    const read = readVoiceRequest({ ...body, broadcast_name: UNNAMED, schedule_time: undefined }, rules);
    if ('fault' in read) throw voiceErrors.invalid(read.fault);
    const { request } = read;
    const contacts = await sortContacts(given as readonly unknown[], voiceReceiver, voiceChannel.duplicates);
    const milliseconds = await this.sounds.of(request, accountId, ({ audio }) => Promise.resolve(audio.milliseconds));
    const blocks = blocksOf(milliseconds, request.plan);
    const send = { channel: voiceChannel, sender: { accountId } };
    const price = { unitCredits: blocks, segments: blocks };
    const charges = await this.submissions.quoteContacts(send, price, contacts.charged);
    return {
      channel: voiceChannel.name,
      audio_seconds: milliseconds / 1_000,
      voiceplan: request.plan,
      ivr_enabled: request.menu !== null,
      credits_per_contact: charges.unitCredits,
      credits: charges.credits,
      total_credits: charges.credits,
      balance: 'voice_credits',
      available: await this.credits.available(accountId, 'voice_credits'),
      contacts: contacts.charged.length,
      invalid: contacts.invalid,
      refused: contacts.refused,
      duplicates: contacts.duplicates,
      duplicates_count: contacts.duplicatesCount,
    };
  }
}
