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
  return { openApi: createOpenApiDocument(app), errors: errorsPage(documentedErrors(app)) };
}
