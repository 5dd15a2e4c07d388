import { Readable } from 'node:stream';
import type { Request } from 'express';
import { describe, expect, it } from 'vitest';
import { Bodies, fromForm } from '../../src/platform/http/index.js';
import { bodyField } from '../../src/modules/cells/path-rules.js';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const MARK = '\ufeff';
const bob = JSON.stringify({ username: 'bob' });
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

const bodies = new Bodies({ BODY_LIMIT: 1024 * 1024 });

/** What a cell takes for `username`. */
async function inCell(body: Buffer, type: string | undefined): Promise<unknown> {
  const headers = { ...(type !== undefined && { 'content-type': type }), 'content-length': String(body.length) };
  const request = Object.assign(Readable.from([body]), {
    complete: true,
    headers,
    path: '/webhook/api/addbroadcastgsm.php',
  }) as unknown as Request;
  await bodies.read(request, null);
  return fromForm(request.body)['username'];
}

describe('a field of a body is to the front what it is to a cell', () => {
  it.each<[string, Buffer | string, string | undefined, unknown]>([
    ['JSON', bob, JSON_TYPE, 'bob'],
    ['JSON of no type', bob, undefined, 'bob'],
    ['JSON with a mark of its byte order', MARK + bob, JSON_TYPE, 'bob'],
    ['JSON in UTF-16', utf16(bob), `${JSON_TYPE}; charset=utf-16le`, 'bob'],
    ['JSON in UTF-16 with a mark', utf16(MARK + bob), `${JSON_TYPE}; charset="UTF-16"`, 'bob'],
    ['a form', 'x=1&username=bo%62+%C3%A9', FORM, 'bob é'],
    ['a form with a mark', `${MARK}username=bob`, FORM, 'bob'],
    ['a form with a charset', 'username=bob', `${FORM}; charset=utf-8`, 'bob'],
    ['a form in Latin', 'username=bob', `${FORM}; charset=iso-8859-1`, 'bob'],
    ['a form with a list', 'username[]=ann&username%5B%5D=bob', FORM, 'bob'],
    ['a form with both', 'username[]=x&username=bob&username[]=ann', FORM, 'bob'],
    ['a form with another name', '?username=bob&username[0]=bob', FORM, undefined],
  ])('%s', async (_what, body, type, value) => {
    const bytes = Buffer.from(body as string);
    expect(await inCell(bytes, type)).toBe(value);
    expect(bodyField(bytes, type, 'username')).toBe(value);
  });

  it('that a cell refuses is none of a charset that nobody knows', async () => {
    const type = `${JSON_TYPE}; charset=utf-99`;
    await expect(inCell(Buffer.from(bob), type)).rejects.toThrow();
    expect(bodyField(Buffer.from(bob), type, 'username')).toBeUndefined();
  });
});
