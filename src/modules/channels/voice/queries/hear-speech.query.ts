import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { AudioLibrary } from '../../../audio/index.js';
import { type RawVoiceRequest, readSource } from '../domain/voice-request.js';
import { voiceErrors } from '../voice.errors.js';

/** The text of a voice send as it will be spoken, to be heard before; costs nothing, and nothing of it is kept. */
export class HearSpeechQuery extends Query<{ mime: string; bytes: Buffer }> {
  /**
   * @param body `message` and `language` as in a send
   * @throws AppError the rows of reference/voice#order about the message; too_many when the account has too many texts with
   * the engine
   */
  constructor(
    readonly accountId: number,
    readonly body: RawVoiceRequest,
  ) {
    super();
  }
}

@QueryHandler(HearSpeechQuery)
export class HearSpeechHandler implements IQueryHandler<HearSpeechQuery> {
  constructor(private readonly library: AudioLibrary) {}

  async execute({ accountId, body }: HearSpeechQuery): Promise<{ mime: string; bytes: Buffer }> {
    const source = readSource({ message: body['message'], language: body['language'] });
    if (typeof source === 'string') throw voiceErrors.invalid(source);
    if ('url' in source) throw new TypeError('an address is not spoken');
    return this.library.heard(source.text, source.language, accountId);
  }
}
