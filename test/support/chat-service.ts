import { RecipientStatus } from '../../src/modules/engine/index.js';
import type { Client } from './client.js';
import type { Service } from './processes.js';

const NUMBER_ID = '106540352242922';
const APP_SECRET = 'app-secret-of-the-tests';
const VERIFY_TOKEN = 'verify-token-of-the-tests';

/** A recipient as the database has it at this moment. */
export interface ChatRecipient {
  seq: number;
  receiver: string;
  status: keyof typeof RecipientStatus;
  errorCode: number | null;
  errorMessage: string | null;
}

const post = async (service: Service, path: string, body: unknown): Promise<void> => {
  const response = await fetch(service.sandboxUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
};

/** Connects an account to the sandbox's chat upstream, callbacks included, as staff and the upstream's console would. */
export async function connectChat(service: Service, admin: Client, username: string, speed: number): Promise<void> {
  const { status, body } = await admin.call<{ data: { callback_url: string } }>(
    'PUT',
    `/v6/api/admin/chat-accounts/${username}`,
    {
      provider: 'meta_cloud',
      number: '15550001111',
      url: `${service.sandboxUrl}/v21.0/${NUMBER_ID}`,
      token: 'token-of-the-account',
      app_secret: APP_SECRET,
      verify_token: VERIFY_TOKEN,
      messages_per_second: speed,
    },
  );
  if (status !== 200) throw new Error(`chat account: ${status} ${JSON.stringify(body)}`);
  await post(service, '/chat/accounts', {
    phone_number_id: NUMBER_ID,
    callback_url: body.data.callback_url,
    app_secret: APP_SECRET,
    verify_token: VERIFY_TOKEN,
  });
}

/** A template created by its owner and approved by staff. */
export async function approvedTemplate(admin: Client, owner: Client, fields: Record<string, unknown>): Promise<void> {
  const created = await owner.call('POST', '/webhook/api/createTemplates.php', fields);
  if (created.status !== 200) throw new Error(`template: ${created.status} ${JSON.stringify(created.body)}`);
  const id = String(created.body['template_id']);
  const { status } = await admin.call('POST', `/v6/api/admin/templates/${id}/approve`, {});
  if (status !== 200) throw new Error(`approval: ${status}`);
}

/** Switches behaviours of the sandbox's carriers. */
export const changeFaults = (service: Service, changes: Record<string, unknown>): Promise<void> =>
  post(service, '/faults', changes);

/** Every recipient of a campaign, in order. */
export async function recipientsOf(service: Service, requestId: string): Promise<ChatRecipient[]> {
  const rows: Record<string, unknown>[] = await service.database.dataSource.query(
    `SELECT r.seq, r.receiver, r.status, r.error_code, r.error_message FROM campaign_recipients r
     JOIN campaigns c ON c.id = r.campaign_id WHERE c.request_id = ? ORDER BY r.seq`,
    [requestId],
  );
  return rows.map((row) => ({
    seq: Number(row['seq']),
    receiver: String(row['receiver']),
    status: RecipientStatus[Number(row['status'])] as keyof typeof RecipientStatus,
    errorCode: row['error_code'] as number | null,
    errorMessage: row['error_message'] as string | null,
  }));
}
