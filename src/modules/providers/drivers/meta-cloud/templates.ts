import { inflateSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { AppError, upstream } from '../../../../kernel/errors.js';
import { objectOrEmpty } from '../../../../kernel/json-values.js';
import type { ChatAccount } from '../../chat-account.js';
import { acceptedBody, isTemporary, providerErrorCode, providerErrorText, textOf, throttleMs } from './answers.js';
import { type GraphAnswer, MetaCloudClient } from './graph-client.js';
import { type UploadedFile, uploadFile } from './resumable-upload.js';

/** Media of a template's header. */
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

/** The medium that the upstream's reviewers see when the owner gave none (reference/templates#samples). */
export const sampleOf = (medium: HeaderMedium): UploadedFile => SAMPLES[medium];

/** A template as it is handed to the upstream. */
export interface TemplateSubmission {
  name: string;
  category: 'marketing' | 'utility' | 'auth';
  /** short code, such as `en_US` */
  language: string;
  header: { text: string; example: string | null } | { medium: HeaderMedium; sample: UploadedFile | null } | null;
  body: string;
  /** one for each of the body's placeholders */
  bodyExamples: readonly string[];
  footer: string;
  quickReplies: readonly string[];
}

/** A template as the upstream has it. */
export interface TemplateCopy {
  id: string;
  name: string;
  language: string;
  /** upper case: `PENDING`, `APPROVED`, `REJECTED` … */
  status: string;
  reason: string | null;
}

/** An account with all that the template API needs. */
export type TemplateAccount = ChatAccount & { wabaId: string };

const CATEGORIES = { marketing: 'MARKETING', utility: 'UTILITY', auth: 'AUTHENTICATION' } as const;
const FORMATS: Readonly<Record<HeaderMedium, string>> = { Image: 'IMAGE', Document: 'DOCUMENT', Video: 'VIDEO' };
const COPY_FIELDS = 'id,name,language,status,rejected_reason';
/** More than the languages that one name can have. */
const MOST_COPIES = '100';
/** Token refused, no permission: the account's set-up is at fault, not the template. */
const SETUP_CODES: ReadonlySet<number> = new Set([10, 102, 104, 190, 200]);

/**
 * The upstream's template API (it belongs to the business account, `waba_id`, not to the number). Every call throws
 * AppError: `unprocessable` with the upstream's text when it refuses this very template for good, `upstream` when it is
 * silent, busy, or refuses the account itself, so that another try makes sense.
 */
@Injectable()
export class TemplateClient {
  constructor(private readonly client: MetaCloudClient) {}

  /** The components of `create` and `edit`; the sample of a header's medium is uploaded for the reviewers. */
  async components(account: TemplateAccount, template: TemplateSubmission): Promise<Record<string, unknown>[]> {
    const { header } = template;
    const isMedium = header !== null && 'medium' in header && template.category !== 'auth';
    return componentsOf(template, isMedium ? await this.upload(account, header.sample ?? sampleOf(header.medium)) : '');
  }

  /** Hands in a new template. @returns it as the upstream has it from now on */
  async create(
    account: TemplateAccount,
    template: TemplateSubmission,
    components: readonly Record<string, unknown>[],
  ): Promise<TemplateCopy> {
    const { name, language, category } = template;
    const json = { name, language, category: CATEGORIES[category], components };
    const path = `${encodeURIComponent(account.wabaId)}/message_templates`;
    const body = judged(await this.client.request(account, { method: 'POST', path, json }));
    const status = typeof body['status'] === 'string' ? body['status'] : 'PENDING';
    return { id: textOf(body, 'id'), name, language, status, reason: null };
  }

  /** Another content of a template; it goes back to the upstream's review. */
  async edit(
    account: TemplateAccount,
    id: string,
    template: TemplateSubmission,
    components: readonly Record<string, unknown>[],
  ): Promise<void> {
    const json = { category: CATEGORIES[template.category], components };
    judged(await this.client.request(account, { method: 'POST', path: encodeURIComponent(id), json }));
  }

  /** Every language of a name, byte for byte. */
  async find(account: TemplateAccount, name: string): Promise<TemplateCopy[]> {
    const path = `${encodeURIComponent(account.wabaId)}/message_templates`;
    const query = { name, fields: COPY_FIELDS, limit: MOST_COPIES };
    const { data } = judged(await this.client.request(account, { method: 'GET', path, query }));
    return (Array.isArray(data) ? (data as unknown[]) : []).flatMap(copyOf).filter((copy) => copy.name === name);
  }

  /** Takes one away; one that is gone already is fine. */
  async remove(account: TemplateAccount, { id, name }: Pick<TemplateCopy, 'id' | 'name'>): Promise<void> {
    const path = `${encodeURIComponent(account.wabaId)}/message_templates`;
    const answer = await this.client.request(account, { method: 'DELETE', path, query: { hsm_id: id, name } });
    if (answer.status !== 404) judged(answer);
  }

  /** A file that is refused says nothing about the template: the account's application may be at fault. */
  private async upload(account: TemplateAccount, file: UploadedFile): Promise<string> {
    try {
      return await uploadFile(this.client, account, file);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw sampleRefused(error.message);
    }
  }
}

/** @param text the upstream's own */
const sampleRefused = upstream('sample_refused', (text: string) => text);
const providerBusy = upstream('provider_busy', (text: string) => text);

/** The body of a yes; a no is told apart by whether another try makes sense. */
function judged(answer: GraphAnswer): Record<string, unknown> {
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

function copyOf(item: unknown): TemplateCopy[] {
  const { id, name, language, status, rejected_reason: reason } = objectOrEmpty(item);
  if (typeof id !== 'string' || typeof name !== 'string') return [];
  const isReason = typeof reason === 'string' && reason !== '' && reason !== 'NONE';
  return [{ id, name, language: String(language), status: String(status), reason: isReason ? reason : null }];
}

/** The upstream's components, in its order. @param handle of the uploaded sample, for a header with a medium */
export function componentsOf(template: TemplateSubmission, handle: string): Record<string, unknown>[] {
  return template.category === 'auth' ? authComponents() : [...headerOf(template, handle), ...textsOf(template)];
}

/** An authentication template is the upstream's own text: a body that names one code, and a button that copies it. */
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

function textsOf({ body, bodyExamples, footer, quickReplies }: TemplateSubmission): Record<string, unknown>[] {
  const example = bodyExamples.length === 0 ? {} : { example: { body_text: [bodyExamples] } };
  return [
    { type: 'BODY', text: body, ...example },
    ...(footer === '' ? [] : [{ type: 'FOOTER', text: footer }]),
    ...(quickReplies.length === 0
      ? []
      : [{ type: 'BUTTONS', buttons: quickReplies.map((text) => ({ type: 'QUICK_REPLY', text })) }]),
  ];
}
