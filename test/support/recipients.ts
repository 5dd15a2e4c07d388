import { type Campaigns, dataOf, type Json, listOf, openCampaigns } from './campaigns.js';
import { Leftovers } from '../../src/modules/recipient-lists/leftovers.store.js';
import type { Environment } from '../../src/platform/config/index.js';
import type { Answer, Member } from './sms.js';

export type Recipients = Awaited<ReturnType<typeof openRecipients>>;

/** Members with numbers that follow one another. */
export const numbered = (count: number, from = 0): { to: string }[] =>
  Array.from({ length: count }, (_, at) => ({ to: String(919_000_000_000 + from + at) }));

/** A file of the same numbers with one variable. */
export const csvOf = (count: number): string =>
  `to,n\n${numbered(count)
    .map(({ to }, at) => `${to},${at}`)
    .join('\n')}\n`;

/** What tests of uploads and lists need around an API. */
export async function openRecipients(overrides?: Partial<Environment>) {
  const campaigns: Campaigns = await openCampaigns(overrides);
  const headersOf = (member: Member | null): Record<string, string> =>
    member ? { authorization: `Bearer ${member.token}` } : {};

  /** A CSV body, as bytes or text. */
  const upload = (
    member: Member | null,
    body: string | Uint8Array<ArrayBuffer> | ReadableStream,
    query = '',
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    campaigns.request(`/v6/api/uploads${query}`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv', ...headersOf(member), ...headers },
      body,
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    });

  const send = (method: string, path: string, member: Member | null, body?: unknown): Promise<Answer> =>
    campaigns.request(path, {
      method,
      headers: { 'content-type': 'application/json', ...headersOf(member) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  return {
    ...campaigns,
    upload,
    send,

    /** The same as a form. */
    uploadForm: (
      member: Member,
      content: string | Uint8Array<ArrayBuffer>,
      field = 'file',
      name = 'people.csv',
    ): Promise<Answer> => {
      const data = new FormData();
      data.append('note', 'a field before the file');
      data.append(field, new Blob([content], { type: 'text/csv' }), name);
      return campaigns.request('/v6/api/uploads', { method: 'POST', headers: headersOf(member), body: data });
    },

    /** Removes every upload, as the sweeper does. */
    clearUploads: async (): Promise<void> => {
      await campaigns.dataSource.query('UPDATE recipient_uploads SET due_at = created_at, lease_until = NULL');
      await campaigns.part(Leftovers).sweep();
    },

    /** An upload that must succeed; answers its id. */
    uploaded: async (member: Member, body: string): Promise<number> => {
      const answer = await upload(member, body);
      if (answer.status !== 201) throw new Error(`upload: ${answer.status} ${JSON.stringify(answer.body)}`);
      return dataOf(answer)['upload_id'] as number;
    },

    /** A list with these members; answers its id. */
    listed: async (member: Member, members: readonly Json[] = [], name = 'Customers'): Promise<number> => {
      const created = await send('POST', '/v6/api/lists', member, { name });
      const id = dataOf(created)['list_id'] as number;
      if (members.length > 0) await send('POST', `/v6/api/lists/${id}/members`, member, { members });
      return id;
    },

    members: async (member: Member, id: number, query = ''): Promise<Json[]> =>
      listOf(await campaigns.get(`/v6/api/lists/${id}/members${query}`, member)),

    /** Rows that the tables hold, whoever's. */
    stored: async (): Promise<{ uploads: number; rows: number; skips: number; lists: number; members: number }> => {
      const count = async (table: string): Promise<number> => {
        const [row] = await campaigns.dataSource.query<{ n: number }[]>(`SELECT COUNT(*) AS n FROM ${table}`);
        return Number(row?.n);
      };
      return {
        uploads: await count('recipient_uploads'),
        rows: await count('recipient_upload_rows'),
        skips: await count('recipient_upload_skips'),
        lists: await count('recipient_lists'),
        members: await count('recipient_list_members'),
      };
    },
  };
}
