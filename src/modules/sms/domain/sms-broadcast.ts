import { createHash } from 'node:crypto';
import { readMoment } from '../../../kernel/clock.js';
import { cleanContacts } from '../../../kernel/phone-number.js';
import { cutCodePoints, type ReadText, readText } from '../../../kernel/text.js';
import { priceOf } from './sms-price.js';

/** A broadcast as a client wrote it; nothing is checked yet, every value may be of any type. */
export interface RawSmsBroadcast {
  broadcast_name?: unknown;
  brodcast_service?: unknown;
  contacts?: unknown;
  message?: unknown;
  providermessageid?: unknown;
  provider_message_id?: unknown;
  providerMessageId?: unknown;
  schedule_time?: unknown;
}

/** A broadcast that passed every row of the error table. */
export interface SmsBroadcast {
  /** at most 100 code points, longer ones are cut (spec 8) */
  broadcastName: string;
  /** the wished route, stored as given up to 255 code points */
  service: string;
  message: string;
  /** digits, in order, duplicates kept */
  receivers: string[];
  /** credits per contact */
  unitCredits: number;
  /** caller-supplied request id */
  givenId: string | null;
  scheduledAt: Date | null;
}

/** Rows of the endpoint's error table that look at the request alone, in the order in which they are judged. */
export type SmsBroadcastFault = 'fieldsRequired' | 'tooLong' | 'contactLength' | 'requestIdFormat' | 'scheduleTime';

const NAME_LENGTH = 100;
const SERVICE_LENGTH = 255;
const CONTACT_DIGITS = { min: 9, max: 30 };
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,64}$/;
/** A DATETIME column ends with the year 9999. */
const LAST_MOMENT = Date.UTC(9999, 11, 30);

interface Fields {
  name: ReadText;
  service: ReadText;
  message: ReadText;
  contacts: readonly unknown[];
  givenId: ReadText;
  schedule: ReadText;
}

const hasText = (read: ReadText): read is { kind: 'text'; value: string } => read.kind === 'text';
const valueOf = (read: ReadText): string => (hasText(read) ? read.value : '');

/** The first alias that is not empty, in the order of spec 4.3. */
function firstGiven(...values: unknown[]): ReadText {
  return values.map(readText).find((read) => read.kind !== 'empty') ?? { kind: 'empty' };
}

const readFields = (raw: RawSmsBroadcast): Fields => ({
  name: readText(raw.broadcast_name),
  service: readText(raw.brodcast_service),
  message: readText(raw.message),
  contacts: Array.isArray(raw.contacts) ? (raw.contacts as unknown[]) : [],
  givenId: firstGiven(raw.providermessageid, raw.provider_message_id, raw.providerMessageId),
  schedule: readText(raw.schedule_time),
});

/** @returns the instant, null when none was asked for, or `undefined` when the text is odd or past (decisions §7) */
function readSchedule(schedule: ReadText, zone: string, at: Date): Date | null | undefined {
  if (schedule.kind === 'empty') return null;
  const moment = readMoment(valueOf(schedule).trim(), zone);
  return moment && moment >= at && moment.getTime() < LAST_MOMENT ? moment : undefined;
}

/**
 * The error table of spec 7 from top to bottom, then the rows that are ours (decisions §3): the first that applies
 * is the answer.
 */
const ROWS: readonly { fault: SmsBroadcastFault; applies: (fields: Fields, parsed: Parsed) => boolean }[] = [
  {
    fault: 'fieldsRequired',
    applies: ({ name, service, contacts, message }) =>
      !hasText(name) || !hasText(service) || contacts.length === 0 || !hasText(message),
  },
  { fault: 'tooLong', applies: (_fields, { unitCredits }) => unitCredits === null },
  { fault: 'contactLength', applies: (_fields, { receivers }) => receivers === null },
  {
    fault: 'requestIdFormat',
    applies: ({ givenId }) => givenId.kind !== 'empty' && !REQUEST_ID.test(valueOf(givenId)),
  },
  { fault: 'scheduleTime', applies: (_fields, { scheduledAt }) => scheduledAt === undefined },
];

interface Parsed {
  unitCredits: number | null;
  receivers: string[] | null;
  scheduledAt: Date | null | undefined;
}

/**
 * Reads a broadcast and judges it by the error table (spec 4.3, 7, 8; decisions §3, §5).
 * @param zone IANA zone in which `schedule_time` without an offset is meant
 * @param at the moment of the request: an earlier `schedule_time` is refused
 * @returns the broadcast, or the first row of the table that applies
 */
export function readSmsBroadcast(
  raw: RawSmsBroadcast,
  zone: string,
  at: Date,
): { broadcast: SmsBroadcast } | { fault: SmsBroadcastFault } {
  const fields = readFields(raw);
  const parsed: Parsed = {
    unitCredits: priceOf(valueOf(fields.message)).credits,
    receivers: cleanContacts(fields.contacts, CONTACT_DIGITS.min, CONTACT_DIGITS.max),
    scheduledAt: readSchedule(fields.schedule, zone, at),
  };
  const row = ROWS.find(({ applies }) => applies(fields, parsed));
  if (row) return { fault: row.fault };
  return {
    broadcast: {
      broadcastName: cutCodePoints(valueOf(fields.name), NAME_LENGTH),
      service: cutCodePoints(valueOf(fields.service), SERVICE_LENGTH),
      message: valueOf(fields.message),
      receivers: parsed.receivers ?? [],
      unitCredits: parsed.unitCredits ?? 0,
      givenId: hasText(fields.givenId) ? fields.givenId.value : null,
      scheduledAt: parsed.scheduledAt ?? null,
    },
  };
}

/**
 * SHA-256 over what makes two requests with one caller-supplied id the same request: account, broadcast_name,
 * brodcast_service, message and the cleaned contacts in order (decisions §5).
 */
export function fingerprintOf(accountId: number, broadcast: SmsBroadcast): Buffer {
  const { broadcastName, service, message, receivers } = broadcast;
  return createHash('sha256')
    .update(JSON.stringify(['sms', accountId, broadcastName, service, message]))
    .update(receivers.join(','))
    .digest();
}
