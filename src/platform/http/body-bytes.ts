import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { UnsupportedMediaTypeException } from '@nestjs/common';
import { tooMany } from '../security/index.js';
import { bodyErrors, protocolErrors } from './http.errors.js';

/** Seconds until a body refused for lack of memory may be sent again. */
const RETRY_SECONDS = 1;

/** Uncounted bytes: a Map through which every request passes keeps dead objects alive (docs/decisions/0065). */
const UNSHARED = 4 * 1024;

/** Memory of one body within a shared budget. */
export interface Holding {
  /** Counts received or inflated bytes. @throws AppError too_many when the budget is used up */
  take(bytes: number): void;
  release(): void;
}

/** Budget of body bytes per process, with a share per account and network. Counts received bytes, not announced ones. */
export class BodyBudget {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  /** @param most bytes in total @param share bytes of one account or network */
  constructor(
    private readonly most: number,
    private readonly share: number,
  ) {}

  /** @param sharers keys whose share counts bodies above `UNSHARED` */
  open(sharers: () => readonly string[]): Holding {
    let size = 0;
    let shared = 0;
    let names: readonly string[] = [];
    let isReleased = false;
    return {
      take: (bytes) => {
        // A reader may go on after the answer; its bytes would never be released.
        if (isReleased) throw tooMany(RETRY_SECONDS);
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
        isReleased = true;
      },
    };
  }

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

export interface ByteBounds {
  limit: number;
  inflates: boolean;
  /** counts bytes; throwing ends the reading */
  holding: Holding;
  signal?: AbortSignal | undefined;
}

/** The encoding of a body; '' = not compressed. */
function encodingOf(headers: IncomingHttpHeaders): string {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return encoding === 'identity' ? '' : encoding;
}

export const isCompressed = (headers: IncomingHttpHeaders): boolean => encodingOf(headers) !== '';

/** Reads a body; leaves the request open after a fault. @throws AppError of the body or `holding`; 415 for encodings */
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
      source.on('error', ignore); // ignore late errors
    };
    source.on('data', add).on('end', end).on('error', breakOff);
    request.on('close', close);
    signal?.addEventListener('abort', abort);
  });
}

function decoderOf(encoding: string, inflates: boolean): Transform {
  if (!inflates) throw bodyErrors.compressed();
  const decoder = DECODERS.get(encoding);
  if (!decoder) throw new UnsupportedMediaTypeException(protocolErrors.charset.message);
  return decoder();
}

/** Chunks are copied into blocks: a body of a million kept chunks would take many times its size. */
const BLOCK = 64 * 1024;

class GatheredBytes {
  length = 0;
  private blocks: Buffer[] = [];
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

  /** All bytes; clears the blocks. */
  whole(): Buffer {
    const [only] = this.blocks;
    const whole = this.blocks.length === 1 && only ? only : Buffer.concat(this.blocks, this.length);
    this.drop();
    return whole;
  }

  /** Frees the blocks, which references to the reader would keep. */
  drop(): void {
    this.blocks = [];
    this.free = NOTHING;
  }
}

const KB = 1024;
const SECOND = 1_000;

/** The pace is not checked before: connections start slowly and pause. */
const GRACE_SECONDS = 10;

/** Minimum rate of a body. */
export interface Pace {
  /** average, after the grace period */
  bytesASecond: number;
  /** total limit; default: that of any request */
  mostSeconds?: number;
}

export const KNOWN_PACE: Pace = { bytesASecond: 16 * KB };
export const ANONYMOUS_PACE: Pace = { bytesASecond: 16 * KB, mostSeconds: 30 };
/** Other requests wait for a large body; slow clients can send a file instead. */
export const LARGE_PACE: Pace = { bytesASecond: 256 * KB };

/** The result of `read` while the body keeps its pace. @param read must react to its signal @throws AppError body_too_slow */
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
  // Count checks instead of time: while the process is blocked, it reads nothing.
  const timer = setInterval(() => {
    // Unread data is waiting, so the sender is not the slow side.
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

/** Rejects with the reason of the signal, for readers without abort. */
export const brokenOff = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
