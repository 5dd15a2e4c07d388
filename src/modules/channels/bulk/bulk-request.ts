import { type AppError, fieldErrors } from '../../../kernel/errors.js';
import { isSchedule } from '../../../kernel/clock.js';
import { readId } from '../../../kernel/ids.js';
import { JsonRecords } from '../../../kernel/json-records.js';
import { MessageTemplate } from '../../../kernel/message-template.js';
import type { JsonObject } from '../../../kernel/json-values.js';
import { codePoints, cutCodePoints, readText, textOrNull } from '../../../kernel/text.js';
import { acceptanceErrors, type Content, Submissions } from '../../engine/index.js';
import { isCategory } from '../../routing/index.js';
import { readSmsOptions, senderErrors, type SmsOptions } from '../../sender-ids/index.js';
import { textFault } from '../personalised/index.js';
import { readTemplateReference, type TemplateReference, templateRequestErrors } from '../template-messages/index.js';
import { attachmentErrors, readAttachments } from '../unofficial-chat/index.js';
import type { Skipping } from './skipped-recipients.js';
import {
  BULK_CHANNEL_NAMES,
  type BulkChannelName,
  bulkErrors,
  LONGEST_TEXT,
  MOST_IN_BODY,
  RECIPIENT_FIELDS,
  type RecipientField,
} from './bulk.errors.js';

/** Content of a personalised send, as read from the body alone. */
type BulkContent =
  | {
      kind: 'text';
      content: Content;
      /** names of the placeholders */
      names: readonly string[];
      options?: SmsOptions;
    }
  | {
      kind: 'template';
      reference: Omit<TemplateReference, 'language'> & { language: TemplateReference['language'] | null };
      flatten: boolean;
    };

/** @throws AppError the first row of the table that applies (reference/bulk#errors) */
function readBulkContent(channel: BulkChannelName, body: JsonObject): BulkContent {
  if (channel === 'template' || channel === 'branded') {
    const read = readTemplateReference(body['template'], true);
    if ('fault' in read) throw templateRequestErrors[read.fault]();
    const flatten = body['flatten'] ?? false;
    if (typeof flatten !== 'boolean') throw bulkErrors.flatten('flatten');
    return { kind: 'template', reference: read.reference, flatten };
  }
  const message = textOrNull(body['message']);
  if (message === null) throw bulkErrors.message('message');
  if (codePoints(message) > LONGEST_TEXT) throw bulkErrors.messageTooLong('message', LONGEST_TEXT);
  const read = MessageTemplate.parse(message);
  if ('fault' in read) throw textFault('message', read);
  const content = { message, ...(message.includes('{{') && { personalised: true }) };
  const text = { kind: 'text', names: read.template.names } as const;
  if (channel === 'sms') return { ...text, content, options: optionsOf(body) };
  return { ...text, content: { ...content, ...attachmentsOf(body) } };
}

function optionsOf(body: JsonObject): SmsOptions {
  const read = readSmsOptions(body);
  if ('fault' in read) throw senderErrors[read.fault]();
  return read.options;
}

function attachmentsOf(body: JsonObject): Content {
  const read = readAttachments(body);
  if ('fault' in read) throw attachmentErrors[read.fault]();
  return { ...read.attachments, media_with_caption: read.mediaWithCaption };
}

export type BulkRecipients =
  | { field: 'recipients' | 'contacts'; entries: readonly unknown[] | JsonRecords }
  | { field: 'upload_id' | 'list_id'; id: number };

/** A personalised send whose body passed its error table; its recipients are not validated yet. */
export interface BulkRequest {
  channel: BulkChannelName;
  broadcastName: string;
  /** name of the requested route; null = the default */
  route: string | null;
  category: string | null;
  content: BulkContent;
  recipients: BulkRecipients;
  skipping: Skipping;
  schedule: unknown;
  late: ReturnType<typeof Submissions.lateOf>;
}

