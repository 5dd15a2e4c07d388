import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { type JsonObject } from '../../../kernel/objects.js';
import { MessageIds } from '../carrier/message-ids.js';
import { CallbackSender } from '../http/callback-sender.js';
import { ChatAccountBook } from './chat-accounts.js';
import { GraphCode, GraphError } from './graph-error.js';
import { type GraphAnswer, type GraphRequest, ok, readJson } from './graph-request.js';
import { readCategory, readComponents, type ReadTemplate, readTemplate } from './template-rules.js';
import { ChatUploads } from './uploads.js';

/** `POST /chat/templates/:id/review` */
export const reviewSchema = z.object({
  status: z.enum(['APPROVED', 'REJECTED', 'PENDING', 'PAUSED', 'DISABLED']),
  reason: z.string().default('NONE'),
});

/** A template as the upstream has it. */
export interface UpstreamTemplate extends ReadTemplate {
  id: string;
  wabaId: string;
  status: z.infer<typeof reviewSchema>['status'];
  /** why it was rejected; `NONE` otherwise */
  rejected_reason: string;
}

const FILTERS = ['status', 'language', 'category'] as const;
const NAME_TAKEN = 2388024;
const NOT_EDITABLE = 2388003;

/** Templates of the business accounts, and their review. */
@Injectable()
export class TemplateReviews {
  private readonly ids = new MessageIds();
  private readonly templates = new Map<string, UpstreamTemplate>();

  constructor(
    private readonly uploads: ChatUploads,
    private readonly accounts: ChatAccountBook,
    private readonly callbacks: CallbackSender,
  ) {}

  list(): UpstreamTemplate[] {
    return [...this.templates.values()];
  }

  /** `/:waba_id/message_templates`. @throws GraphError */
  collection(request: GraphRequest): GraphAnswer | null {
    if (request.method === 'POST') return this.create(request.node, readJson(request));
    if (request.method === 'GET') return this.page(request.node, request.query);
    if (request.method === 'DELETE') return this.remove(request.node, request.query);
    return null;
  }

  /** `/:template_id`. @returns null for an id that is none. @throws GraphError */
  single(request: GraphRequest): GraphAnswer | null {
    const template = this.templates.get(request.node);
    if (!template) return null;
    if (request.method === 'GET') return ok(viewOf(template, request.query.get('fields')));
    return request.method === 'POST' ? this.edit(template, readJson(request)) : null;
  }

  /** Moves a template and reports it to the callbacks of its business account. @returns null for an id that is none */
  async review(
    id: string,
    { status, reason }: z.infer<typeof reviewSchema>,
  ): Promise<{ template: UpstreamTemplate; taken: boolean } | null> {
    const template = this.templates.get(id);
    if (!template) return null;
    template.status = status;
    template.rejected_reason = status === 'REJECTED' ? reason : 'NONE';
    const value = {
      event: status,
      message_template_id: Number(id),
      message_template_name: template.name,
      message_template_language: template.language,
      message_template_category: template.category,
      reason,
    };
    let taken = false;
    for (const account of this.accounts.byWabaId(template.wabaId)) {
      const { body, headers } = this.accounts.signed(account, [{ field: 'message_template_status_update', value }]);
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
    const template: UpstreamTemplate = {
      ...read,
      id: String(this.ids.next()),
      wabaId,
      status: 'PENDING',
      rejected_reason: 'NONE',
    };
    this.templates.set(template.id, template);
    return ok({ id: template.id, status: template.status, category: template.category });
  }

  private edit(template: UpstreamTemplate, request: JsonObject): GraphAnswer {
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
    // As at the real one, a name finds every template that has it in its own.
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

  private of(wabaId: string): UpstreamTemplate[] {
    return this.list().filter((template) => template.wabaId === wabaId);
  }
}

/** @param fields comma-separated; null = what is shown unasked */
function viewOf(
  { wabaId: _account, rejected_reason, ...template }: UpstreamTemplate,
  fields: string | null,
): JsonObject {
  const unasked = { ...template, parameter_format: 'POSITIONAL' };
  if (fields === null) return unasked;
  const asked = new Set(['id', ...fields.split(',')]);
  return Object.fromEntries(Object.entries({ ...unasked, rejected_reason }).filter(([field]) => asked.has(field)));
}
