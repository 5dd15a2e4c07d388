import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { JsonObject } from '../../../kernel/json-values.js';
import { MOST_CONTACTS, sortContacts, tooManyContacts } from '../../../kernel/contacts.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { AudioLibrary } from '../../audio/index.js';
import { CreditBook } from '../../credits/index.js';
import { Submissions } from '../../engine/index.js';
import { type NumberHome, readerOf } from '../../numbers/index.js';
import { CampaignAudio } from './campaign-audio.js';
import { blocksOf, type VoiceBody, readSource, readVoiceRequest } from './domain/voice-request.js';
import { voiceChannel } from './voice.channel.js';
import type { VoiceQuoteData } from './voice.dto.js';
import { voiceErrors } from './voice.errors.js';

/** Speaks the text of a voice send for a preview; free, nothing is stored. */
export class GetSpeechQuery extends Query<{ mime: string; bytes: Buffer }> {
  /** @throws AppError the message's rows of reference/voice#order; too_many while the account has too many texts under way */
  constructor(
    readonly accountId: number,
    readonly body: VoiceBody,
  ) {
    super();
  }
}

@QueryHandler(GetSpeechQuery)
export class GetSpeechHandler implements IQueryHandler<GetSpeechQuery> {
  constructor(private readonly library: AudioLibrary) {}

  async execute({ accountId, body }: GetSpeechQuery): Promise<{ mime: string; bytes: Buffer }> {
    const source = readSource({ message: body['message'], language: body['language'] });
    if (typeof source === 'string') throw voiceErrors.invalid(source);
    if ('url' in source) throw new TypeError('an address is not spoken');
    return this.library.spoken(source.text, source.language, accountId);
  }
}

export const isVoiceBody = (body: JsonObject): boolean => body['channel'] === voiceChannel.name;

/** Prices a voice send, then discards its audio. @throws AppError rows of reference/voice#order, without credits and routes */
export class QuoteVoiceQuery extends Query<VoiceQuoteData> {
  constructor(
    readonly account: NumberHome & { id: number },
    readonly body: JsonObject,
  ) {
    super();
  }
}

const UNNAMED = 'Quote';

@QueryHandler(QuoteVoiceQuery)
export class QuoteVoiceHandler implements IQueryHandler<QuoteVoiceQuery> {
  constructor(
    private readonly sounds: CampaignAudio,
    private readonly submissions: Submissions,
    private readonly credits: CreditBook,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async execute({ account, body }: QuoteVoiceQuery): Promise<VoiceQuoteData> {
    const accountId = account.id;
    // refuse too many contacts before reading them
    const { contacts: given } = body;
    if (Array.isArray(given) && given.length > MOST_CONTACTS) throw tooManyContacts.asShown();
    const rules = { allowedPrefixes: this.environment.VOICE_ALLOWED_PREFIXES };
    const read = readVoiceRequest(
      { ...body, broadcast_name: UNNAMED, schedule_time: undefined, late: undefined, late_after_s: undefined },
      rules,
    );
    if ('fault' in read) throw voiceErrors.invalid(read.fault);
    const { request } = read;
    const contacts = await sortContacts(
      given as readonly unknown[],
      readerOf(account, voiceChannel),
      voiceChannel.duplicates,
    );
    const milliseconds = await this.sounds.of(request, accountId, ({ audio }) => Promise.resolve(audio.milliseconds));
    const blocks = blocksOf(milliseconds, request.plan);
    const submission = { channel: voiceChannel, sender: { accountId } };
    const price = { unitCredits: blocks, segments: blocks };
    const charges = await this.submissions.quoteContacts(submission, price, contacts.charged);
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
