/**
 * How notes of submits lie in their file (docs/decisions/0015): a header, then slots of one size, a slot a window. What a
 * slot says counts under its generation alone, so whatever an earlier window left behind it needs no clearing. Numbers are
 * little-endian.
 */
import type { LaneKey } from './lane-turn.js';
import { WINDOW_RECIPIENTS } from './window-tempo.js';

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
const RECORDS_AT = SLOT_HEADER + WINDOW_RECIPIENTS * LANE;
export const SLOT = RECORDS_AT + WINDOW_RECIPIENTS * RECORD;

/** A lane as its claim left it. */
export interface ClaimedLane extends LaneKey {
  /** that the claim raised it to */
  fence: number;
}

/** A claim, and who of its recipients may have left: the others certainly have not. */
export interface NotedClaim {
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
export function readClaims(bytes: Buffer): NotedClaim[] {
  const claims: NotedClaim[] = [];
  for (let slot = 0; slotAt(slot + 1) <= bytes.length; slot++) {
    const generation = bytes.readUInt32LE(slotAt(slot));
    if (generation > 0) claims.push(readClaim(bytes, slot, generation));
  }
  return claims;
}

function readClaim(bytes: Buffer, slot: number, generation: number): NotedClaim {
  const count = Math.min(bytes.readUInt32LE(slotAt(slot) + 4), WINDOW_RECIPIENTS);
  const lanes = Array.from({ length: count }, (_, place): ClaimedLane => {
    const at = lanesAt(slot) + place * LANE;
    const campaignId = Number(bytes.readBigUInt64LE(at));
    return { campaignId, lane: bytes.readUInt16LE(at + 14), fence: bytes.readUIntLE(at + 8, 6) };
  });
  const left = new Set<string>();
  for (let record = 0; record < WINDOW_RECIPIENTS; record++) {
    const at = recordAt(slot, record);
    if (bytes.readUInt32LE(at + 8) !== generation) break;
    left.add(leftKey(bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * HIGH, bytes.readUInt32LE(at + 12)));
  }
  return { id: Number(bytes.readBigUInt64LE(slotAt(slot) + 8)), lanes, left };
}
