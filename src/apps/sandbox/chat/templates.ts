import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { isObject, type JsonObject } from '../../../kernel/json-values.js';
import { codePoints } from '../../../kernel/text.js';
import { MessageIds } from '../carrier-ledger.js';
import { CallbackSender } from '../http-exchange.js';
import { ChatAccountBook, type ChatChange } from './chat-accounts.js';
import { ChatUploads } from './chat-profiles.js';
import {
  type GraphAnswer,
  GraphCode,
  GraphError,
  type GraphRequest,
  invalidParameter,
  ok,
  readJson,
} from './graph-request.js';

const CATEGORIES = new Set(['MARKETING', 'UTILITY', 'AUTHENTICATION']);
const MEDIA: Readonly<Record<string, RegExp>> = {
  IMAGE: /^image\//,
  VIDEO: /^video\//,
  DOCUMENT: /^application\/pdf$/,
};
const UNEXAMPLED = 2388043;

interface ReadTemplate {
  name: string;
  language: string;
  category: string;
  components: JsonObject[];
}

const variables = (text: string): number => new Set(text.match(/\{\{\s*\w+\s*\}\}/g) ?? []).size;

const textOf = (value: unknown, limit: number, name: string): string => {
  const text = typeof value === 'string' ? value : '';
  if (text.trim() === '') throw invalidParameter(`Param components: ${name} text is required.`);
  if (codePoints(text) > limit)
    throw invalidParameter(`Param components: ${name} must be at most ${limit} characters.`);
  return text;
};

function checkHeader(component: JsonObject, uploads: ChatUploads): void {
  const { format } = component;
  const example = isObject(component['example']) ? component['example'] : {};
  if (format === 'LOCATION') return;
  if (format === 'TEXT') {
    const wanted = variables(textOf(component['text'], 60, 'header'));
    if (wanted > 1) throw invalidParameter('Param components: a header takes one variable.');
    if (wanted > 0 && listLength(example['header_text']) !== wanted) throw unexampled('HEADER');
    return;
  }
  const type = MEDIA[String(format)];
  if (!type) throw invalidParameter('Param components: header format is unknown.');
  const handles = example['header_handle'];
  const handle: unknown = Array.isArray(handles) ? handles[0] : undefined;
  if (!type.test(uploads.typeOf(handle) ?? '')) throw unexampled('HEADER');
}

function checkBody(component: JsonObject, category: string): void {
  // The provider writes the body of one-time passwords.
  if (category === 'AUTHENTICATION' && component['text'] === undefined) return;
  const wanted = variables(textOf(component['text'], 1_024, 'body'));
  const example = isObject(component['example']) ? component['example'] : {};
  const rows = example['body_text'];
  const row: unknown = Array.isArray(rows) ? rows[0] : undefined;
  if (wanted > 0 && listLength(row) !== wanted) throw unexampled('BODY');
}

function checkButtons(component: JsonObject): void {
  const { buttons } = component;
  if (!Array.isArray(buttons) || buttons.length < 1 || buttons.length > 10) {
    throw invalidParameter('Param components: buttons takes 1 to 10.');
  }
  for (const button of buttons as unknown[]) {
    if (!isObject(button) || typeof button['type'] !== 'string') {
      throw invalidParameter('Param components: each button needs a type.');
    }
    if (button['type'] === 'QUICK_REPLY') textOf(button['text'], 25, 'button');
  }
}

const listLength = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

const unexampled = (type: string): GraphError =>
  new GraphError(
    400,
    GraphCode.InvalidParameter,
    'Invalid parameter',
    `Message template "components" param is missing expected field(s): example of ${type}`,
    UNEXAMPLED,
  );

