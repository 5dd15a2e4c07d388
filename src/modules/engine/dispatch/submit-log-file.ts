import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { LaneKey } from '../lanes.js';
import { BATCH_RECIPIENTS } from './capacity.js';

/** suffix of the socket that only a living process holds */
const SOCKET_SUFFIX = '.alive';
export const LOG_SUFFIX = '.note';

/** The kernel's id of this boot, equal in every container; null = none. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}

/** Submit-log directory by database, since several databases may share a data directory. */
export function submitLogDirectory(dataDirectory: string, databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  const database = createHash('sha256')
    .update(host + pathname)
    .digest('hex')
    .slice(0, 16);
  return join(dataDirectory, 'submit-notes', database);
}

/**
 * Proves by a Unix socket that a process lives: the kernel accepts connections even while it is frozen, and refuses them once
 * it is gone. Process ids are reused, and differ between containers.
 */
export class LifeSign {
  private constructor(
    readonly name: string,
    private readonly server: Server,
  ) {}

  /** @throws Error if the directory cannot hold sockets */
  static async show(directory: string): Promise<LifeSign> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const name = `${process.pid}-${randomBytes(6).toString('hex')}`;
    const server = createServer((socket) => socket.destroy()).unref();
    await near(directory, (path) => {
      return new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(`${path}/${name}${SOCKET_SUFFIX}`, resolve);
      });
    });
    return new LifeSign(name, server);
  }

  /** Whether the process is certainly gone; unclear counts as alive. Only for logs of this boot. */
  static isGone(directory: string, name: string): Promise<boolean> {
    return near(
      directory,
      (path) =>
        new Promise((resolve) => {
          const socket = connect(`${path}/${name}${SOCKET_SUFFIX}`, () => resolve(false));
          socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
          socket.on('close', () => socket.destroy());
        }),
    );
  }

  end(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

export function removeSubmitLogs(directory: string, name: string): void {
  for (const kind of [LOG_SUFFIX, SOCKET_SUFFIX]) rmSync(join(directory, name + kind), { force: true });
}

/** A short path to the directory: socket paths have at most 107 bytes. */
async function near<Result>(directory: string, work: (path: string) => Promise<Result>): Promise<Result> {
  const handle = openSync(directory, 'r');
  try {
    return await work(`/proc/self/fd/${handle}`);
  } finally {
    closeSync(handle);
  }
}

/** File of header and one slot per batch (docs/decisions/0015). Only records of the slot's generation count. Little-endian. */
const MAGIC = 'SUBMITS1';
const BOOT_ID_LENGTH = 36;
const HIGH = 2 ** 32;
export const FILE_HEADER = 64;
/** generation (0 = empty), number of lanes, claim id */
const SLOT_HEADER = 16;
/** campaign, fence, lane */
const LANE = 16;
/** campaign, generation, seq */
export const RECORD = 16;
const RECORDS_AT = SLOT_HEADER + BATCH_RECIPIENTS * LANE;
export const SLOT = RECORDS_AT + BATCH_RECIPIENTS * RECORD;

export interface ClaimedLane extends LaneKey {
  /** after the claim */
  fence: number;
}

/** A claim with the recipients that may have left; all others have certainly not. */
export interface LoggedClaim {
  id: number;
  lanes: ClaimedLane[];
  left: Set<string>;
}

export const leftKey = (campaignId: number, seq: number): string => `${campaignId} ${seq}`;

export const slotAt = (slot: number): number => FILE_HEADER + slot * SLOT;
export const lanesAt = (slot: number): number => slotAt(slot) + SLOT_HEADER;
export const recordAt = (slot: number, record: number): number => slotAt(slot) + RECORDS_AT + record * RECORD;

export function fileHeader(bootId: string): Buffer {
  const bytes = Buffer.alloc(FILE_HEADER);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.write(bootId, MAGIC.length, 'latin1');
  return bytes;
}

export function slotHeader(generation: number, lanes: number, claimId: number): Buffer {
  const bytes = Buffer.alloc(SLOT_HEADER);
  bytes.writeUInt32LE(generation, 0);
  bytes.writeUInt32LE(lanes, 4);
  bytes.writeBigUInt64LE(BigInt(claimId), 8);
  return bytes;
}

export function laneBytes(lanes: readonly ClaimedLane[]): Buffer {
  const bytes = Buffer.alloc(lanes.length * LANE);
  for (const [index, { campaignId, lane, fence }] of lanes.entries()) {
    bytes.writeBigUInt64LE(BigInt(campaignId), index * LANE);
    bytes.writeUIntLE(fence, index * LANE + 8, 6);
    bytes.writeUInt16LE(lane, index * LANE + 14);
  }
  return bytes;
}

/** @returns the next position */
export function writeRecord(target: Buffer, at: number, generation: number, campaignId: number, seq: number): number {
  target.writeUInt32LE(campaignId % HIGH, at);
  target.writeUInt32LE(Math.floor(campaignId / HIGH), at + 4);
  target.writeUInt32LE(generation, at + 8);
  target.writeUInt32LE(seq, at + 12);
  return at + RECORD;
}

/** Boot id of the file; null = not a submit log. */
export function bootIdOf(bytes: Buffer): string | null {
  const isOurs = bytes.length >= FILE_HEADER && bytes.toString('latin1', 0, MAGIC.length) === MAGIC;
  return isOurs ? bytes.toString('latin1', MAGIC.length, MAGIC.length + BOOT_ID_LENGTH) : null;
}

/** Claims that were open when the file was last written. */
export function readClaims(bytes: Buffer): LoggedClaim[] {
  const claims: LoggedClaim[] = [];
  for (let slot = 0; slotAt(slot + 1) <= bytes.length; slot++) {
    const generation = bytes.readUInt32LE(slotAt(slot));
    if (generation > 0) claims.push(readClaim(bytes, slot, generation));
  }
  return claims;
}

function readClaim(bytes: Buffer, slot: number, generation: number): LoggedClaim {
  const count = Math.min(bytes.readUInt32LE(slotAt(slot) + 4), BATCH_RECIPIENTS);
  const lanes = Array.from({ length: count }, (_, index): ClaimedLane => {
    const at = lanesAt(slot) + index * LANE;
    const campaignId = Number(bytes.readBigUInt64LE(at));
    return { campaignId, lane: bytes.readUInt16LE(at + 14), fence: bytes.readUIntLE(at + 8, 6) };
  });
  const left = new Set<string>();
  for (let record = 0; record < BATCH_RECIPIENTS; record++) {
    const at = recordAt(slot, record);
    if (bytes.readUInt32LE(at + 8) !== generation) break;
    left.add(leftKey(bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * HIGH, bytes.readUInt32LE(at + 12)));
  }
  return { id: Number(bytes.readBigUInt64LE(slotAt(slot) + 8)), lanes, left };
}
