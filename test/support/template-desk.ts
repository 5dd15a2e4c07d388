import type { TestingModule } from '@nestjs/testing';
import type { Environment } from '../../src/platform/config/index.js';
import { ChatDesk } from './chat-desk.js';
import type { Answer, Member } from './sms-desk.js';
import { startWorker } from './worker.js';

/** Body of an error answer, or a list. */
export interface TemplateRow {
  id: number;
  template_name: string;
  status: number;
  [field: string]: unknown;
}

let serial = 0;

/** The API with what template tests need around it. */
export class TemplateDesk {
  private constructor(readonly desk: ChatDesk) {}

  static async open(overrides: Partial<Environment> = {}): Promise<TemplateDesk> {
    return new TemplateDesk(await ChatDesk.open(overrides, { route: false }));
  }

  get dataSource() {
    return this.desk.dataSource;
  }

  stop(): Promise<void> {
    return this.desk.stop();
  }

  join(change: Parameters<ChatDesk['join']>[1] = {}): Promise<Member> {
    return this.desk.join(0, change);
  }

  /** A worker beside the API. */
  startWorker(overrides: Partial<Environment> = {}): Promise<TestingModule> {
    return startWorker({ ...this.desk.environment, ...overrides });
  }

  request(path: string, init?: RequestInit): Promise<Answer> {
    return this.desk.request(path, init);
  }

  /** JSON to any path; `member` sends his token. */
  send(method: string, path: string, member: Member | null, body?: unknown): Promise<Answer> {
    return this.request(path, {
      method,
      headers: { 'content-type': 'application/json', ...(member && { authorization: `Bearer ${member.token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** A body that passes, under a name of its own. */
  body(fields: Record<string, unknown> = {}): Record<string, unknown> {
    return { template_name: `template_${++serial}`, category: 'marketing', template_body: 'Hello {{1}}', ...fields };
  }

  create(member: Member | null, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('/webhook/api/createTemplates.php', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(member && { authorization: `Bearer ${member.token}` }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Creates one and answers its id. */
  async created(member: Member, fields: Record<string, unknown> = {}): Promise<number> {
    const { status, body } = await this.create(member, this.body(fields));
    if (status !== 200) throw new Error(`creation: ${status} ${JSON.stringify(body)}`);
    return body['template_id'] as number;
  }

  /** `templates.php` of a username that has templates. */
  async list(username: string): Promise<TemplateRow[]> {
    const { body } = await this.request(`/webhook/api/templates.php?username=${encodeURIComponent(username)}`);
    return body as unknown as TemplateRow[];
  }

  /** The template's row of the controller queue. */
  async controller(templateId: number): Promise<unknown> {
    const [row] = await this.dataSource.query<Record<string, unknown>[]>(
      'SELECT type, controller_status FROM template_controllers WHERE template_id = ?',
      [templateId],
    );
    return row && { ...row };
  }
}
