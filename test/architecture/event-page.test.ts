import { execFileSync } from 'node:child_process';
import { accessSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, it } from 'vitest';
import { exampleOf, TYPES_WITH_EXAMPLE } from '../../src/modules/webhooks/events.js';
import { ROOT } from './house.js';

const PAGE = readFileSync(join(ROOT, 'docs/events.md'), 'utf8');
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(PAGE)?.[1] ?? `no block of ${language}`;

/** What a verification is given, and what it has to say. */
interface Trial {
  secret: string;
  headers: Record<string, string>;
  body: string;
  now: number;
  isRight: boolean;
}

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLjSw';
/** The vector of the page. */
const VECTOR: Trial = {
  secret: SECRET,
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,q6KMVIJHk4Gs770FfR5f591Ftx7uVJSGl5wHV1ri978=',
  },
  body: '{"test": 2432232314}',
  now: 1_614_265_330,
  isRight: true,
};
const signed = (body: string, at: number): Trial => ({
  ...VECTOR,
  body,
  now: at,
  headers: {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(at),
    'webhook-signature': new Webhook(SECRET).sign('msg_1', new Date(at * 1_000), body),
  },
});
const withHeaders = (trial: Trial, headers: Record<string, string>, isRight: boolean): Trial => ({
  ...trial,
  headers: { ...trial.headers, ...headers },
  isRight,
});
const other = signed('{"name":"Jürgen ✓ 北京"}', 1_763_719_200);
const TRIALS: Trial[] = [
  VECTOR,
  other,
  { ...VECTOR, now: VECTOR.now + 299 },
  { ...VECTOR, now: VECTOR.now + 301, isRight: false },
  { ...VECTOR, now: VECTOR.now - 301, isRight: false },
  { ...VECTOR, body: '{"test": 2432232315}', isRight: false },
  { ...VECTOR, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLjSx', isRight: false },
  withHeaders(other, { 'webhook-signature': `v1,AAAA ${String(other.headers['webhook-signature'])}` }, true),
  withHeaders(other, { 'webhook-signature': 'v1,AAAA' }, false),
  withHeaders(other, { 'webhook-signature': '' }, false),
  withHeaders(other, { 'webhook-id': 'msg_2' }, false),
  withHeaders(other, { 'webhook-timestamp': 'soon' }, false),
];

/** How each language reads the trials from standard input and says what came of them. */
const LANGUAGES: Record<string, { program: string; args: string[]; files: Record<string, string> }> = {
  js: {
    program: process.execPath,
    args: ['main.mjs'],
    files: {
      'verify.mjs': block('js'),
      'main.mjs': `import { readFileSync } from 'node:fs';
import { verify } from './verify.mjs';
const trials = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(trials.map((t) => verify(t.secret, t.headers, t.body, t.now))));`,
    },
  },
  python: {
    program: 'python3',
    args: ['main.py'],
    files: {
      'page.py': block('python'),
      'main.py': `import json, sys
from page import verify
trials = json.loads(sys.stdin.buffer.read())
print(json.dumps([verify(t["secret"], t["headers"], t["body"].encode(), t["now"]) for t in trials]))`,
    },
  },
  php: {
    program: 'php',
    args: ['main.php'],
    files: {
      'verify.php': block('php'),
      'main.php': `<?php require 'verify.php';
$out = [];
foreach (json_decode(file_get_contents('php://stdin'), true) as $t) {
    $out[] = verify($t['secret'], $t['headers'], $t['body'], $t['now']);
}
echo json_encode($out);`,
    },
  },
  go: {
    program: 'go',
    args: ['run', '.'],
    files: {
      'go.mod': 'module trial\n\ngo 1.19\n',
      'webhook/verify.go': block('go'),
      'main.go': `package main

import (
	"encoding/json"
	"net/http"
	"os"
	"time"
	"trial/webhook"
)

func main() {
	var trials []struct {
		Secret, Body string
		Headers      map[string]string
		Now          int64
	}
	if err := json.NewDecoder(os.Stdin).Decode(&trials); err != nil {
		panic(err)
	}
	out := []bool{}
	for _, t := range trials {
		headers := http.Header{}
		for name, value := range t.Headers {
			headers.Set(name, value)
		}
		out = append(out, webhook.Verify(t.Secret, headers, []byte(t.Body), time.Unix(t.Now, 0)))
	}
	json.NewEncoder(os.Stdout).Encode(out)
}`,
    },
  },
};

function isThere(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program));
      return true;
    } catch {
      return program.startsWith('/');
    }
  });
}

describe('the page of events', () => {
  const directory = mkdtempSync(join(tmpdir(), 'event-page-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each(Object.entries(LANGUAGES))('verifies in %s', (language, { program, args, files }) => {
    for (const text of Object.values(files)) expect(text).not.toMatch(/^no block/);
    if (!isThere(program)) return expect(PAGE).toContain(VECTOR.headers['webhook-signature']);
    const place = mkdtempSync(join(directory, `${language}-`));
    for (const [name, text] of Object.entries(files)) {
      execFileSync('mkdir', ['-p', join(place, name, '..')]);
      writeFileSync(join(place, name), text);
    }
    const env = { ...process.env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local', GOCACHE: join(tmpdir(), 'event-page-go') };
    const said = execFileSync(program, args, { cwd: place, env, input: JSON.stringify(TRIALS), encoding: 'utf8' });
    expect(JSON.parse(said)).toEqual(TRIALS.map(({ isRight }) => isRight));
  });

  it.each(TYPES_WITH_EXAMPLE)('shows the body of %s with every field', (type) => {
    const section = PAGE.split(/^## /m).find((part) => part.startsWith(`${type}\n`)) ?? '';
    const shown = JSON.parse(/^```json\n(.*?)^```$/ms.exec(section)?.[1] ?? '{}') as object;
    expect(Object.keys(shown).sort()).toEqual(Object.keys(exampleOf(type)).sort());
    expect(shown).toMatchObject({ event: type });
  });

  it('shows the vector that its examples are tried with', () => {
    const { secret, headers, body } = VECTOR;
    for (const text of [secret, body, ...Object.values(headers)]) expect(PAGE).toContain(text);
  });
});
