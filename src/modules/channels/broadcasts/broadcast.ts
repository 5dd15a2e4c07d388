import { Injectable } from '@nestjs/common';
import { type ErrorHelp, type DefinedError, invalid } from '../../../kernel/errors.js';
import { isSchedule } from '../../../kernel/clock.js';
import { cleanContact, cleanContacts, contactFault } from '../../../kernel/contacts.js';
import { cutCodePoints, textOrNull } from '../../../kernel/text.js';
import type { AnswerWarning } from '../../../platform/http/index.js';
import { acceptanceErrors, Submissions } from '../../engine/index.js';
import type { GivenNumbers } from '../../numbers/index.js';
import { DriverRegistry, isTestRoute, RouteDirectory } from '../../providers/index.js';

/** A broadcast as the client sent it; each value may be of any type. */
export interface BroadcastFields {
  broadcast_name?: unknown;
  brodcast_service?: unknown;
  contacts?: unknown;
  message?: unknown;
  schedule_time?: unknown;
  late?: unknown;
  late_after_s?: unknown;
}

/** A broadcast that passed its error table (reference/sms#addbroadcastgsmphp). */
export interface BroadcastRequest {
  /** at most 100 code points; longer names are cut (reference/requests#values) */
  broadcastName: string;
  /** requested route, cut at 255 code points */
  service: string;
  message: string;
  /** digits, in order, duplicates kept */
  recipients: string[];
  /** `schedule_time` as given, in a known form; a past time is refused with the campaign */
  schedule: unknown;
  late: ReturnType<typeof Submissions.lateOf>;
}

export type BroadcastFault = 'fieldsRequired' | 'tooLong' | 'contactLength' | 'scheduleTime';

export interface BroadcastRefusal<Fault extends string> {
  fault: BroadcastFault | Fault;
  at?: ErrorHelp;
}

/** Rules of one kind of broadcast, beside the shared table. */
export interface BroadcastRules<Fault extends string> {
  tooLong: (message: string) => boolean;
  ownRows?: readonly { fault: Fault; applies: boolean }[];
}

const NAME_LENGTH = 100;
const SERVICE_LENGTH = 255;
const CONTACT_DIGITS = { min: 9, max: 30 };

/** A contact's digits; null refuses the whole request. */
export const readBroadcastContact = (entry: unknown): string | null =>
  cleanContact(entry, CONTACT_DIGITS.min, CONTACT_DIGITS.max);

/** Validates a broadcast by the shared error table (reference/sms#addbroadcastgsmphp); the first row that applies wins. */
export function readBroadcastRequest<Fault extends string = never>(
  body: BroadcastFields,
  rules: BroadcastRules<Fault>,
): { request: BroadcastRequest } | BroadcastRefusal<Fault> {
  const [name, service, message] = [body.broadcast_name, body.brodcast_service, body.message].map(textOrNull);
  const contacts = Array.isArray(body.contacts) ? (body.contacts as unknown[]) : [];
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
  if (!isSchedule(body.schedule_time)) return { fault: 'scheduleTime' };
  return {
    request: {
      broadcastName: cutCodePoints(name, NAME_LENGTH),
      service: cutCodePoints(service, SERVICE_LENGTH),
      message,
      recipients,
      schedule: body.schedule_time,
      late: Submissions.lateOf(body),
    },
  };
}

/** The contacts of a valid broadcast, as given and as read. */
export const givenContacts = (
  { contacts }: BroadcastFields,
  { recipients }: Pick<BroadcastRequest, 'recipients'>,
): GivenNumbers => ({
  field: 'contacts',
  entries: contacts as unknown[],
  taken: (index) => recipients[index] ?? null,
});

/** Errors of both broadcasts: the texts of reference/sms#addbroadcastgsmphp, literally. */
export const broadcastErrors = {
  fieldsRequired: invalid(
    'fields_required',
    'broadcast_name, brodcast_service, contacts, and message are required',
    'a required field is missing or empty',
  ).with({ hint: 'contacts is a non-empty array; the other three are texts that are not blank.' }),
  tooLong: invalid('message_too_long', 'Message is too long').with({
    field: 'message',
    hint: 'Shorten the text. `POST /v6/api/campaigns/quote` counts its length, and names the characters that make it Unicode.',
  }),
  contactLength: invalid(
    'contact_length',
    'Each contact number must be between 9 and 30 digits',
    'a contact is out of range after cleanup; the whole request fails',
  ).with({ field: 'contacts', hint: 'Write each number with its country code; all but digits is removed.' }),
  scheduleTime: acceptanceErrors.scheduleTime,
} satisfies Record<BroadcastFault, DefinedError>;

/** Clients also send this when they want no particular route. */
const ANY = 'default';

interface Asked {
  field?: string;
  hasDlt?: boolean;
}

/** Hints when a broadcast leaves by another route than requested, or by one that drops a part of the request. */
@Injectable()
export class UsedRoutes {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
  ) {}

  /** @param service name of the requested route @param routeId route of most recipients */
  async of(
    service: string,
    { routeId }: { routeId?: number | undefined },
    { field = 'brodcast_service', hasDlt = false }: Asked = {},
  ): Promise<AnswerWarning[]> {
    const route = routeId === undefined ? null : await this.routes.byId(routeId);
    if (!route || isTestRoute(route.id)) return [];
    const warnings: AnswerWarning[] = [];
    if (route.name !== service && service !== ANY) {
      const message = `${field} names no route of this channel that the account may use: ${route.name} is used`;
      warnings.push({ code: 'unknown_route', field, message });
    }
    if (hasDlt && !this.drivers.sendsDlt(route)) {
      const message = `The route ${route.name} has no place for dlt_template_id: messages leave over it without the id`;
      warnings.push({ code: 'dlt_not_sent', field: 'dlt_template_id', message });
    }
    return warnings;
  }
}
