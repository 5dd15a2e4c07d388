import { createHash } from 'node:crypto';
import { invalid } from '../../../kernel/errors.js';
import { isRequestId } from '../../../kernel/ids.js';
import { readText, type ReadText } from '../../../kernel/text.js';
import {
  type RawSmsOptions,
  readSmsOptions,
  senderErrors,
  type SmsOptionFault,
  type SmsOptions,
} from '../../sender-ids/index.js';
import {
  type BroadcastRequest,
  broadcastErrors,
  type BroadcastFault,
  type BroadcastRefusal,
  type RawBroadcast,
  readBroadcast,
} from '../broadcasts/index.js';
import { priceOf } from './sms.channel.js';

export interface SmsBroadcastFields extends RawBroadcast, Pick<RawSmsOptions, 'sender_id' | 'dlt_template_id'> {
  providermessageid?: unknown;
  provider_message_id?: unknown;
  providerMessageId?: unknown;
}

/** An SMS broadcast that passed its error table. */
export interface SmsBroadcastRequest extends BroadcastRequest {
  givenId: string | null;
  options: SmsOptions;
}

export type SmsBroadcastFault = BroadcastFault | 'requestIdFormat' | SmsOptionFault;

/** The first alias that is not empty, in the order of reference/sms#addbroadcastgsmphp. */
function firstGiven(...values: unknown[]): ReadText {
  return values.map(readText).find((read) => read.kind !== 'empty') ?? { kind: 'empty' };
}

/** Validates an SMS broadcast (reference/sms#addbroadcastgsmphp). @returns it, or the first row of the table that applies */
export function readSmsBroadcastRequest(
  body: SmsBroadcastFields,
): { request: SmsBroadcastRequest } | BroadcastRefusal<'requestIdFormat' | SmsOptionFault> {
  const id = firstGiven(body.providermessageid, body.provider_message_id, body.providerMessageId);
  const givenId = id.kind === 'text' ? id.value : null;
  const badId = id.kind === 'fault' || (givenId !== null && !isRequestId(givenId));
  // this endpoint has no validity
  const said = readSmsOptions({ sender_id: body.sender_id, dlt_template_id: body.dlt_template_id });
  const read = readBroadcast<'requestIdFormat' | SmsOptionFault>(body, {
    tooLong: (message) => priceOf(message).credits === null,
    ownRows: [
      { fault: 'requestIdFormat', applies: badId },
      ...('fault' in said ? [{ fault: said.fault, applies: true }] : []),
    ],
  });
  if ('fault' in read) return read;
  if ('fault' in said) return said;
  return { request: { ...read.request, givenId, options: said.options } };
}

/** SHA-256 of what identifies a request under a caller-supplied id (reference/sms#own-ids). */
export function fingerprintOf(accountId: number, request: SmsBroadcastRequest): Buffer {
  const { broadcastName, service, message, recipients, options } = request;
  const { senderId, dltTemplateId } = options;
  // Without these options the fingerprint equals that of older versions.
  const further = senderId === null && dltTemplateId === null ? [] : [senderId, dltTemplateId];
  return createHash('sha256')
    .update(JSON.stringify(['sms', accountId, broadcastName, service, message, ...further]))
    .update(recipients.join(','))
    .digest();
}

/** Errors of the SMS endpoints, literally (reference/sms#addbroadcastgsmphp). */
export const smsErrors = {
  ...broadcastErrors,
  ...senderErrors,
  tooLong: broadcastErrors.tooLong.because('over 612 septets of GSM text or 331 Unicode units'),
  requestIdFormat: invalid(
    'request_id_format',
    'providermessageid must be 1 to 64 characters of A-Z a-z 0-9 . _ : -',
    'caller-supplied id out of form',
  ).with({ field: 'providermessageid', hint: 'Leave it out, and an id is made.' }),
  httpSendRequired: invalid(
    'fields_required',
    'username, password, message, and number are required',
    'a parameter is missing, empty or given twice',
  ).with({ hint: 'All four stand in the query, once each, encoded as a URL wants it (a + as %2B).' }),
};
