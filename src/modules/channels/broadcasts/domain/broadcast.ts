import type { ErrorHelp } from '../../../../kernel/app-error.js';
import { isSchedule } from '../../../../kernel/clock.js';
import { cleanContact, cleanContacts, contactFault } from '../../../../kernel/phone-number.js';
import { cutCodePoints, textOrNull } from '../../../../kernel/text.js';

/** A broadcast as a client wrote it; nothing is checked yet, every value may be of any type. */
export interface RawBroadcast {
  broadcast_name?: unknown;
  brodcast_service?: unknown;
  contacts?: unknown;
  message?: unknown;
  schedule_time?: unknown;
}

/** What every broadcast that passed its error table has (reference/sms#addbroadcastgsmphp). */
export interface Broadcast {
  /** at most 100 code points, longer ones are cut (reference/requests#values) */
  broadcastName: string;
  /** the wished route, stored as given up to 255 code points */
  service: string;
  message: string;
  /** digits, in order, duplicates kept */
  recipients: string[];
  /** `schedule_time` as given, of a form that is known: whether it is past is judged with the campaign */
  schedule: unknown;
}

/** Rows of the common error table that look at the request alone. */
export type BroadcastFault = 'fieldsRequired' | 'tooLong' | 'contactLength' | 'scheduleTime';

/** A row of the table that applies, and where. */
export interface BroadcastRefusal<Fault extends string> {
  fault: BroadcastFault | Fault;
  at?: ErrorHelp;
}

/** What the kind of broadcast adds to the common table. */
export interface BroadcastRules<Fault extends string> {
  /** true for a message that the kind's limits refuse (reference/sms#prices) */
  tooLong: (message: string) => boolean;
  /** rows of the kind's own fields, judged after the table's */
  ownRows?: readonly { fault: Fault; applies: boolean }[];
}

const NAME_LENGTH = 100;
const SERVICE_LENGTH = 255;
const CONTACT_DIGITS = { min: 9, max: 30 };

/** A number as both broadcasts take it; null for one that refuses the request. */
export const readBroadcastContact = (entry: unknown): string | null =>
  cleanContact(entry, CONTACT_DIGITS.min, CONTACT_DIGITS.max);

/**
 * Reads a broadcast and judges it by the error table that both broadcasts share (reference/sms#addbroadcastgsmphp):
 * from top to bottom, then the rows that are ours; the first that applies is the answer.
 */
export function readBroadcast<Fault extends string = never>(
  raw: RawBroadcast,
  rules: BroadcastRules<Fault>,
): { broadcast: Broadcast } | BroadcastRefusal<Fault> {
  const [name, service, message] = [raw.broadcast_name, raw.brodcast_service, raw.message].map(textOrNull);
  const contacts = Array.isArray(raw.contacts) ? (raw.contacts as unknown[]) : [];
  if (!name || !service || !message || contacts.length === 0) {
    const empty = { broadcast_name: name, brodcast_service: service, contacts: contacts.length, message };
    return {
      fault: 'fieldsRequired',
      at: { field: Object.entries(empty).find(([, value]) => !value)?.[0] ?? 'contacts' },
    };
  }
  if (rules.tooLong(message)) return { fault: 'tooLong' };
  const recipients = cleanContacts(contacts, CONTACT_DIGITS.min, CONTACT_DIGITS.max);
  if (!recipients)
    return { fault: 'contactLength', at: contactFault(contacts, CONTACT_DIGITS.min, CONTACT_DIGITS.max) };
  const own = rules.ownRows?.find((row) => row.applies);
  if (own) return { fault: own.fault };
  if (!isSchedule(raw.schedule_time)) return { fault: 'scheduleTime' };
  return {
    broadcast: {
      broadcastName: cutCodePoints(name, NAME_LENGTH),
      service: cutCodePoints(service, SERVICE_LENGTH),
      message,
      recipients,
      schedule: raw.schedule_time,
    },
  };
}
