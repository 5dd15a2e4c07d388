import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { unknownResource } from '../../platform/http/index.js';
import { AudioStore } from './audio.store.js';

/** Audio whose bytes are read on demand. */
export interface OpenAudio {
  mime: string;
  size: number;
  /** ETag; the content never changes */
  tag: string;
  createdAt: Date;
  /** bytes `from` to `to`, inclusive */
  bytes(from: number, to: number): AsyncIterable<Buffer>;
}

/** Opens audio by its name in the URL, `<token>.<extension>`. @throws AppError not_found `Not Found` */
export class OpenAudioQuery extends Query<OpenAudio> {
  constructor(readonly name: string) {
    super();
  }
}

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

export interface ByteRange {
  from: number;
  to: number;
}

/** Range of a file of `size` bytes (RFC 9110 §14.2); `whole` without a valid header, or for several ranges. */
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
