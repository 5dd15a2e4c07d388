import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { refusals } from './refusals.js';

/** Of all bodies that are held at the moment. */
const MOST_HELD_BYTES = 256 * 1024 * 1024;

const DECODERS = new Map(
  [
    { names: ['gzip', 'x-gzip'], decode: promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip) },
    { names: ['deflate'], decode: promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate) },
    { names: ['br'], decode: promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress) },
  ].flatMap(({ names, decode }) => names.map((name) => [name, decode] as const)),
);

/** A body that was read before its cell was known. */
export interface WholeBody {
  /** as it came, to be handed on */
  raw: Buffer;
  /** to be called when it has been handed on */
  release: () => void;
}

/** Reads bodies whole, so many bytes at once and no more. */
@Injectable()
export class WholeBodies {
  private held = 0;

  /** @throws Refusal 413 over the limit; 503 while too much is held */
  async read(request: IncomingMessage, limit: number): Promise<WholeBody> {
    const chunks: Buffer[] = [];
    let size = 0;
    const release = (): void => {
      this.held -= size;
      size = 0;
    };
    try {
      if (Number(request.headers['content-length']) > limit) throw refusals.tooLarge();
      for await (const chunk of request as AsyncIterable<Buffer>) {
        size += chunk.length;
        this.held += chunk.length;
        if (size > limit) throw refusals.tooLarge();
        if (this.held > MOST_HELD_BYTES) throw refusals.unreachable();
        chunks.push(chunk);
      }
    } catch (error) {
      release();
      throw error;
    }
    return { raw: Buffer.concat(chunks), release };
  }
}

/** What a compressed body holds. @returns empty for one that cannot be read, or holds more than the limit: the cell says so */
export async function decoded(raw: Buffer, encoding: string | undefined, limit: number): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return raw;
  const decode = DECODERS.get(name);
  if (!decode) return Buffer.alloc(0);
  return decode(raw, { maxOutputLength: limit }).catch(() => Buffer.alloc(0));
}
