import { objectOrEmpty, objectOrNull } from '../../../kernel/json-values.js';
import { readRecipient, type RecipientFault } from '../../../kernel/contacts.js';
import { isTooLargeJson, readText, textOrNull } from '../../../kernel/text.js';
import { Submissions } from '../../engine/index.js';
import type { GivenNumbers } from '../../numbers/index.js';
import { type Language, readLanguage } from '../../templates/index.js';
import { flattenedComponents, type TemplateComponent } from './template-parameters.js';
import type { TemplateRequestFault } from './template-messages.errors.js';

export interface TemplateRequest extends TemplateReference {
  /** digits, in order, duplicates kept */
  receivers: string[];
  /** `to` was a text: one message, no campaign */
  single: boolean;
  schedule: unknown;
  late: ReturnType<typeof Submissions.lateOf>;
}

/** Most numbers of one chatTemplate request (reference/template-messages#fields). */
const MOST_RECIPIENTS = 30_000;

interface Recipients {
  single: boolean;
  receivers: string[];
  /** fault checked before the template's rows */
  early: TemplateRequestFault | null;
  /** fault checked after them */
  late: TemplateRequestFault | null;
}

export type RecipientsReader = (to: unknown) => Recipients;

/** One plain loop: 30,000 numbers take a few milliseconds. @returns the valid digits, and the faults that occurred */
function cleanRecipients(entries: readonly unknown[]): { digits: string[] } & Record<RecipientFault, boolean> {
  const found = { digits: [] as string[], invalid: false, length: false };
  for (const entry of entries) {
    const read = readRecipient(entry);
    if ('digits' in read) found.digits.push(read.digits);
    else found[read.fault] = true;
  }
  return found;
}

/** `to` of chatTemplate: one number or up to 30,000; one bad number refuses the request. */
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

/** `to` of chatBranded: an array; bad numbers are left out. */
export function readBrandedRecipients(to: unknown): Recipients {
  const read = { single: false, receivers: [] as string[], late: null };
  if (!Array.isArray(to) || to.length === 0) return { ...read, early: 'toOfCampaign' };
  const { digits } = cleanRecipients(to as unknown[]);
  return { ...read, receivers: digits, early: digits.length === 0 ? 'noneValid' : null };
}

export const readTemplateRecipient = (entry: unknown): string | null => {
  const read = readRecipient(entry);
  return 'digits' in read ? read.digits : null;
};

/** The recipients of a valid request, as given and as read. */
export function givenRecipients(body: unknown): GivenNumbers {
  const { to } = objectOrEmpty(body);
  const entries = Array.isArray(to) ? (to as unknown[]) : [to];
  return { field: 'to', entries, taken: (index) => readTemplateRecipient(entries[index]) };
}

/** Optional components; null = not an array of objects. */
function readComponents(value: unknown): TemplateComponent[] | null {
  if (!Array.isArray(value)) return readText(value).kind === 'empty' ? [] : null;
  const objects = (value as unknown[]).map(objectOrNull);
  return objects.includes(null) ? null : (objects as TemplateComponent[]);
}

export interface TemplateReference {
  templateName: string;
  language: Language;
  components: TemplateComponent[];
}

type ReferenceFault = Extract<
  TemplateRequestFault,
  'template' | 'name' | 'language' | 'components' | 'componentsTooLarge'
>;

/** Reads `template`. @param isOpen true = the language is optional, and a text is the template's name */
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

/** Validates a template send by the rows of reference/template-messages#errors about the request. @returns the first fault */
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
  const { components: given } = template.reference;
  const components = fields['flatten'] === true ? flattenedComponents(given) : given;
  const late = Submissions.lateOf(fields);
  return { request: { receivers, single, ...template.reference, components, schedule, late } };
}
