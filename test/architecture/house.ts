import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DynamicModule, type INestApplicationContext, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer, NestFactory } from '@nestjs/core';
import { getMetadataArgsStorage } from 'typeorm';

/** Root of the checkout, with a slash at its end. */
export const ROOT = new URL('../..', import.meta.url).pathname;

/** A file of the sources, its path from the root. */
export interface SourceFile {
  path: string;
  text: string;
}

/** Every TypeScript file under a directory of the checkout. */
export function sourceFiles(directory: string): SourceFile[] {
  return readdirSync(join(ROOT, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(ROOT, path), text: readFileSync(path, 'utf8') }))
    .sort((a, b) => a.path.localeCompare(b.path));
}

/** An application scanned by Nest without creating anything: no database, no Redis, no port. */
export function scan(module: Type | DynamicModule): Promise<INestApplicationContext> {
  return NestFactory.create(module, { preview: true, logger: false, abortOnError: false });
}

/** One handler of one controller. A metadata key is looked up on the handler, then on its controller. */
export interface Handler {
  name: string;
  controller: Type;
  method: string;
  paths: string[];
  metadata<T>(key: string): T | undefined;
}

/** Every class that Nest knows as a provider, once each. */
export function providersOf(app: INestApplicationContext): Type[] {
  const found = new Set<Type>();
  for (const module of app.get(ModulesContainer).values())
    for (const wrapper of module.providers.values())
      if (typeof wrapper.metatype === 'function' && wrapper.metatype.prototype) found.add(wrapper.metatype as Type);
  return [...found];
}

/** Every HTTP handler of the application, sorted by path and method. */
export function handlersOf(app: INestApplicationContext): Handler[] {
  const controllers = new Set<Type>();
  for (const module of app.get(ModulesContainer).values())
    for (const wrapper of module.controllers.values()) controllers.add(wrapper.metatype as Type);
  const scanner = new MetadataScanner();
  const handlers = [...controllers].flatMap((controller) =>
    scanner.getAllMethodNames(controller.prototype as object).flatMap((name): Handler[] => {
      const method = (controller.prototype as Record<string, object>)[name]!;
      if (!Reflect.hasMetadata(PATH_METADATA, method)) return [];
      const verb = Reflect.getMetadata(METHOD_METADATA, method) as RequestMethod;
      return [
        {
          name: `${controller.name}.${name}`,
          controller,
          method: RequestMethod[verb],
          paths: pathsOf(controller).flatMap((base) => pathsOf(method).map((path) => joined(base, path))),
          metadata: <T>(key: string) =>
            (Reflect.getMetadata(key, method) ?? Reflect.getMetadata(key, controller)) as T | undefined,
        },
      ];
    }),
  );
  return handlers.sort((a, b) => `${a.paths[0]} ${a.method}`.localeCompare(`${b.paths[0]} ${b.method}`));
}

function pathsOf(target: object): string[] {
  const value: unknown = Reflect.getMetadata(PATH_METADATA, target);
  return (Array.isArray(value) ? value : [value ?? '']).map(String);
}

const joined = (base: string, path: string): string =>
  `/${[base, path]
    .map((part) => part.replace(/^\/+|\/+$/g, ''))
    .filter((part) => part !== '')
    .join('/')}`;

/** Every entity that the `tables.ts` of the features export. */
export async function entities(): Promise<Type[]> {
  const files = sourceFiles('src').filter((file) => /(^|[/.])tables\.ts$/.test(file.path));
  const found = await Promise.all(
    files.map(async (file) => (await import(pathToFileURL(join(ROOT, file.path)).href)) as Record<string, unknown>),
  );
  const tables = new Set(getMetadataArgsStorage().tables.map((table) => table.target));
  return found.flatMap((exports) => Object.values(exports).filter((value): value is Type => tables.has(value as Type)));
}
