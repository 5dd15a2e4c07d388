import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { AppError } from '../../../kernel/app-error.js';
import { AudioStore } from '../persistence/audio-store.js';
import { type OpenAudio, OpenAudioQuery } from './open-audio.query.js';

/** What a name can be at all; anything else is not worth a look into the database. */
const NAME = /^([A-Za-z0-9_-]{32})\.([a-z0-9]{2,8})$/;

@QueryHandler(OpenAudioQuery)
export class OpenAudioHandler implements IQueryHandler<OpenAudioQuery> {
  constructor(private readonly store: AudioStore) {}

  async execute({ name }: OpenAudioQuery): Promise<OpenAudio> {
    const [, token = '', extension] = NAME.exec(name) ?? [];
    const file = token === '' ? null : await this.store.byToken(token);
    if (file?.extension !== extension || !file) throw new AppError('not_found', 'audio_not_found', 'Not Found');
    const { mime, size, createdAt } = file;
    return { mime, size, tag: token, createdAt, bytes: (from, to) => this.store.bytes(file, from, to) };
  }
}
