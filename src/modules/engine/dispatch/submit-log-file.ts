import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { LaneKey } from '../lanes.js';
import { BATCH_RECIPIENTS } from './capacity.js';

/** of the socket that only a living process holds */
const ALIVE = '.alive';
export const NOTE = '.note';

/** The kernel's own name of this boot, the same in every container; null where there is none. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}

/** Where notes of a database's campaigns lie: two databases that share a directory know nothing of each other. */
export function submitLogDirectory(dataDirectory: string, databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  const database = createHash('sha256')
    .update(host + pathname)
    .digest('hex')
    .slice(0, 16);
  return join(dataDirectory, 'submit-notes', database);
}

/**
 * Says that a process lives, by a Unix socket that it listens on: the kernel refuses calls to it from the moment in which
 * the last thread of the process is gone, and takes them while it is frozen. So no process number is compared, which
 * another process may have by now, or which is another one's in another container.
 */
export class LifeSign {
  private constructor(
    readonly name: string,
    private readonly server: Server,
  ) {}

  /** @throws where the directory takes no sockets */
  static async show(directory: string): Promise<LifeSign> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const name = `${process.pid}-${randomBytes(6).toString('hex')}`;
    const server = createServer((socket) => socket.destroy()).unref();
    await near(directory, (place) => {
      return new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(`${place}/${name}${ALIVE}`, resolve);
      });
    });
    return new LifeSign(name, server);
  }

  /** The process of that name is gone for certain: what is unclear counts as alive. Only for notes of this boot. */
  static isGone(directory: string, name: string): Promise<boolean> {
    return near(
      directory,
      (place) =>
        new Promise((resolve) => {
          const socket = connect(`${place}/${name}${ALIVE}`, () => resolve(false));
          socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
          socket.on('close', () => socket.destroy());
        }),
    );
  }

  /** From here on the process counts as gone. */
  end(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

/** Removes the notes of a process and its sign. */
export function removeSubmitLogs(directory: string, name: string): void {
  for (const kind of [NOTE, ALIVE]) rmSync(join(directory, name + kind), { force: true });
}

/** A short way to a directory: the path of a socket has no more than 107 bytes. */
async function near<Result>(directory: string, work: (place: string) => Promise<Result>): Promise<Result> {
  const handle = openSync(directory, 'r');
  try {
    return await work(`/proc/self/fd/${handle}`);
  } finally {
    closeSync(handle);
  }
}

/**
 * How notes of submits lie in their file (docs/decisions/0015): a header, then slots of one size, a slot a window. What a
 * slot says counts under its generation alone, so whatever an earlier window left behind it needs no clearing. Numbers are
 * little-endian.
 */
const MAGIC = 'SUBMITS1';
const BOOT_ID_LENGTH = 36;
const HIGH = 2 ** 32;
export const FILE_HEADER = 64;
/** generation (0 = nothing is noted here), number of lanes, id of the claim */
const SLOT_HEADER = 16;
/** campaign, fence, lane */
const LANE = 16;
/** campaign, generation, seq */
export const RECORD = 16;
const RECORDS_AT = SLOT_HEADER + BATCH_RECIPIENTS * LANE;
export const SLOT = RECORDS_AT + BATCH_RECIPIENTS * RECORD;

/** A lane as its claim left it. */
export interface ClaimedLane extends LaneKey {
  /** that the claim raised it to */
  fence: number;
}

/** A claim, and who of its recipients may have left: the others certainly have not. */
export interface LoggedClaim {
  id: number;
  lanes: ClaimedLane[];
  /** by `leftKey` */
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
  for (const [place, { campaignId, lane, fence }] of lanes.entries()) {
    bytes.writeBigUInt64LE(BigInt(campaignId), place * LANE);
    bytes.writeUIntLE(fence, place * LANE + 8, 6);
    bytes.writeUInt16LE(lane, place * LANE + 14);
  }
  return bytes;
}

/** @returns the position after it */
export function writeRecord(target: Buffer, at: number, generation: number, campaignId: number, seq: number): number {
  target.writeUInt32LE(campaignId % HIGH, at);
  target.writeUInt32LE(Math.floor(campaignId / HIGH), at + 4);
  target.writeUInt32LE(generation, at + 8);
  target.writeUInt32LE(seq, at + 12);
  return at + RECORD;
}

/** The boot under which the file was written; null when it is none of ours. */
export function bootIdOf(bytes: Buffer): string | null {
  const isOurs = bytes.length >= FILE_HEADER && bytes.toString('latin1', 0, MAGIC.length) === MAGIC;
  return isOurs ? bytes.toString('latin1', MAGIC.length, MAGIC.length + BOOT_ID_LENGTH) : null;
}

/** Claims that were under way when the file was written last. */
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
  const lanes = Array.from({ length: count }, (_, place): ClaimedLane => {
    const at = lanesAt(slot) + place * LANE;
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