const NAME_LENGTH = 100;
const SERVICE_LENGTH = 255;

/** Fields that only these channels accept. */
const CHANNELS_OF: Readonly<Record<string, readonly BulkChannelName[]>> = {
  message: ['sms', 'unofficial'],
  template: ['template', 'branded'],
  flatten: ['template', 'branded'],
  sender_id: ['sms'],
  dlt_template_id: ['sms'],
  validity_s: ['sms'],
  img1: ['unofficial'],
  img2: ['unofficial'],
  document: ['unofficial'],
  media_with_caption: ['unofficial'],
  route: ['sms', 'unofficial'],
  category: ['sms', 'unofficial'],
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

const TELLING = ['broadcast_name', 'recipients', 'upload_id', 'list_id', 'template'];

/** For Swagger: a body for which `isBulkBody` is false. */
export const NO_BULK_BODY = { not: { anyOf: TELLING.map((field) => ({ required: [field] })) } };

/** True when a quote is asked for a personalised send, not for a message and contacts (reference/bulk#quote). */
export const isBulkBody = (body: JsonObject): boolean => TELLING.some((field) => isGiven(body[field]));

/** Validates a personalised send. @throws AppError the first row that applies (reference/bulk#errors) */
export function readBulkRequest(body: JsonObject): BulkRequest {
  const channel = BULK_CHANNEL_NAMES.find((name) => name === body['channel']);
  if (!channel) throw bulkErrors.channel('channel', BULK_CHANNEL_NAMES);
  for (const [field, channels] of Object.entries(CHANNELS_OF)) {
    if (isGiven(body[field]) && !channels.includes(channel)) throw fieldErrors.foreign(field, channel);
  }
  const name = textOrNull(body['broadcast_name']);
  if (name === null) throw bulkErrors.name('broadcast_name');
  const field = fieldOf(body);
  const content = readBulkContent(channel, body);
  const skipping = {
    removeDuplicates: flagOf(body, 'remove_duplicates'),
    skipInvalid: flagOf(body, 'skip_invalid'),
  };
  const route = readText(body['route']);
  if (route.kind === 'fault') throw bulkErrors.route('route');
  const category = readText(body['category']);
  if (category.kind === 'fault' || (category.kind === 'text' && !isCategory(category.value)))
    throw bulkErrors.category('category');
  if (!isSchedule(body['schedule_time'])) throw acceptanceErrors.scheduleTime();
  return {
    channel,
    broadcastName: cutCodePoints(name, NAME_LENGTH),
    route: route.kind === 'text' ? cutCodePoints(route.value, SERVICE_LENGTH) : null,
    category: category.kind === 'text' ? category.value : null,
    content,
    recipients: recipientsOf(field, body[field]),
    skipping,
    schedule: body['schedule_time'],
    late: Submissions.lateOf(body),
  };
}

function flagOf(body: JsonObject, field: string): boolean {
  const value = body[field] ?? false;
  if (typeof value !== 'boolean') throw fieldErrors.noFlag(field);
  return value;
}

function fieldOf(body: JsonObject): RecipientField {
  const [field, ...more] = RECIPIENT_FIELDS.filter((name) => isGiven(body[name]));
  if (!field || more.length > 0) throw bulkErrors.oneField();
  return field;
}

function recipientsOf(field: RecipientField, value: unknown): BulkRecipients {
  if (field === 'upload_id' || field === 'list_id') {
    const id = readId(textOrNull(value) ?? '');
    if (id === null) throw idFault(field);
    return { field, id };
  }
  const isList = Array.isArray(value) || value instanceof JsonRecords;
  if (!isList || value.length === 0) throw bulkErrors.list(field);
  if (value.length > MOST_IN_BODY) throw bulkErrors.tooMany(field, MOST_IN_BODY);
  return { field, entries: value };
}

const idFault = (field: string): AppError => bulkErrors.id(field);
