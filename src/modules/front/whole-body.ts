import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { networksOf } from '../../platform/security/index.js';
import { refusals } from './refusals.js';

/** Of all bodies that are held at the moment, compressed or not. */
const MOST_HELD_BYTES = 256 * 1024 * 1024;
/** Of one network, so that none keeps all others from sending; or one body, where BODY_LIMIT is larger. */
const MOST_OF_NETWORK = MOST_HELD_BYTES / 4;

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
  /** what it holds, to be read */
  plain: Buffer;
  /** to be called when it has been handed on */
  release: () => void;
}

/** Reads bodies whole, so many bytes at once and no more, and of one network a part of them. */
@Injectable()
export class WholeBodies {
  private held = 0;
  private readonly heldOf = new Map<string, number>();

  /** @throws Refusal 413 over the limit; 503 while too much is held */
  async read(request: IncomingMessage, limit: number, ip: string): Promise<WholeBody> {
    const network = networksOf(ip)[0]?.name ?? ip;
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (bytes: number): void => {
      size += bytes;
      if (this.count(network, bytes) > Math.max(MOST_OF_NETWORK, limit) || this.held > MOST_HELD_BYTES) {
        throw refusals.unreachable();
      }
    };
    const release = (): void => {
      this.count(network, -size);
      size = 0;
    };
    try {
      if (Number(request.headers['content-length']) > limit) throw refusals.tooLarge();
      for await (const chunk of request as AsyncIterable<Buffer>) {
        take(chunk.length);
        if (size > limit) throw refusals.tooLarge();
        chunks.push(chunk);
      }
      const raw = Buffer.concat(chunks);
      const plain = await decoded(raw, request.headers['content-encoding'], limit);
      if (plain !== raw) take(plain.length);
      return { raw, plain, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** @returns what is held of the network */
  private count(network: string, bytes: number): number {
    this.held += bytes;
    const held = (this.heldOf.get(network) ?? 0) + bytes;
    if (held > 0) this.heldOf.set(network, held);
    else this.heldOf.delete(network);
    return held;
  }
}

/** What a compressed body holds. @returns empty for one that cannot be read, or holds more than the limit: the cell says so */
async function decoded(raw: Buffer, encoding: string | undefined, limit: number): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return raw;
  const decode = DECODERS.get(name);
  if (!decode) return Buffer.alloc(0);
  return decode(raw, { maxOutputLength: limit }).catch(() => Buffer.alloc(0));
}
