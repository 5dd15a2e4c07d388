import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { UnsupportedMediaTypeException } from '@nestjs/common';
import type { Holding } from './body-budget.js';
import { bodyErrors, protocolErrors } from './request-errors.js';

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
const NOTHING = Buffer.alloc(0);
const ignore = (): void => undefined;

/** Within what a body is read. */
export interface ByteBounds {
  /** bytes, after inflation too */
  limit: number;
  /** whether a compressed body is inflated */
  inflates: boolean;
  /** told of bytes as they come; what it throws ends the reading */
  holding: Holding;
  /** ends the reading with its reason */
  signal?: AbortSignal | undefined;
}

/** The encoding of a body; '' = it is not compressed. */
function encodingOf(headers: IncomingHttpHeaders): string {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return encoding === 'identity' ? '' : encoding;
}

export const isCompressed = (headers: IncomingHttpHeaders): boolean => encodingOf(headers) !== '';

/**
 * The bytes of a body, inflated where that is permitted. The request stays open when reading stops early, because it has still
 * to be answered.
 * @throws AppError body_too_large, body_compressed, unreadable_body, and what the holding throws; 415 for an unknown encoding
 */
export function readBytes(request: IncomingMessage, { limit, inflates, holding, signal }: ByteBounds): Promise<Buffer> {
  if (request.destroyed) throw bodyErrors.unreadable();
  const encoding = encodingOf(request.headers);
  const decoder = encoding === '' ? null : decoderOf(encoding, inflates);
  if (!decoder && Number(request.headers['content-length']) > limit) throw bodyErrors.tooLarge();
  const source = decoder ? request.pipe(decoder) : request;
  return new Promise((resolve, reject) => {
    const bytes = new GatheredBytes();
    const add = (chunk: Buffer): void => {
      if (bytes.length + chunk.length > limit) return stop(bodyErrors.tooLarge());
      try {
        holding.take(chunk.length);
        bytes.add(chunk);
      } catch (error) {
        stop(error as Error);
      }
    };
    const end = (): void => {
      settle();
      resolve(bytes.whole());
    };
    const stop = (error: Error): void => {
      settle();
      bytes.drop();
      reject(error);
      if (decoder) {
        request.unpipe(decoder);
        decoder.destroy();
      }
      request.pause();
    };
    const breakOff = (): void => stop(bodyErrors.unreadable());
    const close = (): void => {
      if (!request.readableEnded) breakOff();
    };
    const abort = (): void => stop(signal?.reason as Error);
    const settle = (): void => {
      source.off('data', add).off('end', end).off('error', breakOff);
      request.off('close', close);
      signal?.removeEventListener('abort', abort);
      source.on('error', ignore); // a late one is told to none
    };
    source.on('data', add).on('end', end).on('error', breakOff);
    request.on('close', close);
    signal?.addEventListener('abort', abort);
  });
}

/** @throws AppError body_compressed; UnsupportedMediaTypeException */
function decoderOf(encoding: string, inflates: boolean): Transform {
  if (!inflates) throw bodyErrors.compressed();
  const decoder = DECODERS.get(encoding);
  if (!decoder) throw new UnsupportedMediaTypeException(protocolErrors.charset.message);
  return decoder();
}

/** Blocks into which chunks are copied: a body of a million chunks would cost many times its size if each of them were kept. */
const BLOCK = 64 * 1024;

class GatheredBytes {
  length = 0;
  private blocks: Buffer[] = [];
  /** of the last block, from here on */
  private free: Buffer = NOTHING;

  add(chunk: Buffer): void {
    this.length += chunk.length;
    if (this.blocks.length === 0) {
      this.blocks.push(chunk);
      return;
    }
    let rest = chunk;
    while (rest.length > 0) {
      if (this.free.length === 0) {
        this.free = Buffer.allocUnsafeSlow(BLOCK);
        this.blocks.push(this.free);
      }
      const copied = rest.copy(this.free);
      this.free = this.free.subarray(copied);
      rest = rest.subarray(copied);
    }
  }

  /** All of them; nothing is kept. */
  whole(): Buffer {
    const [only] = this.blocks;
    const whole = this.blocks.length === 1 && only ? only : Buffer.concat(this.blocks, this.length);
    this.drop();
    return whole;
  }

  /** What holds on to the reading would hold on to them. */
  drop(): void {
    this.blocks = [];
    this.free = NOTHING;
  }
}