// As the provider checks: one body, examples for every variable and for a media header.
function readComponents(value: unknown, category: string, uploads: ChatUploads): JsonObject[] {
  if (!Array.isArray(value) || !value.every(isObject)) throw invalidParameter('The parameter components is required.');
  const types = value.map((component) => String(component['type']).toUpperCase());
  if (!types.includes('BODY')) throw invalidParameter('Param components must hold a component of type BODY.');
  if (new Set(types).size !== types.length) throw invalidParameter('Param components holds a type twice.');
  value.forEach((component, index) => {
    const type = types[index];
    if (type === 'HEADER') checkHeader(component, uploads);
    else if (type === 'BODY') checkBody(component, category);
    else if (type === 'BUTTONS') checkButtons(component);
    else if (type !== 'FOOTER') throw invalidParameter('Param components holds an unknown type.');
    else if (category !== 'AUTHENTICATION') textOf(component['text'], 60, 'footer');
  });
  return value;
}

function readCategory(value: unknown): string {
  if (!CATEGORIES.has(String(value))) {
    throw invalidParameter('Param category must be one of {AUTHENTICATION, MARKETING, UTILITY}.');
  }
  return String(value);
}

function readTemplate(request: JsonObject, uploads: ChatUploads): ReadTemplate {
  const { name, language } = request;
  if (typeof name !== 'string' || !/^[a-z0-9_]{1,512}$/.test(name)) {
    throw invalidParameter('Param name must be lower-case letters, digits and underscores, at most 512 of them.');
  }
  if (typeof language !== 'string' || !/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/.test(language)) {
    throw invalidParameter('Param language must be one of the supported locales.');
  }
  const category = readCategory(request['category']);
  return { name, language, category, components: readComponents(request['components'], category, uploads) };
}

export const reviewSchema = z.object({
  status: z.enum(['APPROVED', 'REJECTED', 'PENDING', 'PAUSED', 'DISABLED']),
  reason: z.string().default('NONE'),
});

const CATEGORY_WORDS = z.enum(['MARKETING', 'UTILITY', 'AUTHENTICATION']);

export const categorySchema = z.object({
  value: z.object({
    new_category: CATEGORY_WORDS,
    previous_category: CATEGORY_WORDS.optional(),
    correct_category: CATEGORY_WORDS.optional(),
  }),
  told: z.boolean().default(true),
});

export interface ProviderTemplate extends ReadTemplate {
  id: string;
  wabaId: string;
  status: z.infer<typeof reviewSchema>['status'];
  /** `NONE` unless rejected */
  rejected_reason: string;
}

const FILTERS = ['status', 'language', 'category'] as const;
const NAME_TAKEN = 2388024;
const NOT_EDITABLE = 2388003;

/** Templates of the business accounts, and their review. */
@Injectable()
export class TemplateReviews {
  private readonly ids = new MessageIds();
  private readonly templates = new Map<string, ProviderTemplate>();

  constructor(
    private readonly uploads: ChatUploads,
    private readonly accounts: ChatAccountBook,
    private readonly callbacks: CallbackSender,
  ) {}

  list(): ProviderTemplate[] {
    return [...this.templates.values()];
  }

  collection(request: GraphRequest): GraphAnswer | null {
    if (request.method === 'POST') return this.create(request.node, readJson(request));
    if (request.method === 'GET') return this.page(request.node, request.query);
    if (request.method === 'DELETE') return this.remove(request.node, request.query);
    return null;
  }

  single(request: GraphRequest): GraphAnswer | null {
    const template = this.templates.get(request.node);
    if (!template) return null;
    if (request.method === 'GET') return ok(viewOf(template, request.query.get('fields')));
    return request.method === 'POST' ? this.edit(template, readJson(request)) : null;
  }

  /** Sets a template's status and reports it to the callbacks of its business account; null for an unknown id. */
  async review(
    id: string,
    { status, reason }: z.infer<typeof reviewSchema>,
  ): Promise<{ template: ProviderTemplate; taken: boolean } | null> {
    const template = this.templates.get(id);
    if (!template) return null;
    template.status = status;
    template.rejected_reason = status === 'REJECTED' ? reason : 'NONE';
    const category = { message_template_category: template.category };
    return this.report(template, 'message_template_status_update', { event: status, ...category, reason });
  }

