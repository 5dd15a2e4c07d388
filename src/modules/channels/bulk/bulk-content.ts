import { MessageTemplate } from '../../../kernel/message-template.js';
import type { JsonObject } from '../../../kernel/objects.js';
import { codePoints, textOrNull } from '../../../kernel/text.js';
import type { Content } from '../../engine/index.js';
import { readSmsOptions, senderErrors, type SmsOptions } from '../../sender-ids/index.js';
import { textFault } from '../personalised/index.js';
import { readTemplateReference, type TemplateReference, templateRequestErrors } from '../template-messages/index.js';
import { attachmentErrors, readAttachments } from '../unofficial-chat/index.js';
import { type BulkChannelName, bulkErrors, LONGEST_TEXT } from './bulk.errors.js';

/** What a personalised send says, as far as the body alone tells it. */
export type BulkContent =
  | {
      kind: 'text';
      content: Content;
      /** of the placeholders */
      names: readonly string[];
      /** of SMS: what leaves beside the text */
      options?: SmsOptions;
    }
  | {
      kind: 'template';
      reference: Omit<TemplateReference, 'language'> & { language: TemplateReference['language'] | null };
    };

/** @throws AppError the first row of the table that applies (reference/bulk#errors) */
export function readBulkContent(channel: BulkChannelName, body: JsonObject): BulkContent {
  if (channel === 'template' || channel === 'branded') {
    const read = readTemplateReference(body['template'], true);
    if ('fault' in read) throw templateRequestErrors[read.fault]();
    return { kind: 'template', reference: read.reference };
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
