import { dateTime } from '../../../kernel/clock.js';
import type { ApiKeyEntity } from '../persistence/api-key.entity.js';

/** An API key as its owner sees it; times in the account's zone. The key itself is not among them. */
export interface ApiKeyView {
  id: number;
  name: string | null;
  /** the key's beginning */
  prefix: string;
  /** [] = anywhere */
  allowed_ips: string[];
  last_used_at: string | null;
  created_at: string;
}

export const apiKeyView = (row: ApiKeyEntity, zone: string): ApiKeyView => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  allowed_ips: JSON.parse(row.allowedIps) as string[],
  last_used_at: row.lastUsedAt && dateTime(row.lastUsedAt, zone),
  created_at: dateTime(row.createdAt, zone),
});
