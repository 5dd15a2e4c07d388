import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ApiModule } from './api.module.js';
import { errorsPage } from './errors-page.js';
import { createOpenApiDocument, documentedErrors } from './openapi.js';

/** What docs/ has of the code: of an API that is only scanned, without a database, Redis or a port. */
export async function writtenDocuments(): Promise<{ openApi: OpenAPIObject; errors: string }> {
  const app: INestApplication = await NestFactory.create(ApiModule, {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return { openApi: inFixedOrder(createOpenApiDocument(app)), errors: errorsPage(documentedErrors(app)) };
}

/** Paths and schemas by name: the order in which modules are imported does not change the file. */
function inFixedOrder(document: OpenAPIObject): OpenAPIObject {
  const sorted = <Value>(values: Record<string, Value> = {}): Record<string, Value> =>
    Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
  const components = { ...document.components, schemas: sorted(document.components?.schemas) };
  return { ...document, paths: sorted(document.paths), components };
}
