import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment, publicPath } from '../../../platform/config/index.js';

/** Sent to browsers as they stand, so nothing compiles them. */
const FOLDER = join('src', 'modules', 'admin', 'page', 'public');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file of the admin page. */
export interface PageFile {
  type: string;
  content: Buffer;
}

/** The files of the admin page, read once. What is built reads them where the sources stand. */
@Injectable()
export class PageFiles {
  private files: Promise<ReadonlyMap<string, PageFile>> | null = null;

  constructor(@Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'PUBLIC_URL'>) {}

  /** @returns null for a name that is none of the folder's files */
  async find(name: string): Promise<PageFile | null> {
    this.files ??= readAll(folder(), publicPath(this.environment));
    return (await this.files).get(name) ?? null;
  }
}

/** @param base before every path of ours in a page */
async function readAll(directory: string, base: string): Promise<Map<string, PageFile>> {
  const files = new Map<string, PageFile>();
  for (const name of await readdir(directory)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const content = await readFile(join(directory, name));
    const isPage = extname(name) === '.html';
    files.set(name, { type, content: isPage ? Buffer.from(below(base, content.toString())) : content });
  }
  return files;
}

const below = (base: string, page: string): string => page.replaceAll('="/admin', `="${base}/admin`);

/** The root of the project is the nearest folder above this file that has the page. */
function folder(): string {
  for (let at = import.meta.dirname; ; at = dirname(at)) {
    const path = join(at, FOLDER);
    if (existsSync(path)) return path;
    if (at === dirname(at)) throw new Error(`${FOLDER} is missing`);
  }
}
