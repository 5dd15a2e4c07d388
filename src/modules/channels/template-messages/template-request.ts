import { objectOrEmpty, objectOrNull } from '../../../kernel/json-values.js';
import { readRecipient, type RecipientFault } from '../../../kernel/contacts.js';
import { isTooLargeJson, readText, textOrNull } from '../../../kernel/text.js';
import { type Language, readLanguage } from '../../templates/index.js';
import type { TemplateComponent } from './template-parameters.js';
import type { TemplateRequestFault } from './template-messages.errors.js';

/** A request that passed the rows of the error table that look at it alone. */
export interface TemplateRequest extends TemplateReference {
  /** digits, in order, duplicates kept */
  receivers: string[];
  /** `to` was one text: one message, no campaign */
  single: boolean;
  /** `schedule_time` as given */
  schedule: unknown;
}

/** Most numbers of one chatTemplate request (reference/template-messages#fields). */
const MOST_RECIPIENTS = 30_000;

/** `to` as read: the digits, and the first fault of its rows. */
interface Recipients {
  single: boolean;
  receivers: string[];
  /** of the rows before the template's */
  early: TemplateRequestFault | null;
  /** of the rows after it */
  late: TemplateRequestFault | null;
}

/** What `to` may be at an endpoint. */
export type RecipientsReader = (to: unknown) => Recipients;

/**
 * Every number in one plain loop: 30,000 in a few milliseconds.
 * @returns the digits of the valid ones, and whether any was invalid or of a wrong length
 */
function cleanRecipients(entries: readonly unknown[]): { digits: string[] } & Record<RecipientFault, boolean> {
  const found = { digits: [] as string[], invalid: false, length: false };
  for (const entry of entries) {
    const read = readRecipient(entry);
    if ('digits' in read) found.digits.push(read.digits);
    else found[read.fault] = true;
  }
  return found;
}

/** `to` of chatTemplate: one number or up to 30,000; a bad one refuses the request. */
export function readTemplateRecipients(to: unknown): Recipients {
  const single = !Array.isArray(to);
  const entries: unknown[] = single ? (readText(to).kind === 'text' ? [to] : []) : (to as unknown[]);
  const refused = { single, receivers: [], late: null };
  if (entries.length === 0) return { ...refused, early: 'toRequired' };
  if (entries.length > MOST_RECIPIENTS) return { ...refused, early: 'tooMany' };
  const { digits, invalid, length } = cleanRecipients(entries);
  return {
    single,
    receivers: digits,
    early: null,
    late: invalid ? 'recipientInvalid' : length ? 'recipientLength' : null,
  };
}

/** `to` of chatBranded: always an array; what is no number is left out. */
export function readBrandedRecipients(to: unknown): Recipients {
  const read = { single: false, receivers: [] as string[], late: null };
  if (!Array.isArray(to) || to.length === 0) return { ...read, early: 'toOfCampaign' };
  const { digits } = cleanRecipients(to as unknown[]);
  return { ...read, receivers: digits, early: digits.length === 0 ? 'noneValid' : null };
}

/** An optional array of objects; null = something else. */
function readComponents(value: unknown): TemplateComponent[] | null {
  if (!Array.isArray(value)) return readText(value).kind === 'empty' ? [] : null;
  const objects = (value as unknown[]).map(objectOrNull);
  return objects.includes(null) ? null : (objects as TemplateComponent[]);
}

/** `template` of a request, as far as it is judged without the template itself. */
export interface TemplateReference {
  templateName: string;
  language: Language;
  components: TemplateComponent[];
}

type ReferenceFault = Extract<
  TemplateRequestFault,
  'template' | 'name' | 'language' | 'components' | 'componentsTooLarge'
>;

/**
 * Reads `template`: an object with a name, a language and components.
 * @param isOpen a language need not be given, and a text is the name alone
 */
export function readTemplateReference(
  value: unknown,
  isOpen?: false,
): { reference: TemplateReference } | { fault: ReferenceFault };
export function readTemplateReference(
  value: unknown,
  isOpen: true,
): { reference: Omit<TemplateReference, 'language'> & { language: Language | null } } | { fault: ReferenceFault };
export function readTemplateReference(
  value: unknown,
  isOpen = false,
): { reference: Omit<TemplateReference, 'language'> & { language: Language | null } } | { fault: ReferenceFault } {
  const template = isOpen && typeof value === 'string' ? { name: value } : objectOrNull(value);
  if (!template) return { fault: 'template' };
  const name = textOrNull(template['name']);
  if (name === null) return { fault: 'name' };
  const given = template['language'];
  const isGiven = !isOpen || (given !== undefined && given !== null);
  const language = isGiven ? readLanguage(objectOrNull(given)?.['code']) : null;
  if (isGiven && !language) return { fault: 'language' };
  const components = readComponents(template['components']);
  if (!components) return { fault: 'components' };
  if (isTooLargeJson(components)) return { fault: 'componentsTooLarge' };
  return { reference: { templateName: name, language, components } };
}

/**
 * Reads a template send and judges it by the rows of reference/template-messages#errors that look at the request alone,
 * from top to bottom.
 * @returns the request, or the first row that applies
 */
export function readTemplateRequest(
  body: unknown,
  readRecipients: RecipientsReader,
): { request: TemplateRequest } | { fault: TemplateRequestFault } {
  const fields = objectOrEmpty(body);
  const recipients = readRecipients(fields['to']);
  const template = readTemplateReference(fields['template']);
  if (fields['messaging_product'] !== 'chat') return { fault: 'product' };
  if (recipients.early) return { fault: recipients.early };
  if (fields['type'] !== 'template') return { fault: 'type' };
  if ('fault' in template) return template;
  if (recipients.late) return { fault: recipients.late };
  const { receivers, single } = recipients;
  const schedule = fields['schedule_time'];
  return { request: { receivers, single, ...template.reference, schedule } };
}
