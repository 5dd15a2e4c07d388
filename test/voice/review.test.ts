import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AudioServer, NUMBER, openVoice, type Voice } from '../support/voice.js';
import { expectRefused, type Member } from '../support/sms.js';

const OTHERS = ['919812345679', '919812345670'];

let voice: Voice;
let audio: AudioServer;
let owner: Member;
let staff: Member;

beforeAll(async () => {
  voice = await openVoice();
  audio = await AudioServer.open();
  owner = await voice.rich();
  staff = await voice.join({});
  await voice.dataSource.query("UPDATE accounts SET user_type = 'super' WHERE id = ?", [staff.account.id]);
});
afterAll(async () => {
  await voice.stop();
  await audio.close();
});

const read = (path: string, member = staff) =>
  voice.request(`/v6/api/admin/campaigns${path}`, { headers: { authorization: `Bearer ${member.token}` } });

describe('what staff see before they approve', () => {
  it('is every text, clip and number, in the list and by itself', async () => {
    const { body: sent } = await voice.send(owner, {
      broadcast_name: 'Survey',
      message: 'Press 1 or 2.',
      language: 'en',
      caller_id: NUMBER,
      retries: 2,
      contacts: [NUMBER, ...OTHERS],
      dtmf_flow: {
        rows: [
          { digit: '1', action: 'transfer', number: NUMBER, fallback_numbers: OTHERS },
          {
            digit: '2',
            action: 'submenu',
            prompt_audio: audio.url(300),
            rows: [{ digit: '#', action: 'audio', audio: audio.url(200), after: 'back' }],
          },
        ],
      },
      callback_audio: [{ dtmf: '3', selected_number: OTHERS[0] }],
    });
    const id = String(sent['request_id']);
    const clip = expect.stringMatching(/^\/audio\/[\w-]{32}\.wav$/) as unknown;
    const row = { clip: null, source: null, after: null, number: null, fallback_numbers: [], rows: [] };
    const shown = {
      request_id: id,
      username: owner.account.username,
      state: 'pending_approval',
      audio_url: sent['audio_url'],
      message: 'Press 1 or 2.',
      language: 'en',
      caller_id: NUMBER,
      retries: 2,
      recipients: 3,
      revision: 1,
      menu: [
        { ...row, digit: '1', action: 'transfer', number: NUMBER, fallback_numbers: OTHERS },
        {
          ...row,
          digit: '2',
          action: 'submenu',
          clip,
          source: audio.url(300),
          rows: [{ ...row, digit: '#', action: 'audio', clip, source: audio.url(200), after: 'back' }],
        },
        { ...row, digit: '3', action: 'transfer', number: OTHERS[0] },
      ],
    };
    const one = await read(`/${id}`);
    expect([one.status, one.body['success']]).toEqual([200, true]);
    expect(one.body['data']).toMatchObject(shown);
    const list = await read('?state=pending_approval&channel=voice');
    expect(list.body['data']).toEqual([one.body['data']]);
  });

  it('tells nobody else, and knows what there is not', async () => {
    expectRefused(await read('/VCAMP_20260101_NOTTHERE'), 404, 'Campaign not found');
    expectRefused(await read('/VCAMP_20260101_NOTTHERE', owner), 403, 'Forbidden');
  });

  it('shows a campaign of an earlier version, whose menu names the addresses themselves', async () => {
    const { body: sent } = await voice.send(owner, {
      broadcast_name: 'Old',
      audio_url: audio.url(250),
      contacts: [NUMBER],
    });
    const menu = JSON.stringify([
      { digit: '1', action: 'audio', audio: 'https://files.example/a.mp3', after: 'hangup' },
    ]);
    await voice.dataSource.query(
      "UPDATE campaigns SET content = JSON_SET(content, '$.menu', JSON_EXTRACT(?, '$')) WHERE request_id = ?",
      [menu, sent['request_id']],
    );
    const { body } = await read(`/${String(sent['request_id'])}`);
    expect(body['data']).toMatchObject({
      message: null,
      caller_id: null,
      menu: [{ digit: '1', clip: 'https://files.example/a.mp3', source: null }],
    });
  });
});

describe('a rejection', () => {
  const decide = (id: string, body: unknown) => voice.post(`/v6/api/admin/campaigns/${id}/reject`, staff, body);

  it('keeps its reason for the owner, and in the audit log', async () => {
    const { body: sent } = await voice.send(owner, { broadcast_name: 'No', message: 'Hello.', contacts: [NUMBER] });
    const id = String(sent['request_id']);
    expectRefused(await decide(id, { reason: 'x'.repeat(501) }), 400, 'reason must be at most 500 characters');
    expectRefused(await decide(id, { reason: {} }), 400, 'reason is invalid');
    expect((await decide(id, { reason: ' Not your number ', revision: 1 })).body).toMatchObject({
      data: { state: 'rejected' },
    });
    const seen = await voice.request(`/v6/api/campaigns/${id}`, {
      headers: { authorization: `Bearer ${owner.token}` },
    });
    expect(seen.body['data']).toMatchObject({ state: 'rejected', reason: 'Not your number', text: 'Hello.' });
    expect((await read(`/${id}`)).body['data']).toMatchObject({ reason: 'Not your number' });
    const [entry] = await voice.dataSource.query<{ details: string }[]>(
      "SELECT details FROM audit_log WHERE subject = ? AND action = 'campaign.reject'",
      [id],
    );
    expect(JSON.parse(entry?.details ?? '{}')).toMatchObject({ to: 'rejected', reason: 'Not your number' });
  });

  it('may come without one', async () => {
    const { body: sent } = await voice.send(owner, { broadcast_name: 'No', message: 'Hello.', contacts: [NUMBER] });
    expect((await decide(String(sent['request_id']), {})).body).toMatchObject({ data: { state: 'rejected' } });
    expect((await read(`/${String(sent['request_id'])}`)).body['data']).toMatchObject({ reason: null });
  });
});
