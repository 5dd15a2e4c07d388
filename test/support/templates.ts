import type { TestingModule } from '@nestjs/testing';
import type { Environment } from '../../src/platform/config/index.js';
import { type Chat, openChat } from './chat.js';
import type { Answer, Member } from './sms.js';
import { startWorker } from './worker.js';

/** Body of an error answer, or a list. */
export interface TemplateRow {
  id: number;
  template_name: string;
  status: number;
  [field: string]: unknown;
}

let serial = 0;

export type Templates = Awaited<ReturnType<typeof openTemplates>>;

/** An API with what template tests need around it. */
export async function openTemplates(overrides: Partial<Environment> = {}) {
  const chat = await openChat(overrides, { route: false });
  const { dataSource, request, stop } = chat;

  /** JSON to any path, with the member's token. */
  const send = (method: string, path: string, member: Member | null, body?: unknown): Promise<Answer> =>
    request(path, {
      method,
      headers: { 'content-type': 'application/json', ...(member && { authorization: `Bearer ${member.token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  /** A body that passes, under a name of its own. */
  const body = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
    template_name: `template_${++serial}`,
    category: 'marketing',
    template_body: 'Hello {{1}}',
    ...fields,
  });

  const create = (member: Member | null, sent: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    request('/webhook/api/createTemplates.php', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(member && { authorization: `Bearer ${member.token}` }),
        ...headers,
      },
      body: typeof sent === 'string' ? sent : JSON.stringify(sent),
    });

  return {
    chat,
    dataSource,
    request,
    stop,
    send,
    body,
    create,

    /** A new account without credits. */
    join: (change: Parameters<Chat['join']>[1] = {}): Promise<Member> => chat.join(0, change),

    /** A worker beside the API. */
    startWorker: (more: Partial<Environment> = {}): Promise<TestingModule> =>
      startWorker({ ...chat.environment, ...more }),

    /** Creates one and answers its id. */
    created: async (member: Member, fields: Record<string, unknown> = {}): Promise<number> => {
      const answer = await create(member, body(fields));
      if (answer.status !== 200) throw new Error(`creation: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body['template_id'] as number;
    },

    /** `templates.php` of a username that has templates. */
    list: async (username: string): Promise<TemplateRow[]> => {
      const answer = await request(`/webhook/api/templates.php?username=${encodeURIComponent(username)}`);
      return answer.body as unknown as TemplateRow[];
    },

    /** The template's row of the controller queue. */
    controller: async (templateId: number): Promise<unknown> => {
      const [row] = await dataSource.query<Record<string, unknown>[]>(
        'SELECT type, controller_status FROM template_controllers WHERE template_id = ?',
        [templateId],
      );
      return row && { ...row };
    },
  };
}
