import { Inject, Injectable } from '@nestjs/common';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { type Account, senderOf } from '../../accounts/index.js';
import { creditErrors } from '../../credits/index.js';
import { type AcceptedCampaign, type Submission, Submissions } from '../../engine/index.js';
import type { VoiceContent } from './calls/voice-content.js';
import { VOICE_PLANS } from './domain/voice-request.js';
import { voiceChannel } from './voice.channel.js';

/** A text for one person that the carrier speaks, twice: no audio of it is ever made. */
export interface SpokenCall {
  to: string;
  text: string;
  /** language tag in lower case, such as `pt-br` */
  locale: string;
  broadcastName: string;
  tags: NonNullable<Submission['tags']>;
  /** the part of the text that is stored sealed only */
  secret: string;
}

const SERVICE = 'default';
/** The carrier's names of languages; others are spoken in its own. */
const LANGUAGES: Readonly<Record<string, string>> = {
  en: 'en-US',
  'en-gb': 'en-GB',
  de: 'de-DE',
  es: 'es-ES',
  fr: 'fr-FR',
  hi: 'hi-IN',
  it: 'it-IT',
  nl: 'nl-NL',
  pt: 'pt-BR',
  ru: 'ru-RU',
};
const MS_PER_CHARACTER = 70;
const MS_PER_DIGIT = 500;
const TIMES = 2;

/** The length of the call, estimated: it decides the price. */
const spokenMs = (text: string): number =>
  TIMES * (text.length * MS_PER_CHARACTER + (text.match(/\d/g)?.length ?? 0) * MS_PER_DIGIT);

/** Accepts calls that speak one text. */
@Injectable()
export class SpokenCalls {
  constructor(
    private readonly submissions: Submissions,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Charges and stores a call; it needs no approval: the text is the operator's. @throws AppError no route; missing credits */
  async call(account: Account, call: SpokenCall): Promise<AcceptedCampaign> {
    const { to, text, locale, broadcastName, tags, secret } = call;
    const language = LANGUAGES[locale] ?? LANGUAGES[locale.split('-')[0] ?? ''] ?? '';
    const content: VoiceContent = {
      audio_url: '',
      milliseconds: spokenMs(text),
      source: { message: text, language: locale },
      voiceplan: VOICE_PLANS[0],
      caller_id: this.environment.VOICE_DEFAULT_CALLER_ID ?? '',
      menu: null,
      say: { text, language },
      retries: 0,
      retry_interval: 60,
    };
    const sender = senderOf(account);
    const submission: Submission = {
      ...{ channel: voiceChannel, sender, broadcastName, service: SERVICE, recipients: [to] },
      ...{ content: { ...content }, tags, secret },
    };
    const routes = await this.submissions.routesOf(submission);
    try {
      return await this.submissions.accept(submission, { scheduledAt: null, routes });
    } catch (error) {
      if (Submissions.lacksCredits(error)) throw creditErrors.insufficientForCalls(error.required, error.available);
      throw error;
    }
  }
}