  /** Moves a template to another category, or announces it, and reports it likewise; null for an unknown id. */
  async recategorise(
    id: string,
    { value, told }: z.infer<typeof categorySchema>,
  ): Promise<{ template: ProviderTemplate; taken: boolean } | null> {
    const template = this.templates.get(id);
    if (!template) return null;
    template.category = value.new_category;
    return told ? this.report(template, 'template_category_update', value) : { template, taken: false };
  }

  private async report(
    template: ProviderTemplate,
    field: ChatChange['field'],
    said: JsonObject,
  ): Promise<{ template: ProviderTemplate; taken: boolean }> {
    const value = {
      message_template_id: Number(template.id),
      message_template_name: template.name,
      message_template_language: template.language,
      ...said,
    };
    let taken = false;
    for (const account of this.accounts.byWabaId(template.wabaId)) {
      const { body, headers } = this.accounts.signed(account, [{ field, value }]);
      taken = (await this.callbacks.postOnce(account.callback_url, body, headers)) || taken;
    }
    return { template, taken };
  }

  private create(wabaId: string, request: JsonObject): GraphAnswer {
    const read = readTemplate(request, this.uploads);
    if (this.of(wabaId).some(({ name, language }) => name === read.name && language === read.language)) {
      const text = 'Content in this language already exists for this template';
      throw new GraphError(400, GraphCode.InvalidParameter, 'Invalid parameter', text, NAME_TAKEN);
    }
    const template: ProviderTemplate = {
      ...read,
      id: String(this.ids.next()),
      wabaId,
      status: 'PENDING',
      rejected_reason: 'NONE',
    };
    this.templates.set(template.id, template);
    return ok({ id: template.id, status: template.status, category: template.category });
  }

  private edit(template: ProviderTemplate, request: JsonObject): GraphAnswer {
    if (template.status === 'PENDING' || template.status === 'DISABLED') {
      const text = 'Message templates can only be edited when approved, rejected or paused';
      throw new GraphError(400, GraphCode.InvalidParameter, 'Invalid parameter', text, NOT_EDITABLE);
    }
    const category = request['category'] === undefined ? template.category : readCategory(request['category']);
    if (request['components'] !== undefined) {
      template.components = readComponents(request['components'], category, this.uploads);
    }
    template.category = category;
    template.status = 'PENDING';
    return ok({ success: true });
  }

  private page(wabaId: string, query: URLSearchParams): GraphAnswer {
    const limit = Math.min(Number(query.get('limit') ?? 25) || 25, 1_000);
    const after = Number(query.get('after') ?? 0) || 0;
    const name = query.get('name') ?? '';
    // As at the provider, a name also matches templates that contain it.
    const found = this.of(wabaId).filter(
      (template) =>
        template.name.includes(name) &&
        FILTERS.every((field) => !query.has(field) || query.get(field) === template[field]),
    );
    const data = found.slice(after, after + limit).map((template) => viewOf(template, query.get('fields')));
    const cursors = { before: String(after), after: String(after + data.length) };
    const more = after + data.length < found.length;
    return ok({ data, paging: { cursors, ...(more && { next: `?after=${cursors.after}&limit=${limit}` }) } });
  }

  private remove(wabaId: string, query: URLSearchParams): GraphAnswer {
    const id = query.get('hsm_id');
    const gone = this.of(wabaId).filter(
      (template) => template.name === query.get('name') && (id === null || template.id === id),
    );
    if (gone.length === 0) {
      const text = 'Message Template "name" does not exist';
      throw new GraphError(404, GraphCode.InvalidParameter, 'Invalid parameter', text, 2593002);
    }
    for (const template of gone) this.templates.delete(template.id);
    return ok({ success: true });
  }

  private of(wabaId: string): ProviderTemplate[] {
    return this.list().filter((template) => template.wabaId === wabaId);
  }
}

function viewOf(
  { wabaId: _account, rejected_reason, ...template }: ProviderTemplate,
  fields: string | null,
): JsonObject {
  const unasked = { ...template, parameter_format: 'POSITIONAL' };
  if (fields === null) return unasked;
  const asked = new Set(['id', ...fields.split(',')]);
  return Object.fromEntries(Object.entries({ ...unasked, rejected_reason }).filter(([field]) => asked.has(field)));
}
