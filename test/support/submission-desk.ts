import type { TestingModule } from '@nestjs/testing';
import { until } from './processes.js';
import type { Answer, Member } from './sms-desk.js';
import { TemplateDesk } from './template-desk.js';
import { TemplateUpstream, type UpstreamCall } from './template-upstream.js';

/** An account whose templates go to a business account of the upstream. */
export interface Owner extends Member {
  wabaId: string;
}

interface StoredTemplate {
  status: number;
  reason: string | null;
  upstream_id: string | null;
}

const TOLD_WITHIN_MS = 20_000;

/** The API, the upstream with its template review, and workers between them. */
export class SubmissionDesk {
  private readonly workers: TestingModule[] = [];
  private serial = 0;

  private constructor(
    readonly templates: TemplateDesk,
    readonly upstream: TemplateUpstream,
  ) {}

  static async open(): Promise<SubmissionDesk> {
    return new SubmissionDesk(await TemplateDesk.open(), await TemplateUpstream.open());
  }

  async stop(): Promise<void> {
    await this.stopWorkers();
    await this.upstream.stop();
    await this.templates.stop();
  }

  /** An account with a business account at the upstream, which calls back. */
  async join(): Promise<Owner> {
    const member = await this.templates.join();
    const phoneNumberId = `10000000${++this.serial}`;
    const wabaId = `20000000${this.serial}`;
    const routeId = await this.templates.desk.connect(member, 'official', {
      url: this.upstream.accountUrl(phoneNumberId),
      wabaId,
      appSecret: 'app-secret',
      verifyToken: 'verify-token',
    });
    await this.upstream.register(phoneNumberId, wabaId, `${this.templates.desk.url}/provider/chat/${routeId}`);
    return { ...member, wabaId };
  }

  created(owner: Member, fields: Record<string, unknown> = {}): Promise<number> {
    return this.templates.created(owner, fields);
  }

  put(owner: Owner, id: number, body: unknown): Promise<Answer> {
    return this.templates.send('PUT', `/v6/api/templates/${id}`, owner, body);
  }

  remove(owner: Owner, id: number): Promise<Answer> {
    return this.templates.send('DELETE', `/v6/api/templates/${id}`, owner);
  }

  async startWorker(overrides: Parameters<TemplateDesk['startWorker']>[0] = {}): Promise<void> {
    this.workers.push(await this.templates.startWorker(overrides));
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.close()));
  }

  /** One worker at least. */
  async working(): Promise<void> {
    if (this.workers.length === 0) await this.startWorker();
  }

  async stored(id: number): Promise<StoredTemplate | undefined> {
    const [row] = await this.templates.dataSource.query<StoredTemplate[]>(
      'SELECT status, reason, upstream_id FROM templates WHERE id = ?',
      [id],
    );
    return row && { ...row };
  }

  /** What the upstream has yet to be told of an account's templates. */
  waiting({ account }: Member): Promise<{ attempts: number }[]> {
    return this.templates.dataSource.query('SELECT attempts FROM template_submissions WHERE account_id = ?', [
      account.id,
    ]);
  }

  told(member: Member): Promise<void> {
    return until('the upstream to be told', async () => (await this.waiting(member)).length === 0, TOLD_WITHIN_MS);
  }

  /** Waits for a try that came to nothing. */
  tried(member: Member): Promise<void> {
    return until(
      'a try to fail',
      async () => (await this.waiting(member)).some((row) => row.attempts > 0),
      TOLD_WITHIN_MS,
    );
  }

  /** As if the time to the next try, or the lease of a worker that died, had passed. */
  async hasten({ account }: Member): Promise<void> {
    await this.templates.dataSource.query(
      'UPDATE template_submissions SET due_at = UTC_TIMESTAMP(3) WHERE account_id = ?',
      [account.id],
    );
  }

  /** Templates that were handed in at an account's business account. */
  creationsOf({ wabaId }: Owner): UpstreamCall[] {
    return this.upstream.creations.filter(({ path }) => path.startsWith(`/${wabaId}/`));
  }

  /** Waits until the account's only creation has reached the upstream. */
  arrived(owner: Owner): Promise<void> {
    return until('the creation to arrive', () => Promise.resolve(this.creationsOf(owner).length === 1), TOLD_WITHIN_MS);
  }
}
