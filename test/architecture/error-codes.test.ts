import { readFileSync } from 'node:fs';
import type { INestApplication } from '@nestjs/common';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiModule } from '../../src/apps/api/api.module.js';
import { errorsPage } from '../../src/apps/api/document.js';
import { documentedErrors } from '../../src/apps/api/openapi.js';
import { ROOT, scan, sourceFiles } from './house.js';

const WORDS =
  /^(invalid|unauthenticated|forbidden|notFound|conflict|tooLarge|unprocessable|failed|upstream|unavailable)$/;
const page = readFileSync(`${ROOT}docs/generated/errors.md`, 'utf8');
const explained = new Set([...page.matchAll(/^## (\w+)$/gm)].map(([, code]) => code));

let app: INestApplication;
beforeAll(async () => {
  app = (await scan(ApiModule)) as INestApplication;
});
afterAll(() => app.close());

/** The codes with which errors are defined, in the sources. */
function definedCodes(): string[] {
  const codes: string[] = [];
  const visit = (node: ts.Node): void => {
    const [code, text] = ts.isCallExpression(node) && ts.isIdentifier(node.expression) ? node.arguments : [];
    const isDefinition =
      ts.isCallExpression(node) && ts.isIdentifier(node.expression) && WORDS.test(node.expression.text);
    if (isDefinition && code && text && ts.isStringLiteral(code) && /^[a-z]/.test(code.text)) codes.push(code.text);
    ts.forEachChild(node, visit);
  };
  for (const { path, text } of sourceFiles('src')) {
    if (path.endsWith('.spec.ts')) continue;
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  }
  return [...new Set(codes)].sort();
}

/** Codes of errors that become another one before they leave, or say their text in another one's place. */
const NEVER_ANSWERED = new Set([
  ...['field_must_be', 'field_not_fetched'],
  ...['header_example_type', 'header_example_unreadable', 'provider_busy', 'sample_refused'],
]);

describe('docs/generated/errors.md', () => {
  it('is what the errors say (npm run openapi writes it)', () => {
    expect(errorsPage(documentedErrors(app))).toBe(page);
  });

  it('has a place for every code that an answer can have, which its doc_url leads to', () => {
    expect(definedCodes().length).toBeGreaterThan(150);
    expect(definedCodes().filter((code) => !explained.has(code) && !NEVER_ANSWERED.has(code))).toEqual([]);
    expect([...explained].filter((code) => !/^[a-z][a-z0-9_]*$/.test(code ?? ''))).toEqual([]);
  });
});
