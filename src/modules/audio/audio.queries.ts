import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { unknownResource } from '../../platform/http/index.js';
import { AudioStore } from './audio.store.js';

/** Audio whose bytes are read when they are asked for. */
export interface OpenAudio {
  mime: string;
  /** bytes in all */
  size: number;
  /** names the content, which never changes */
  tag: string;
  createdAt: Date;
  /** Bytes `from` to `to`, both inclusive, in pieces. */
  bytes(from: number, to: number): AsyncIterable<Buffer>;
}

/**
 * Opens the audio of a name as it stands in its URL: `<token>.<extension>`.
 * @throws AppError not_found `Not Found`
 */
export class OpenAudioQuery extends Query<OpenAudio> {
  constructor(readonly name: string) {
    super();
  }
}

/** What a name can be at all; anything else is not worth a look into the database. */
const NAME = /^([A-Za-z0-9_-]{32})\.([a-z0-9]{2,8})$/;

@QueryHandler(OpenAudioQuery)
export class OpenAudioHandler implements IQueryHandler<OpenAudioQuery> {
  constructor(private readonly store: AudioStore) {}

  async execute({ name }: OpenAudioQuery): Promise<OpenAudio> {
    const [, token = '', extension] = NAME.exec(name) ?? [];
    const file = token === '' ? null : await this.store.byToken(token);
    if (file?.extension !== extension || !file) throw unknownResource();
    const { mime, size, createdAt } = file;
    return { mime, size, tag: token, createdAt, bytes: (from, to) => this.store.bytes(file, from, to) };
  }
}

/** Bytes of a file, both ends inclusive. */
export interface ByteRange {
  from: number;
  to: number;
}

/**
 * What a `Range` header asks of a file of `size` bytes (RFC 9110 §14.2): the whole file when there is no such header or
 * it is not understood, which is also the answer to several ranges at once.
 * @returns `unsatisfiable` when the range lies behind the end
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (!match || (first === '' && last === '')) return 'whole';
  if (first === '') {
    const suffix = Math.min(Number(last), size);
    return suffix === 0 ? 'unsatisfiable' : { from: size - suffix, to: size - 1 };
  }
  const from = Number(first);
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < from) return 'whole';
  return from >= size ? 'unsatisfiable' : { from, to };
}
