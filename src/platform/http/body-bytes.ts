import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { UnsupportedMediaTypeException } from '@nestjs/common';
import { tooMany } from '../security/index.js';
import { bodyErrors, protocolErrors } from './http.errors.js';

/** When a body that found no room may be sent again. */
const RETRY_SECONDS = 1;

/** Bytes that count for no sharer: a Map through which every request passes keeps dead objects alive (docs/decisions/0065). */
const UNSHARED = 4 * 1024;

/** What one body holds of the memory that all of them share. */
export interface Holding {
  /** Counts bytes that have arrived, or been inflated. @throws AppError too_many when there is no room for them */
  take(bytes: number): void;
  /** Gives all of them back. */
  release(): void;
}

/**
 * How many bytes of bodies a process holds at once: counted as they arrive and never as they are announced, so that a silent
 * connection holds nothing. No account and no network has more than its share.
 */
export class BodyBudget {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  /**
   * @param most bytes of all bodies together
   * @param share bytes of one account or network
   */
  constructor(
    private readonly most: number,
    private readonly share: number,
  ) {}

  /** @param sharers names those whose share it counts for, when it is more than a few kilobytes */
  open(sharers: () => readonly string[]): Holding {
    let size = 0;
    let shared = 0;
    let names: readonly string[] = [];
    return {
      take: (bytes) => {
        size += bytes;
        this.held += bytes;
        let isWithin = this.held <= this.most;
        if (size > UNSHARED) {
          if (shared === 0) names = sharers();
          for (const name of names) isWithin = this.count(name, size - shared) <= this.share && isWithin;
          shared = size;
        }
        if (!isWithin) throw tooMany(RETRY_SECONDS);
      },
      release: () => {
        this.held -= size;
        for (const name of names) this.count(name, -shared);
        size = shared = 0;
      },
    };
  }

  /** @returns what the sharer holds */
  private count(sharer: string, bytes: number): number {
    const held = (this.heldBy.get(sharer) ?? 0) + bytes;
    if (held > 0) this.heldBy.set(sharer, held);
    else this.heldBy.delete(sharer);
    return held;
  }
}

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

const KB = 1024;
const SECOND = 1_000;

/** From then on the pace is looked at: connections begin slowly, and pause. */
const GRACE_SECONDS = 10;

/** How fast a body has to come. */
export interface Pace {
  /** on average, after ten seconds */
  bytesASecond: number;
  /** the longest that it may take in all; none: as long as any request */
  mostSeconds?: number;
}

export const KNOWN_PACE: Pace = { bytesASecond: 16 * KB };
export const ANONYMOUS_PACE: Pace = { bytesASecond: 16 * KB, mostSeconds: 30 };
/** Others wait for it. What comes more slowly may come as a file, which holds nothing up. */
export const LARGE_PACE: Pace = { bytesASecond: 256 * KB };

/**
 * The result of `read`, unless the body comes too slowly: then nothing else of it is waited for, and the connection ends with
 * the answer.
 * @param read ends when it is told to
 * @throws AppError body_too_slow
 */
export async function inPace<T>(
  request: IncomingMessage,
  { bytesASecond, mostSeconds = Infinity }: Pace,
  read: (signal?: AbortSignal) => Promise<T>,
): Promise<T> {
  if (request.complete) return read();
  const { socket } = request;
  const before = socket.bytesRead;
  const late = new AbortController();
  let seconds = 0;
  // looks are counted, not the time between them: while the process itself is held up, nothing is read
  const timer = setInterval(() => {
    // the sender is not waited for while something that it has sent waits
    if (request.complete || request.readableLength > 0) return;
    seconds += 1;
    if (seconds <= GRACE_SECONDS) return;
    const due = (seconds - GRACE_SECONDS) * bytesASecond;
    if (seconds > mostSeconds || socket.bytesRead - before < due) late.abort(bodyErrors.tooSlow());
  }, SECOND);
  try {
    return await read(late.signal);
  } finally {
    clearInterval(timer);
  }
}

/** Ends when the signal does, with its reason: for a reader that cannot be told to end. */
export const brokenOff = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
