import { Query } from '@nestjs/cqrs';

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
