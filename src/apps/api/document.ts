import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorRow } from '../../platform/http/index.js';
import { ApiModule } from './api.module.js';
import { createOpenApiDocument, documentedErrors } from './openapi.js';

const INTRODUCTION = `# Errors

<!-- Written by \`npm run openapi\` from the errors that the endpoints document. -->

Every error answer has a literal \`message\`, and these fields:

- \`code\`: the stable name of the error, one of those below. Programs compare it.
- \`field\`: the field of the request that is wrong, if it is one.
- \`index\`: the position in that field, if it is a list; 0 = the first.
- \`hint\`: what to do, for people. Its words may change.
- \`doc_url\`: the section of this page.

Several codes may share one text, because older clients compare the text: the codes tell the causes apart. The public look-up of
profile requests answers the text alone.
`;

/** docs/generated/errors.md: every code with its texts, causes and remedies. */
export function errorsPage(rows: readonly ErrorRow[]): string {
  const codes = [...new Set(rows.map(({ code }) => code))].sort();
  const sections = codes.map((code) =>
    sectionOf(
      code,
      rows.filter((row) => row.code === code),
    ),
  );
  return [INTRODUCTION, ...sections].join('\n');
}

function sectionOf(code: string, rows: readonly ErrorRow[]): string {
  const distinct = <T>(values: readonly (T | undefined)[]): T[] => [
    ...new Set(values.filter((value): value is T => value !== undefined && value !== '')),
  ];
  const texts = distinct(rows.map(({ status, message }) => `- ${status} \`${message}\``)).sort();
  const reasons = distinct(rows.map(({ reason }) => reason)).sort();
  const fields = distinct(rows.map(({ help }) => help.field)).sort();
  const hints = distinct(rows.map(({ help }) => help.hint)).sort();
  return [
    `## ${code}`,
    '',
    ...texts,
    ...(reasons.length > 0 ? ['', `When: ${reasons.join('; ')}.`] : []),
    ...(fields.length > 0 ? ['', `Field: ${fields.map((field) => `\`${field}\``).join(', ')}.`] : []),
    ...(hints.length > 0 ? ['', `What to do: ${hints.join(' ')}`] : []),
    '',
  ].join('\n');
}

export async function writtenDocuments(): Promise<{ openApi: OpenAPIObject; errors: string }> {
  const app: INestApplication = await NestFactory.create(ApiModule, {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return { openApi: inFixedOrder(createOpenApiDocument(app)), errors: errorsPage(documentedErrors(app)) };
}

// Sorted by name, so that the order of module imports does not change the file.
function inFixedOrder(document: OpenAPIObject): OpenAPIObject {
  const sorted = <Value>(values: Record<string, Value> = {}): Record<string, Value> =>
    Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
  const components = { ...document.components, schemas: sorted(document.components?.schemas) };
  return { ...document, paths: sorted(document.paths), components };
}
