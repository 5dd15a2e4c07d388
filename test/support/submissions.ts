import type { TestingModule } from '@nestjs/testing';
import { until } from './processes.js';
import type { Environment } from '../../src/platform/config/index.js';
import type { Answer, Member } from './sms.js';
import { openTemplates } from './templates.js';
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

const TOLD_WITHIN_MS = 60_000;

export type Submissions = Awaited<ReturnType<typeof openSubmissions>>;

/** An API, the upstream with its template review, and workers between them. */
export async function openSubmissions() {
  const templates = await openTemplates();
  const upstream = await TemplateUpstream.open();
  const { chat, dataSource } = templates;
  const workers: TestingModule[] = [];
  let serial = 0;

  const startWorker = async (overrides: Partial<Environment> = {}): Promise<void> => {
    workers.push(await templates.startWorker(overrides));
  };

  const stopWorkers = async (): Promise<void> => {
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
  };

  /** What the upstream has yet to be told of an account's templates. */
  const waiting = ({ account }: Member): Promise<{ attempts: number }[]> =>
    dataSource.query('SELECT attempts FROM template_submissions WHERE account_id = ?', [account.id]);

  /** Templates that were handed in at an account's business account. */
  const creationsOf = ({ wabaId }: Owner): UpstreamCall[] =>
    upstream.creations.filter(({ path }) => path.startsWith(`/${wabaId}/`));

  return {
    templates,
    upstream,
    startWorker,
    stopWorkers,
    waiting,
    creationsOf,
    created: templates.created,

    stop: async (): Promise<void> => {
      await stopWorkers();
      await upstream.stop();
      await templates.stop();
    },

    /** An account with a business account at the upstream, which calls back. */
    join: async (): Promise<Owner> => {
      const member = await templates.join();
      const phoneNumberId = `10000000${++serial}`;
      const wabaId = `20000000${serial}`;
      const routeId = await chat.connect(member, 'official', {
        url: upstream.accountUrl(phoneNumberId),
        wabaId,
        appSecret: 'app-secret',
        verifyToken: 'verify-token',
      });
      await upstream.register(phoneNumberId, wabaId, `${chat.url}/provider/chat/${routeId}`);
      return { ...member, wabaId };
    },

    put: (owner: Owner, id: number, body: unknown): Promise<Answer> =>
      templates.send('PUT', `/v6/api/templates/${id}`, owner, body),

    remove: (owner: Owner, id: number): Promise<Answer> => templates.send('DELETE', `/v6/api/templates/${id}`, owner),

    /** One worker at least. */
    working: async (): Promise<void> => {
      if (workers.length === 0) await startWorker();
    },

    stored: async (id: number): Promise<StoredTemplate | undefined> => {
      const [row] = await dataSource.query<StoredTemplate[]>(
        'SELECT status, reason, upstream_id FROM templates WHERE id = ?',
        [id],
      );
      return row && { ...row };
    },

    told: (member: Member): Promise<void> =>
      until('the upstream to be told', async () => (await waiting(member)).length === 0, TOLD_WITHIN_MS),

    /** Waits for a try that came to nothing. */
    tried: (member: Member): Promise<void> =>
      until('a try to fail', async () => (await waiting(member)).some((row) => row.attempts > 0), TOLD_WITHIN_MS),

    /** As if the time to the next try, or the lease of a worker that died, had passed. */
    hasten: async ({ account }: Member): Promise<void> => {
      await dataSource.query('UPDATE template_submissions SET due_at = UTC_TIMESTAMP(3) WHERE account_id = ?', [
        account.id,
      ]);
    },

    /** Waits until the account's only creation has reached the upstream. */
    arrived: (owner: Owner): Promise<void> =>
      until('the creation to arrive', () => Promise.resolve(creationsOf(owner).length === 1), TOLD_WITHIN_MS),
  };
}
