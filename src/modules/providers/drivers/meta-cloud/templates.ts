import { inflateSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { AppError, upstream } from '../../../../kernel/errors.js';
import { objectOrEmpty } from '../../../../kernel/json-values.js';
import type { ChatAccount } from '../../chat-account.js';
import { acceptedBody, isTemporary, providerErrorCode, providerErrorText, textOf, throttleMs } from './answers.js';
import { type GraphAnswer, MetaCloudClient } from './graph-client.js';
import { type UploadedFile, uploadFile } from './resumable-upload.js';

export type HeaderMedium = 'Image' | 'Document' | 'Video';

/** Deflated, in base64: a blue square of 160 × 160. */
const PNG = [
  'eNrrDPBz5+WS4mJgYOD19HAJAtILQJiDCUiyrP1QxcDAyOnp4hhScevtRUdeBgaOIxuCmw15lATFbTwma0YE21bF6DDoHGCCIJ6IBlYIktjA',
  'wA1DzGIJjBDEhkVlRAMjNpVvmGBMsQSYJp0DCE1INhhgU4nVLQYJ4vidhWwDurPubpue7K3O8+plATBsGDxd/VzWOSU0AQBUiVEN',
];

/** Deflated, in base64: a page that says "Sample". */
const PDF = [
  'eNptkVFvwiAUhd/5FffFZHvYgBbqTEwfdJol2zKjfTM+oL3tamoxgIvbrx9UYzMdCRA+zj0coDd7nj7wR0E4MNDrLRkOafa9RzpWTtW6pDNV',
  'ooXI787TlGCTB1F0JW5F9LXK7TIOyhUd60PjgHcl8T8lfjDoZa07fce8UiN9XDK/lAMJTyJa0TlafTAbtL5wqhsXJg7ylCdN/UGN8x4WxN+I',
  'ojvvDZvSfULcT1PrDKodGWUQXCIBWQEJg77vWQ53C7Xb13gP2RYmWXA668+e8uoOIQ9dHNYuLALhdKQstvgF6y901UZ1kY4GC8IgIezSIJEy',
  'llBAxwZw2mk6JsUN40zesIj3b1jMeMecUVWNxsdfVD8ICZ1r7T/p/HDWKePajHEiSK83+ZiSXybNkys=',
];

/** Deflated, in base64: two seconds of the square (H.264). */
const MP4 = [
  'eNpjYGCQSCupLMgtMDFiAAIQnVmcnwtkdqQVpaYyDDyYm5uSWAKki1J3CP7//0Op68cDxj6GkzstocBcnVagAWgrZ+JD+QMedeoHtgI5rImP',
  '5NgiwIzHYAZTeW5+fhlQICe3LCMF5Nrn6g6OIMzAGD+BgWm/AgMjAwghACOa99D4DvgDgwmIJTLzU4pBHIGGhgZ2Bv/////X/wca9LqkKDEb',
  'KBxTkg12CyPcLTBbQO5hwG8/VvcsgGIGxvbclMxEIEMhNwW7f0OPgLUpZqTkFMHMKMtMQU9IjHa5mXlpQIZIWS7EsUiSKikQOZmUotQ0JGfx',
  'lBblKEDZ/4pLknKAdFtxSXEKkpqyxLJkQxxeA3liAYMHkPaAqeDzCgvRdwxzVnDOB1qajhngEv//g7wLNNWZ0YmB+/9DBo50IL2sqTWFkYE1',
  '4xzzHFAqkSguKSlGspWFgWH9CZBPgK6rQjKNBeRCIOYFpSwolgGqSUbSywiNZkaIucn5SFG/AiisPVjyJgDQHYKP',
];

const unpacked = (lines: readonly string[]): Buffer => inflateSync(Buffer.from(lines.join(''), 'base64'));

const SAMPLES: Readonly<Record<HeaderMedium, UploadedFile>> = {
  Image: { name: 'sample.png', mimeType: 'image/png', bytes: unpacked(PNG) },
  Document: { name: 'sample.pdf', mimeType: 'application/pdf', bytes: unpacked(PDF) },
  Video: { name: 'sample.mp4', mimeType: 'video/mp4', bytes: unpacked(MP4) },
};

/** The sample for reviewers when the owner gave none (reference/templates#samples). */
export const sampleOf = (medium: HeaderMedium): UploadedFile => SAMPLES[medium];

export interface TemplateSubmission {
  name: string;
  category: 'marketing' | 'utility' | 'auth';
  language: string;
  header: { text: string; example: string | null } | { medium: HeaderMedium; sample: UploadedFile | null } | null;
  body: string;
  /** one for each placeholder of the body */
  bodyExamples: readonly string[];
  footer: string;
  quickReplies: readonly string[];
  /** further buttons, in the provider's shape */
  buttons: readonly Readonly<Record<string, unknown>>[];
}

export interface TemplateCopy {
  id: string;
  name: string;
  language: string;
  /** upper case: `PENDING`, `APPROVED`, `REJECTED` … */
  status: string;
  reason: string | null;
  /** upper case; the provider may have chosen another than the submitted one. null = it does not say */
  category: string | null;
}

export type TemplateAccount = ChatAccount & { wabaId: string };

const CATEGORIES = { marketing: 'MARKETING', utility: 'UTILITY', auth: 'AUTHENTICATION' } as const;
const FORMATS: Readonly<Record<HeaderMedium, string>> = { Image: 'IMAGE', Document: 'DOCUMENT', Video: 'VIDEO' };
const COPY_FIELDS = 'id,name,language,status,category,rejected_reason';
/** More than a name has languages. */
const MOST_COPIES = '100';
/** Token refused, no permission: the account's set-up is at fault, not the template. */
const SETUP_CODES: ReadonlySet<number> = new Set([10, 102, 104, 190, 200]);

/** The template API of a business account. @throws AppError `unprocessable` = refused for good, `upstream` = retry */
@Injectable()
export class TemplateClient {
  constructor(private readonly client: MetaCloudClient) {}

  /** Components for `create` and `edit`; uploads a header's sample for the reviewers. */
  async components(account: TemplateAccount, template: TemplateSubmission): Promise<Record<string, unknown>[]> {
    const { header } = template;
    const isMedium = header !== null && 'medium' in header && template.category !== 'auth';
    return componentsOf(template, isMedium ? await this.upload(account, header.sample ?? sampleOf(header.medium)) : '');
  }

  /** Submits a new template. @returns the provider's copy */
  async create(
    account: TemplateAccount,
    template: TemplateSubmission,
    components: readonly Record<string, unknown>[],
  ): Promise<TemplateCopy> {
    const { name, language, category } = template;
    const json = { name, language, category: CATEGORIES[category], components };
    const path = `${encodeURIComponent(account.wabaId)}/message_templates`;
    const body = bodyOf(await this.client.request(account, { method: 'POST', path, json }));
    const status = typeof body['status'] === 'string' ? body['status'] : 'PENDING';
    return { id: textOf(body, 'id'), name, language, status, reason: null, category: wordOf(body['category']) };
  }

  /** Replaces the content of a template; the provider reviews it again. */
  async edit(
    account: TemplateAccount,
    id: string,
    template: TemplateSubmission,
    components: readonly Record<string, unknown>[],
  ): Promise<void> {
    const json = { category: CATEGORIES[template.category], components };
    bodyOf(await this.client.request(account, { method: 'POST', path: encodeURIComponent(id), json }));
  }

  /** All languages of exactly this name. */
  async find(account: TemplateAccount, name: string): Promise<TemplateCopy[]> {
    const path = `${encodeURIComponent(account.wabaId)}/message_templates`;
    const query = { name, fields: COPY_FIELDS, limit: MOST_COPIES };
    const { data } = bodyOf(await this.client.request(account, { method: 'GET', path, query }));
    return (Array.isArray(data) ? (data as unknown[]) : []).flatMap(copyOf).filter((copy) => copy.name === name);
  }

  /** Removes a template; a missing one counts as removed. */
  async remove(account: TemplateAccount, { id, name }: Pick<TemplateCopy, 'id' | 'name'>): Promise<void> {
    const path = `${encodeURIComponent(account.wabaId)}/message_templates`;
    const answer = await this.client.request(account, { method: 'DELETE', path, query: { hsm_id: id, name } });
    if (answer.status !== 404) bodyOf(answer);
  }

  /** A refused file is not the template's fault: the account's application may be wrong. */
  private async upload(account: TemplateAccount, file: UploadedFile): Promise<string> {
    try {
      return await uploadFile(this.client, account, file);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw sampleRefused(error.message);
    }
  }
}

const sampleRefused = upstream('sample_refused', (text: string) => text);
const providerBusy = upstream('provider_busy', (text: string) => text);

/** Refusals differ in whether a retry makes sense. */
function bodyOf(answer: GraphAnswer): Record<string, unknown> {
  const code = providerErrorCode(answer.body);
  const again =
    answer.status === 401 ||
    answer.status === 403 ||
    answer.status === 429 ||
    throttleMs(code) !== null ||
    isTemporary(code) ||
    (code !== null && SETUP_CODES.has(code));
  if (answer.status >= 300 && again) {
    throw providerBusy(providerErrorText(answer.body));
  }
  return acceptedBody(answer);
}

const wordOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

function copyOf(item: unknown): TemplateCopy[] {
  const { id, name, language, status, category, rejected_reason: reason } = objectOrEmpty(item);
  if (typeof id !== 'string' || typeof name !== 'string') return [];
  const isReason = typeof reason === 'string' && reason !== '' && reason !== 'NONE';
  const words = { language: String(language), status: String(status), category: wordOf(category) };
  return [{ id, name, ...words, reason: isReason ? reason : null }];
}

function componentsOf(template: TemplateSubmission, handle: string): Record<string, unknown>[] {
  return template.category === 'auth' ? authComponents() : [...headerOf(template, handle), ...textsOf(template)];
}

/** The provider writes authentication templates: a body with one code, and a copy button. */
const authComponents = (): Record<string, unknown>[] => [
  { type: 'BODY', add_security_recommendation: true },
  { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
];

function headerOf({ header }: TemplateSubmission, handle: string): Record<string, unknown>[] {
  if (!header) return [];
  if ('medium' in header) {
    return [{ type: 'HEADER', format: FORMATS[header.medium], example: { header_handle: [handle] } }];
  }
  const example = header.example === null ? {} : { example: { header_text: [header.example] } };
  return [{ type: 'HEADER', format: 'TEXT', text: header.text, ...example }];
}

function textsOf({ body, bodyExamples, footer, quickReplies, buttons }: TemplateSubmission): Record<string, unknown>[] {
  const example = bodyExamples.length === 0 ? {} : { example: { body_text: [bodyExamples] } };
  const all = [...quickReplies.map((text) => ({ type: 'QUICK_REPLY', text })), ...buttons];
  return [
    { type: 'BODY', text: body, ...example },
    ...(footer === '' ? [] : [{ type: 'FOOTER', text: footer }]),
    ...(all.length === 0 ? [] : [{ type: 'BUTTONS', buttons: all }]),
  ];
}
