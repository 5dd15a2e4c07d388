import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ApiModule } from './api.module.js';
import { createOpenApiDocument } from './openapi.js';

/** The OpenAPI document of an API that is only scanned: without a database, Redis or a port. */
export async function openApiDocument(): Promise<OpenAPIObject> {
  const app = await NestFactory.create(ApiModule, { preview: true, logger: false, abortOnError: false });
  return createOpenApiDocument(app);
}
