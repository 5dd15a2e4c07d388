import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/client.js';
import { commonService, type Service } from '../support/processes.js';

const MB = 1024 * 1024;
const READERS = 3;
/** Some rows in the making and what the collector has not taken yet, 250 to 360 MB; as whole answers they were 2,121 MB. */
const MOST_GROWTH = 900 * MB;

/**
 * What one account has stored, anybody may ask for: it comes as a stream, and the API stays as small as it was. The
 * templates are put into the database as an older version let them in.
 */
describe.skipIf(!existsSync('/proc/self/status'))('templates.php of an account with too much', () => {
  let service: Service;

  beforeAll(async () => {
    service = await commonService(0);
    // a fresh one, whose memory has not been large before
    await service.api.stop();
    await service.api.start();
  });
  afterAll(() => service.database.dataSource.query('DELETE FROM templates'));

  /** The most that the API has ever needed, bytes. */
  const peak = (): number =>
    1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.api.pid ?? 0}/status`, 'utf8'))?.[1]);

  /** Reads the answer as it comes and keeps nothing. */
  const sizeOf = async (path: string, token?: string): Promise<number> => {
    const response = await fetch(service.url + path, token ? { headers: { authorization: `Bearer ${token}` } } : {});
    expect(response.status).toBe(200);
    let size = 0;
    for await (const chunk of response.body ?? []) size += (chunk as Uint8Array).byteLength;
    return size;
  };

  const fill = async (count: number, content: string, bytes: number): Promise<void> => {
    await service.database.dataSource.query('DELETE FROM templates');
    await service.database.dataSource.query(
      `INSERT INTO templates (account_id, name, category, language_id, status, header_area_type, header_media_type,
         header_text, body, body_examples, footer, quick_replies, created_at, updated_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
       SELECT a.id, CONCAT(n.i, '-', m.i), 1, 1, 3, 'none', '', '', ${content}, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)
       FROM n JOIN n m JOIN accounts a ON a.username = 'demo' LIMIT ?`,
      [count],
    );
    const [row] = await service.database.dataSource.query<{ bytes: string }[]>(
      'SELECT SUM(LENGTH(body) + LENGTH(footer) + LENGTH(quick_replies)) AS bytes FROM templates',
    );
    expect(Number(row?.bytes)).toBeGreaterThan(bytes);
  };

  it.each([
    ['2,000 of 32 KB', 2_000, `REPEAT('😀', 4000), '[]', REPEAT('😀', 4000), '[]'`, 60 * MB],
    [
      '16 of 9 MB',
      16,
      `'', '[]', '', CONCAT('[', REPEAT('{"type":"QUICK_REPLY","text":"yes"},', 260000), '{"type":"QUICK_REPLY","text":"no"}]')`,
      140 * MB,
    ],
  ])('%s, read by three at once', async (_name, count, content, bytes) => {
    await fill(count, content, bytes);
    await sizeOf('/webhook/api/templates.php?username=nobody').catch(() => 0);
    const before = peak();
    const sizes = await Promise.all(
      Array.from({ length: READERS }, () => sizeOf('/webhook/api/templates.php?username=demo')),
    );
    expect(new Set(sizes).size).toBe(1);
    expect(sizes[0]).toBeGreaterThan(bytes);
    expect(peak() - before).toBeLessThan(MOST_GROWTH);
  });

  it('staff read them too', async () => {
    const admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    const before = peak();
    expect(await sizeOf('/v6/api/admin/templates?limit=1000', admin.token)).toBeGreaterThan(140 * MB);
    expect(peak() - before).toBeLessThan(MOST_GROWTH);
  });
});
