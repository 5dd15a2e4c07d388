import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { networksOf } from '../../platform/security/index.js';
import { Refusal, refusals } from './refusals.js';

/** Of all bodies that are held at the moment, compressed or not. */
const MOST_HELD_BYTES = 256 * 1024 * 1024;
/** Of one network, so that none keeps all others from sending; or one body, where BODY_LIMIT is larger. */
const MOST_OF_NETWORK = MOST_HELD_BYTES / 4;

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
const NOTHING = Buffer.alloc(0);

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

  /** @throws Refusal 413 over the limit, compressed or not; 503 while too much is held */
  async read(request: IncomingMessage, limit: number, ip: string): Promise<WholeBody> {
    const network = networksOf(ip)[0]?.name ?? ip;
    const [raw, plain] = [this.holding(network, limit), this.holding(network, limit)];
    const release = (): void => {
      raw.release();
      plain.release();
    };
    try {
      if (Number(request.headers['content-length']) > limit) throw refusals.tooLarge();
      const bytes = await allOf(request, raw.take);
      const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
      if (encoding === '' || encoding === 'identity') return { raw: bytes, plain: bytes, release };
      return { raw: bytes, plain: await decoded(bytes, encoding, plain), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Counts the bytes of one body as they come. */
  private holding(network: string, limit: number): Holding {
    let size = 0;
    return {
      take: (bytes) => {
        size += bytes;
        const ofNetwork = this.count(network, bytes);
        if (size > limit) throw refusals.tooLarge();
        if (ofNetwork > Math.max(MOST_OF_NETWORK, limit) || this.held > MOST_HELD_BYTES) throw refusals.unreachable();
      },
      release: () => {
        this.count(network, -size);
        size = 0;
      },
    };
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

interface Holding {
  /** @throws Refusal when it is too much */
  take: (bytes: number) => void;
  release: () => void;
}

/** All bytes of a stream, which ends when `take` throws. */
async function allOf(stream: AsyncIterable<Buffer>, take: Holding['take']): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    take(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * What a compressed body holds, counted as it is decoded: a small one may hold much.
 * @returns nothing of one that cannot be read: the cell says so
 * @throws Refusal
 */
async function decoded(raw: Buffer, encoding: string, holding: Holding): Promise<Buffer> {
  const decoder = DECODERS.get(encoding)?.();
  if (!decoder) return NOTHING;
  decoder.end(raw);
  try {
    return await allOf(decoder, holding.take);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    holding.release();
    return NOTHING;
  }
}
